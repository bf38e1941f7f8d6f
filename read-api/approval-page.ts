/** The page of an approval, and the pictures on it: for the holder of the link in a mail. */

import { AppError } from '../contract/errors.ts';
import { type AnyOperation, operation } from '../contract/operation.ts';
import { type Clock, toTimestamp } from '../ground/clock.ts';
import { Type } from '../ground/type.ts';
import {
  type ApprovalPage,
  approvalAccessPage,
  approvalNotFoundPage,
  approvalPage,
} from '../pages/approval/approval-page.ts';
import { AnyApprovalId, ApprovalId } from '../presenters/approval.ts';
import {
  approvalStateOf,
  kindOfApproval,
  type OpenedLink,
  presentApprovalPage,
} from '../presenters/approval-page.ts';
import { PageNumber } from '../presenters/common.ts';
import { preferredLanguage } from '../presenters/preferred-language.ts';
import type { LetterRecord } from '../projections/letters/query.ts';
import { noPageResponse, PageLanguage, pageHeaders, pageResponse } from './audit-page.ts';
import type { LetterReadPorts } from './letter-read-ports.ts';

type ApprovalPagePorts = Pick<LetterReadPorts, 'openLetters' | 'preview' | 'expectedRelease'> & {
  /** Undefined for every reason why the link shows nothing. */
  links: {
    open(approvalId: string, token: string): Promise<OpenedLink | undefined>;
    /** By its token alone; undefined: it opens no page of this approval. */
    approverIn(approvalId: string, token: string): string | undefined;
  };
  /** As the stream of the letter says. */
  currentLetter(letterId: string): Promise<LetterRecord | undefined>;
  service: ApprovalPage['service'];
  clock: Clock;
};

/** With pictures of the service, and a form that goes to it. */
export const approvalPageHeaders = {
  ...pageHeaders,
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
};

const token = Type.Optional(
  Type.String({ maxLength: 100, description: 'The token in the link of the mail.' }),
);

/** A page shows a picture of each page of a letter, which would be too many requests of one address. */
const linkOfApprover =
  ({ approverIn }: ApprovalPagePorts['links']): NonNullable<AnyOperation['linkIn']> =>
  ({ params, query }) => {
    const id = String(params.id);
    const approver = approverIn(id, String(query.token ?? ''));
    return approver && `${id} ${approver}`;
  };

const viewApproval = ({ links, service, clock }: ApprovalPagePorts): AnyOperation =>
  operation({
    name: 'view_approval',
    method: 'GET',
    path: '/approvals/{id}',
    tag: 'Guards',
    summary: 'Show an approver what waits',
    description:
      'With the token of the mail, the page shows the letter with its recipient and price, or the policy before and after the change, until the approver has decided. It decides nothing by itself. Without a token, the page says how to get access, and is the same for every id of a kind. A wrong token answers 404.',
    access: 'public',
    linkIn: linkOfApprover(links),
    input: {
      params: Type.Object({ id: AnyApprovalId }),
      query: Type.Object({ token, language: PageLanguage }, { additionalProperties: true }),
    },
    responses: { ...pageResponse, ...noPageResponse },
    errors: [],
    async handle({ params, query, acceptLanguage }) {
      const language = query.language ?? preferredLanguage(acceptLanguage);
      const headers = approvalPageHeaders;
      if (query.token === undefined) {
        const text = approvalAccessPage(kindOfApproval(params.id), language, service);
        return { body: Buffer.from(text), headers };
      }
      const opened = await links.open(params.id, query.token);
      if (!opened) {
        const text = approvalNotFoundPage(language, service.prefix);
        return { status: 404, body: Buffer.from(text), headers };
      }
      const page = { token: query.token, language, service };
      const shown = presentApprovalPage(opened, toTimestamp(clock()));
      const text = approvalPage({ ...page, ...shown });
      return { body: Buffer.from(text), headers };
    },
  });

const noPicture = (): AppError =>
  new AppError('not_found', 'The link shows no such page of a letter.');

const viewPicture = (ports: ApprovalPagePorts): AnyOperation => {
  const { links, clock, currentLetter, openLetters, expectedRelease, preview } = ports;

  /** The letter that the link shows, as it would be printed. @throws AppError not_found */
  const letterOf = async ({ about }: OpenedLink, address: string) => {
    if (about.kind !== 'letter') throw noPicture();
    const { letterId } = about;
    const record = await currentLetter(letterId);
    const personal = record && (await openLetters([record])).get(letterId);
    if (!record || !personal) throw noPicture();
    const { terms } = record.doc;
    return { letterId, terms, personal, at: expectedRelease(record), by: { address } };
  };

  return operation({
    name: 'view_approval_picture',
    method: 'GET',
    path: '/approvals/{id}/pages/{page}.png',
    tag: 'Guards',
    summary: 'Show an approver a page of the letter that waits',
    description:
      'Opens with the token of the mail for as long as the approver can decide; otherwise the answer is 404.',
    access: 'public',
    linkIn: linkOfApprover(links),
    input: {
      params: Type.Object({ id: ApprovalId, page: PageNumber }),
      query: Type.Object({ token }, { additionalProperties: true }),
    },
    responses: {
      200: { description: 'The page', schema: Type.String(), produces: ['image/png'] },
    },
    errors: ['not_found', 'content_not_printable', 'overloaded', 'html_unavailable'],
    async handle({ params, query, address }) {
      const opened = await links.open(params.id, query.token ?? '');
      if (!opened || approvalStateOf(opened, toTimestamp(clock())) !== 'pending') throw noPicture();
      const letter = await letterOf(opened, address);
      const page = Number(params.page);
      if (page > letter.terms.pages) throw noPicture();
      const headers = { 'Cache-Control': 'no-store' };
      return { body: await preview(letter, page), headers };
    },
  });
};

export const approvalPageOperations = (ports: ApprovalPagePorts): AnyOperation[] => [
  viewApproval(ports),
  viewPicture(ports),
];
