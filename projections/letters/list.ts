/**
 * Lists of letters, newest first: by time, and by log position within the same millisecond. A list reads
 * about as many rows as it returns, however many letters the account has:
 *
 * - Without a filter it reads the index of the account in its order.
 * - A filter by status, country, service or outcome finds the groups of letters that fit it, of which an account
 *   has few, and reads the newest letters of each group.
 * - A reference or a metadata pair is read by its own index.
 * - A tracking number is read by its own index; other filters then look at the few letters that have it.
 * - The letters of a key or a UCAN are read by their own index.
 * - Several of these are intersected by walking along their indexes at once (`intersect-lists.ts`).
 */
import type { TimePlace } from '../../ground/cursor.ts';
import type { Db } from '../../ground/db.ts';
import { createConditions } from '../conditions.ts';
import { makerKeyOf } from '../makers/table.ts';
import type { LetterDoc } from './doc.ts';
import {
  intersection,
  listedLetter,
  makerHead,
  metadataHead,
  newestFirst,
  referenceHead,
} from './intersect-lists.ts';
import { type LetterRecord, recordColumns, type StoredRow, toRecord } from './record.ts';
import { type DocColumns, docColumns, readDoc } from './stored-doc.ts';
import { groupColumns, listed, listedByGroup } from './table.ts';

export type LetterFilter = {
  accountId: string;
  status?: string[];
  country?: string;
  service?: string;
  deliveryOutcome?: string;
  referenceHash?: string;
  metadataHashes?: string[];
  /** The key (id) or UCAN (`ucan:<cid>`) that made the letter. */
  madeBy?: string | undefined;
  trackingNumber?: string | undefined;
  /** At this time or after it. */
  createdAfter?: string;
  /** Before this time. */
  createdBefore?: string;
  /** Rows after this place of the list. */
  before?: TimePlace;
  limit: number;
};

/** Where a letter stands in lists. */
export const placeInList = ({ doc, createdPosition }: LetterRecord): TimePlace => ({
  createdAt: doc.createdAt,
  position: createdPosition,
});

type Known = { createdAt: string; position: bigint };

/**
 * Completes the place of a cursor of an earlier version. The first event of each letter is a notification of its account
 * and has the time of the letter; notifications have an index by position.
 */
const completed = async (
  db: Db,
  { accountId, before }: Pick<LetterFilter, 'accountId' | 'before'>,
): Promise<Known | undefined> => {
  if (before === undefined) return undefined;
  const { createdAt, position } = before;
  if (createdAt !== undefined) return { createdAt, position };
  const { rows } = await db.query<{ created_at: Date }>(
    `select created_at from read_models.notifications
     where account_id = $1 and not hidden and position <= $2 order by position desc limit 1`,
    [accountId, position],
  );
  return { createdAt: rows[0]?.created_at.toISOString() ?? '-infinity', position };
};

/** Below every position. */
const noPosition = -1n;

/** Where a list begins: the place of the cursor, or the latest time that is asked for. */
const beginningOf = (before: Known | undefined, createdBefore: string | undefined): Known => {
  const latest = createdBefore && { createdAt: createdBefore, position: noPosition };
  if (!before) return latest || { createdAt: 'infinity', position: noPosition };
  return latest && Date.parse(latest.createdAt) <= Date.parse(before.createdAt) ? latest : before;
};

type Conditions = ReturnType<typeof createConditions>;

/** The part of an account's list that is asked for, whatever the filter. */
const rangeOf = (
  { parameter }: Conditions,
  { createdAt, position }: Known,
  createdAfter: string | undefined,
): string =>
  `(created_at, created_position) < (${parameter(createdAt)}::timestamptz, ${parameter(position)}::bigint)
   and created_at >= ${parameter(createdAfter ?? '-infinity')}::timestamptz`;

/** The groups that an account has letters in, found by one look into the index for each, and those that fit. */
const groupsOf = (account: string, fits: readonly string[]): string => `
  groups as (
    (select status, country, service, coalesce(delivery_outcome, '') as outcome
     from read_models.letters where account_id = ${account} and ${listedByGroup}
     order by ${groupColumns} limit 1)
    union all
    select next.* from groups g cross join lateral (
      select status, country, service, coalesce(delivery_outcome, '') as outcome
      from read_models.letters where account_id = ${account} and ${listedByGroup}
        and (${groupColumns}) > (g.status, g.country, g.service, g.outcome)
      order by ${groupColumns} limit 1) next
  ),
  fitting as materialized (select * from groups where ${fits.join(' and ')})`;

/** The newest letters of each group that fits, and of these the newest. */
const byGroup = (
  parts: { account: string; range: string; limit: string },
  fits: readonly string[],
  columns = recordColumns,
): string => `with recursive ${groupsOf(parts.account, fits)}
  select l.* from (
    select found.* from fitting g cross join lateral (
      select letter_id, created_at, created_position from read_models.letters
      where account_id = ${parts.account} and ${listedByGroup} and ${parts.range}
        and (${groupColumns}) = (g.status, g.country, g.service, g.outcome)
      ${newestFirst} limit ${parts.limit}) found
    ${newestFirst} limit ${parts.limit}) page
  cross join lateral (
    select ${columns} from read_models.letters where letter_id = page.letter_id) l
  order by page.created_at desc, page.created_position desc`;

/** Letters that have the metadata, in the order of the list; each is then looked up by its key. */
const byMetadata = (
  parts: { account: string; range: string; limit: string },
  digest: string,
): string => `
  select l.* from (
    select letter_id, created_at, created_position from read_models.letter_metadata
    where account_id = ${parts.account} and digest = ${digest} and ${parts.range}
    ${newestFirst} limit ${parts.limit}) m
  cross join lateral (${listedLetter('m.letter_id')}) l
  order by m.created_at desc, m.created_position desc`;

