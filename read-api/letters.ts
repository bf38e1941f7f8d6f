import Type, { type Static } from 'typebox';
import { toTimestamp } from '../contract/clock.ts';
import { AppError } from '../contract/errors.ts';
import { letterStatuses } from '../contract/letter-status.ts';
import type { Limits } from '../contract/limits.ts';
import { type AnyOperation, type Caller, operation } from '../contract/operation.ts';
import { assertPermitted } from '../identity/ucan/permits.ts';
import { countryCodes, serviceIds } from '../postal/types.ts';
import { presentCertificate } from '../presenters/certificate.ts';
import {
  Cursor,
  LetterId,
  OneOf,
  Page,
  PageNumber,
  RowsPerPage,
  Timestamp,
  usualRows,
} from '../presenters/common.ts';
import { presentLetter, presentTracked } from '../presenters/letter.ts';
import { LetterDetail, TrackedLetter } from '../presenters/letter-schemas.ts';
import { Proof, presentProof } from '../presenters/proof.ts';
import { type LetterRecord, listLetters } from '../projections/letters/query.ts';
import { pageOf, placeOf, type ReadContext } from './context.ts';

const ListQuery = (limits: Limits) =>
  Type.Object(
    {
      status: Type.Optional(
        Type.Array(OneOf(letterStatuses), { maxItems: 8, description: 'Repeat it for several.' }),
      ),
      reference: Type.Optional(Type.String({ minLength: 1, maxLength: limits.referenceChars })),
      created_after: Type.Optional(Timestamp),
      created_before: Type.Optional(Timestamp),
      country: Type.Optional(OneOf(countryCodes)),
      service: Type.Optional(OneOf(serviceIds)),
      limit: Type.Optional(RowsPerPage(limits)),
      cursor: Type.Optional(Cursor),
    },
    {
      additionalProperties: false,
      patternProperties: {
        [`^metadata\\[[A-Za-z0-9_.:-]{1,${limits.metadataKeyChars}}\\]$`]: {
          type: 'string',
          maxLength: limits.metadataValueChars,
          description: 'Letters with this pair in their metadata.',
        },
      },
    },
  );

const metadataIn = (query: Static<ReturnType<typeof ListQuery>>): [string, string][] =>
  Object.entries(query as Record<string, unknown>)
    .filter(([name]) => name.startsWith('metadata['))
    .map(([name, value]) => [name.slice('metadata['.length, -1), String(value)]);

/** In UTC: the database does not know every offset that RFC 3339 allows. */
const utcOf = (time: string | undefined): string | undefined =>
  time === undefined ? undefined : toTimestamp(Date.parse(time));

/** Newest first; a filter finds what it names and nothing that was erased. */
type LetterReadContext = Omit<
  ReadContext,
  'openQuoted' | 'openForAccount' | 'lastUsed' | 'channelsOf'
>;

const listOperation = (context: LetterReadContext): AnyOperation =>
  operation({
    name: 'list_letters',
    method: 'GET',
    path: '/api/letters',
    tag: 'Letters',
    summary: 'List letters',
    description: 'Newest first. Filter by metadata with `metadata[key]=value`.',
    access: 'read',
    payable: true,
    input: { query: ListQuery(context.limits) },
    responses: { 200: { description: 'A page of letters', schema: Page(LetterDetail) } },
    errors: ['invalid_cursor'],
    async handle({ caller, query }) {
      const { status, country, service, reference, limit = usualRows(context.limits) } = query;
      const metadata = metadataIn(query);
      const records = await listLetters(context.db, {
        accountId: caller.accountId,
        status,
        country,
        service,
        referenceHash:
          reference === undefined ? undefined : context.indexOf('reference', reference),
        metadataHashes: metadata.map(([key, value]) =>
          context.indexOf('metadata', `${key}\n${value}`),
        ),
        createdAfter: utcOf(query.created_after),
        createdBefore: utcOf(query.created_before),
        before: placeOf(query.cursor),
        limit: limit + 1,
      });
      const personal = await context.openLetters(records.slice(0, limit));
      const present = (record: LetterRecord) =>
        presentLetter(record, personal.get(record.letterId), { content: false });
      return { body: pageOf(records, limit, (record) => record.createdPosition, present) };
    },
  });

