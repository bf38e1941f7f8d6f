import type { Static } from 'typebox';
import { letterStatuses } from '../contract/letter-status.ts';
import { type AnyOperation, operation } from '../contract/operation.ts';
import { msAtOrAfter, toTimestamp } from '../ground/clock.ts';
import { Type } from '../ground/type.ts';
import type { Limits } from '../limits/table.ts';
import { countryCodes, serviceIds } from '../postal/types.ts';
import { Cursor, OneOf, Page, RowsPerPage, usualRows } from '../presenters/common.ts';
import { presentLetter } from '../presenters/letter.ts';
import { LetterDetail } from '../presenters/letter-schemas.ts';
import { pageByTime, timePlaceOf } from '../presenters/paging.ts';
import { type LetterRecord, listLetters, placeInList } from '../projections/letters/query.ts';
import { invalidQuery } from './invalid-query.ts';
import type { LetterReadPorts } from './letter-read-ports.ts';

const MadeBy = Type.String({
  pattern: '^(?:key_[0-9a-f]{32}|ucan:[a-z0-9]{10,128})$',
  description:
    'Only letters that this key or UCAN made: the id of a key, or `ucan:<cid>`. A key that replaces another has its own letters.',
});

const ListQuery = (limits: Limits) =>
  Type.Object(
    {
      status: Type.Optional(
        Type.Array(OneOf(letterStatuses), {
          maxItems: 8,
          description: 'Repeat it for several values.',
        }),
      ),
      delivery_outcome: Type.Optional(
        OneOf(
          ['delivered', 'returned'],
          'Only letters that were delivered, or that were returned.',
        ),
      ),
      reference: Type.Optional(Type.String({ minLength: 1, maxLength: limits.referenceChars })),
      tracking_number: Type.Optional(
        Type.String({
          pattern: '^[A-Za-z0-9]{1,40}$',
          description: 'The number of the carrier, without spaces.',
        }),
      ),
      made_by: Type.Optional(MadeBy),
      created_after: Type.Optional(
        Type.String({ format: 'date-time', description: 'This time or later.' }),
      ),
      created_before: Type.Optional(
        Type.String({ format: 'date-time', description: 'Before this time.' }),
      ),
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
          description: 'Only letters with this pair in their metadata.',
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
  time === undefined ? undefined : toTimestamp(msAtOrAfter(time));

/** @throws AppError validation_failed for a period that no time is in */
const createdIn = (after: string | undefined, before: string | undefined) => {
  const period = { createdAfter: utcOf(after), createdBefore: utcOf(before) };
  if (after === undefined || before === undefined || msAtOrAfter(after) <= msAtOrAfter(before)) {
    return period;
  }
  throw invalidQuery('created_after', 'created_after must not be later than created_before.');
};

/** Newest first, without deleted ones; a filter never finds erased letters. */
export const listLettersOperation = (ports: LetterReadPorts): AnyOperation =>
  operation({
    name: 'list_letters',
    method: 'GET',
    path: '/api/letters',
    tag: 'Letters',
    summary: 'List letters',
    description:
      'Newest first. Filter by metadata with `metadata[key]=value`. A returned letter keeps its status; `delivery_outcome=returned` lists the returned ones.',
    access: 'read',
    permit: { about: 'account' },
    payable: true,
    input: { query: ListQuery(ports.limits) },
    responses: { 200: { description: 'A page of letters', schema: Page(LetterDetail) } },
    errors: ['validation_failed', 'invalid_cursor'],
    async handle({ caller, query }) {
      const { status, country, service, reference, limit = usualRows(ports.limits) } = query;
      const metadata = metadataIn(query);
      const records = await listLetters(ports.db, {
        accountId: caller.accountId,
        status,
        country,
        service,
        deliveryOutcome: query.delivery_outcome,
        referenceHash: reference === undefined ? undefined : ports.indexOf('reference', reference),
        metadataHashes: metadata.map(([key, value]) =>
          ports.indexOf('metadata', `${key}\n${value}`),
        ),
        trackingNumber: query.tracking_number?.toUpperCase(),
        madeBy: query.made_by,
        ...createdIn(query.created_after, query.created_before),
        before: timePlaceOf(query.cursor),
        limit: limit + 1,
      });
      const personal = await ports.openLetters(records.slice(0, limit));
      const present = (record: LetterRecord) =>
        presentLetter(record, personal.get(record.letterId), { content: false });
      return { body: pageByTime(records, limit, placeInList, present) };
    },
  });