/** Letters with a tracking number: a number is of one letter, or of a few. */
const byTrackingNumber = (
  parts: { account: string; range: string; limit: string; number: string },
  conditions: readonly string[],
): string => `
  with named as materialized (
    select letter_id as id from read_models.letters where tracking_number = ${parts.number})
  select ${recordColumns} from named cross join lateral (
    select *, coalesce(delivery_outcome, '') as outcome from read_models.letters l
    where l.letter_id = named.id and ${listed} and account_id = ${parts.account}
  ) found where ${[parts.range, ...conditions].join(' and ')} ${newestFirst} limit ${parts.limit}`;

/** Whether a credential made the letter `found`. */
const madeByOne = (maker: string): string =>
  `exists (select from read_models.letter_makers m
     where (m.maker, m.created_at, m.created_position)
       = (${maker}, found.created_at, found.created_position))`;

/** The query of a list, and its parameters. */
const listQuery = (filter: LetterFilter, beginning: Known): { text: string; values: unknown[] } => {
  const conditions = createConditions();
  const { where, parameter, texts, values } = conditions;
  const account = parameter(filter.accountId);
  const limit = parameter(filter.limit);
  where((p) => `status = any(${p}::text[])`, filter.status);
  where((p) => `country = ${p}`, filter.country);
  where((p) => `service = ${p}`, filter.service);
  where((p) => `outcome = ${p}`, filter.deliveryOutcome);
  const fits = texts();
  const digests = (filter.metadataHashes ?? []).map(parameter);
  const reference = filter.referenceHash === undefined ? [] : [parameter(filter.referenceHash)];
  const makers =
    filter.madeBy === undefined ? [] : [parameter(makerKeyOf(filter.accountId, filter.madeBy))];
  if (filter.trackingNumber !== undefined) {
    const range = rangeOf(conditions, beginning, filter.createdAfter);
    const parts = { account, range, limit, number: parameter(filter.trackingNumber) };
    const wanted = [
      ...fits,
      ...makers.map((maker) => madeByOne(maker)),
      ...digests.map((digest) => `${digest}::text = any(string_to_array(metadata_hashes, ' '))`),
      ...reference.map((one) => `reference_hash = ${one}`),
    ];
    return { text: byTrackingNumber(parts, wanted), values };
  }
  const heads = [
    ...digests.map((digest) => metadataHead(account, digest)),
    ...reference.map((one) => referenceHead(account, one)),
    ...makers.map((maker) => makerHead(maker)),
  ];
  const grouped = fits.length > 0;
  if (heads.length > 1 || (heads.length === 1 && (grouped || makers.length > 0))) {
    const expressions = groupsOf(account, fits);
    const groups = grouped ? { account, expressions, fits: fits.join(' and ') } : undefined;
    const at = parameter(beginning.createdAt);
    const position = parameter(beginning.position);
    const after = parameter(filter.createdAfter ?? '-infinity');
    return { text: intersection({ account, heads, groups, at, position, after, limit }), values };
  }
  const parts = { account, range: rangeOf(conditions, beginning, filter.createdAfter), limit };
  const [digest] = digests;
  if (digest !== undefined) return { text: byMetadata(parts, digest), values };
  if (grouped) return { text: byGroup(parts, fits), values };
  const named = reference.map((one) => `reference_hash = ${one}`);
  const all = [listed, `account_id = ${account}`, parts.range, ...named].join(' and ');
  const text = `select ${recordColumns} from read_models.letters where ${all}
    ${newestFirst} limit ${limit}`;
  return { text, values };
};

/** Newest first, without those that their owner deleted. */
export const listLetters = async (db: Db, filter: LetterFilter): Promise<LetterRecord[]> => {
  const beginning = beginningOf(await completed(db, filter), filter.createdBefore);
  const { text, values } = listQuery(filter, beginning);
  const { rows } = await db.query<StoredRow>(text, values);
  return rows.map(toRecord);
};

/** The facts of the newest letters in some statuses, without their personal parts. */
export const newestInStatuses = async (
  db: Db,
  { accountId, status, limit }: Required<Pick<LetterFilter, 'accountId' | 'status' | 'limit'>>,
): Promise<LetterDoc[]> => {
  const conditions = createConditions();
  const { where, parameter, texts, values } = conditions;
  where((p) => `status = any(${p}::text[])`, status);
  const fits = texts();
  const range = rangeOf(conditions, beginningOf(undefined, undefined), undefined);
  const parts = { account: parameter(accountId), range, limit: parameter(limit) };
  const { rows } = await db.query<DocColumns & { doc: string }>(
    byGroup(parts, fits, docColumns),
    values,
  );
  return rows.map((row) => readDoc(row.doc, row));
};

/** The newest letters after a place of the list, of any owner or of one account; without deleted ones. */
export const newestLetters = async (
  db: Db,
  filter: { accountId?: string; test: boolean; before?: TimePlace; limit: number },
): Promise<LetterRecord[]> => {
  const { where, parameter, text, values } = createConditions();
  const { before } = filter;
  where((p) => `account_id = ${p}`, filter.accountId);
  where(
    (p) => `(created_at, created_position) < (${p}::timestamptz, ${parameter(before?.position)})`,
    before?.createdAt,
  );
  where((p) => `test = ${p}`, filter.test);
  const { rows } = await db.query<StoredRow>(
    `select ${recordColumns} from read_models.letters where ${listed} and ${text()}
     ${newestFirst} limit ${parameter(filter.limit)}`,
    values,
  );
  return rows.map(toRecord);
};