export const letterReadOperations = (context: LetterReadContext): AnyOperation[] => {
  /** @throws AppError letter_not_found, also for another account's letter */
  const own = async (letterId: string, caller: Caller): Promise<LetterRecord> => {
    const record = await context.letterById(letterId);
    if (!record || record.accountId !== caller.accountId) {
      throw new AppError('letter_not_found', 'There is no letter with this id in your account.');
    }
    assertPermitted(caller, { ...record.doc.terms, letterId });
    return record;
  };

  const personalOf = async (record: LetterRecord) =>
    (await context.openLetters([record])).get(record.letterId);

  const getLetter = operation({
    name: 'get_letter',
    method: 'GET',
    path: '/api/letters/{id}',
    tag: 'Letters',
    summary: 'Read a letter',
    access: 'read',
    payable: true,
    input: { params: Type.Object({ id: LetterId }) },
    responses: { 200: { description: 'The letter', schema: LetterDetail } },
    errors: ['letter_not_found'],
    async handle({ params, caller }) {
      const record = await own(params.id, caller);
      const personal = await context.openWhole(record);
      return { body: presentLetter(record, personal, { content: true }), version: record.version };
    },
  });

  const trackLetter = operation({
    name: 'track_letter',
    method: 'GET',
    path: '/api/track/{letter_id}',
    tag: 'Tracking and proof',
    summary: 'Track a letter',
    access: 'read',
    payable: true,
    input: { params: Type.Object({ letter_id: LetterId }) },
    responses: { 200: { description: 'Where it is', schema: TrackedLetter } },
    errors: ['letter_not_found'],
    async handle({ params, caller }) {
      const record = await own(params.letter_id, caller);
      return { body: presentTracked(record), version: record.version };
    },
  });

  const getProof = operation({
    name: 'get_proof',
    method: 'GET',
    path: '/api/proof/{letter_id}',
    tag: 'Tracking and proof',
    summary: 'Proof of sending and delivery',
    description: 'With `Accept: application/pdf` a certificate that prints the same facts.',
    access: 'read',
    payable: true,
    input: { params: Type.Object({ letter_id: LetterId }) },
    responses: {
      200: {
        description: 'What is proved',
        schema: Proof,
        produces: ['application/json', 'application/pdf'],
      },
    },
    errors: ['letter_not_found', 'audit_too_long'],
    async handle({ params, caller, accept }) {
      const record = await own(params.letter_id, caller);
      const { version } = record;
      const personal = await personalOf(record);
      const proof = presentProof(record, personal, await context.attest(record.letterId));
      if (accept !== 'application/pdf') return { body: proof, version };
      const certificate = presentCertificate(proof, record, personal, context.baseUrl);
      const headers = {
        'Content-Disposition': `inline; filename="proof-${record.letterId}.pdf"`,
      };
      return { body: await context.renderCertificate(certificate), headers, version };
    },
  });

  const previewLetter = operation({
    name: 'preview_letter',
    method: 'GET',
    path: '/api/letters/{id}/preview/{page}.png',
    tag: 'Letters',
    summary: 'See a page as it is printed',
    description:
      'The page with the address window in blue, no-print zones in red, the edges in yellow and folds dashed.',
    access: 'read',
    input: { params: Type.Object({ id: LetterId, page: PageNumber }) },
    responses: {
      200: { description: 'The page', schema: Type.String(), produces: ['image/png'] },
    },
    errors: ['letter_not_found', 'not_found', 'content_not_printable', 'overloaded'],
    async handle({ params, caller }) {
      const { letterId, doc, ...record } = await own(params.id, caller);
      const page = Number(params.page);
      const personal = await personalOf({ letterId, doc, ...record });
      if (!personal || page > doc.terms.pages) {
        const detail = personal
          ? `The letter has ${doc.terms.pages} pages; there is no page ${page}.`
          : 'The letter was deleted; there is nothing to show.';
        throw new AppError('not_found', detail);
      }
      const at = toTimestamp(context.clock());
      const letter = { letterId, terms: doc.terms, personal, at };
      return { body: await context.preview(letter, page), version: record.version };
    },
  });

  return [listOperation(context), getLetter, previewLetter, trackLetter, getProof];
};
