import type { AuditLinks } from '../commands/letters/audit-links.ts';
import { AppError } from '../contract/errors.ts';
import { type AnyOperation, type Caller, operation } from '../contract/operation.ts';
import { letterNotFound } from '../contract/refusals.ts';
import { Type } from '../ground/type.ts';
import {
  AuditLinks as AuditLinkList,
  NewAuditLink,
  presentAuditLinks,
  presentNewAuditLink,
  RevokedAuditLink,
} from '../presenters/audit-links.ts';
import { LetterId } from '../presenters/common.ts';
import type { ReadLetter } from './letters/own-letter.ts';

type AuditLinkPorts = {
  links: AuditLinks;
  readLetter: ReadLetter;
  baseUrl: string;
};

const day = 86_400;
const path = '/api/identity/audit/{letter_id}/link';
const Params = Type.Object({ letter_id: LetterId });
const permit = { about: 'letter-in-path', honours: ['letter_id'] } as const;
const tag = 'Audit';

/** @throws AppError letter_not_found, letter_deleted */
const ownLetter = async (
  readLetter: ReadLetter,
  letterId: string,
  { accountId }: Caller,
): Promise<{ accountId: string; letterId: string; erased: boolean }> => {
  const found = await readLetter(letterId);
  if (found?.record.accountId !== accountId) {
    throw letterNotFound();
  }
  return { accountId, letterId, erased: found.record.doc.erased === true };
};

const createAuditLink = ({ links, readLetter, baseUrl }: AuditLinkPorts) =>
  operation({
    name: 'create_audit_link',
    method: 'POST',
    path,
    tag,
    summary: 'Make a link that shows the history to others',
    description:
      'Everyone who has the link can see the audit page of the letter. The page shows states, times and hashes, but neither names nor addresses. The link ends when it expires, when it is revoked, when the letter is deleted, and with the key or UCAN that made it.',
    access: 'send',
    permit,
    idempotent: true,
    answersSecret: true,
    input: {
      params: Params,
      body: Type.NamedExact('CreateAuditLink', {
        expires_in: Type.Optional(
          Type.Integer({
            minimum: 60,
            maximum: 365 * day,
            default: 30 * day,
            description: 'In seconds. The link never outlives the credential that makes it.',
          }),
        ),
      }),
    },
    responses: { 201: { description: 'The link', schema: NewAuditLink } },
    errors: ['letter_not_found', 'letter_deleted', 'audit_link_limit_reached', 'conflict'],
    async handle({ params, body, caller, command }) {
      const { erased, ...letter } = await ownLetter(readLetter, params.letter_id, caller);
      if (erased) {
        throw new AppError(
          'letter_deleted',
          'The letter was erased, so no link shows its history. GET /api/identity/audit/{letter_id} still does, with a key.',
        );
      }
      const lifetimeSeconds = body.expires_in ?? 30 * day;
      const wanted = { ...letter, lifetimeSeconds, requestHash: command.requestHash };
      const made = await links.create(wanted, caller, command);
      const url = `${baseUrl}/audit/${letter.letterId}?token=${made.token}`;
      const { position, replayed, createdAt: answeredAt } = made;
      return { body: presentNewAuditLink(url, made), position, replayed, answeredAt };
    },
  });

const listAuditLinks = ({ links, readLetter }: AuditLinkPorts) =>
  operation({
    name: 'list_audit_links',
    method: 'GET',
    path,
    tag,
    summary: 'List the links that show the history of a letter',
    description: 'Each link shows the id to revoke it by and the time when it expires.',
    access: 'read',
    permit,
    input: { params: Params },
    responses: {
      200: {
        description: 'Active links, newest first, without their addresses',
        schema: AuditLinkList,
      },
    },
    errors: ['letter_not_found'],
    async handle({ params, caller }) {
      const { letterId, erased } = await ownLetter(readLetter, params.letter_id, caller);
      return { body: presentAuditLinks(erased ? [] : await links.list(letterId)) };
    },
  });

const revokeAuditLink = ({ links, readLetter }: AuditLinkPorts) =>
  operation({
    name: 'revoke_audit_link',
    method: 'DELETE',
    path: `${path}/{id}`,
    tag,
    summary: 'Revoke a link for good',
    description:
      'The link no longer opens the audit page and its bundle; both answer 404. Other links of the letter stay valid.',
    access: 'send',
    permit,
    input: {
      params: Type.Object({
        letter_id: LetterId,
        id: Type.String({ pattern: '^[A-Za-z0-9_-]{12}$' }),
      }),
    },
    responses: { 200: { description: 'The link is revoked', schema: RevokedAuditLink } },
    errors: ['letter_not_found', 'audit_link_not_found', 'conflict'],
    async handle({ params, caller, command }) {
      const { letter_id: letterId, id: linkId } = params;
      const { erased: _, ...letter } = await ownLetter(readLetter, letterId, caller);
      const { revokedAt, position } = await links.revoke({ ...letter, linkId }, command);
      return { body: { id: linkId, revoked: true as const, revoked_at: revokedAt }, position };
    },
  });

export const auditLinkOperations = (ports: AuditLinkPorts) =>
  [createAuditLink(ports), listAuditLinks(ports), revokeAuditLink(ports)] satisfies AnyOperation[];
