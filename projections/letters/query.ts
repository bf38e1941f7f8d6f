import type { LetterStatus } from '../../contract/letter-status.ts';
import type { AnyEvent } from '../../events/envelope.ts';
import { allRows, type Db } from '../../ground/db.ts';
import { createConditions } from '../conditions.ts';
import { countSent, sentStatuses } from './counts.ts';
import type { LetterDoc } from './doc.ts';
import { newestFirst } from './intersect-lists.ts';
import { newestInStatuses } from './list.ts';
import { foldLetter } from './project.ts';
import { type LetterRecord, recordColumns, type StoredRow, toRecord } from './record.ts';
import { type DocColumns, docColumns, readDoc, stepRecordedAt } from './stored-doc.ts';
import { type LetterRow, listed, listedByGroup, onTheirWay } from './table.ts';

export { countLetters, type LetterCounts } from './counts.ts';
export { lettersByDay } from './days.ts';
export { type LetterDoc, postedAtOf } from './doc.ts';
export { countJourneys, type JourneyCount } from './journey-counts.ts';
export { type LetterFilter, listLetters, newestLetters, placeInList } from './list.ts';
export { type LetterRecord, toRecord } from './record.ts';
export type { LetterRow } from './table.ts';

/** The record as the events make it: what the read model will hold once it has caught up. */
export const recordFromEvents = (events: AnyEvent[]): LetterRecord | undefined => {
  let row: LetterRow | undefined;
  for (const event of events) row = foldLetter(row, event);
  return row && toRecord(row);
};

/**
 * Letters by id, of any owner. The array is a subquery so that its length does not change the plan. The plan is
 * then made once and not for each query; making it takes longer than executing it.
 */
export const lettersById = async (db: Db, ids: string[]): Promise<Map<string, LetterRecord>> => {
  const { rows } = await db.query<StoredRow>(
    `select ${recordColumns} from read_models.letters where letter_id = any((select $1::uuid[])::uuid[])`,
    [ids],
  );
  return new Map(rows.map((row) => [row.letter_id, toRecord(row)]));
};

/**
 * Queued letters whose time has come: live ones to the named countries, and test letters with `test`. The one of each
 * account that has waited longest comes first, then the second of each. A hint: whether one may go is
 * decided by its stream.
 * @param skipped epoch ms: letters whose time is after `fromMs`, and until `toMs`, wait
 */
export const dueLetters = async (
  db: Db,
  now: string,
  { countries, test }: { countries: readonly string[]; test: boolean },
  limit: number,
  skipped?: { fromMs: number; toMs: number },
): Promise<string[]> => {
  const { rows } = await db.query<{ letter_id: string }>(
    `select letter_id from (
       select letter_id, release_at,
         row_number() over (partition by account_id order by release_at, created_position) as turn
       from read_models.letters
       where status = 'queued' and release_at <= $1::timestamptz
         and ($5::timestamptz is null or release_at <= $5 or release_at > $6::timestamptz)
         and (country = any($2::text[]) or test)
         and ($4::boolean or not test)
     ) due
     order by turn, release_at limit $3`,
    [
      now,
      countries,
      limit,
      test,
      ...(skipped ? [new Date(skipped.fromMs), new Date(skipped.toMs)] : [null, null]),
    ],
  );
  return rows.map((row) => row.letter_id);
};

/** For each account: whether a letter of it that could go into production at `until` (RFC 3339) is queued. */
export const areAnyOverdue = async (
  db: Db,
  asked: readonly { accountId: string; until: string }[],
): Promise<boolean[]> => {
  const { rows } = await db.query<{ overdue: boolean }>(
    `select exists (select from read_models.letters l
       where l.account_id = asked.account_id and l.status = 'queued' and l.release_at <= asked.until) as overdue
     from unnest($1::text[], $2::timestamptz[]) with ordinality as asked (account_id, until, place)
     order by asked.place`,
    [asked.map(({ accountId }) => accountId), asked.map(({ until }) => until)],
  );
  return rows.map(({ overdue }) => overdue);
};

/**
 * Live letters that could go to the print house at `until` (RFC 3339) or before, or whose production started by then,
 * and whose posting is not reported; the oldest first. A hint, as rows may lag.
 */
export const lettersInProduction = async (db: Db, until: string): Promise<string[]> => {
  const { rows } = await db.query<{ letter_id: string }>(
    `select letter_id from read_models.letters
     where ${onTheirWay} and status in ('queued', 'processing')
       and (release_at <= $1::timestamptz or exists (
         select from json_array_elements(doc::json -> 'l') as step
         where step ->> 0 = 'processing' and ${stepRecordedAt('step')} <= $1::timestamptz))
       and deleted_at is null and not test
     order by created_position`,
    [until],
  );
  return rows.map((row) => row.letter_id);
};

/** A letter that its row says is over since `overAt`, as of this version of its stream. */
export type LetterOver = { letterId: string; version: bigint; overAt: Date; isDraft: boolean };
type OverRow = { letter_id: string; version: bigint; over_at: Date; status: LetterStatus };

const toLetterOver = (row: OverRow): LetterOver => ({
  letterId: row.letter_id,
  version: row.version,
  overAt: row.over_at,
  isDraft: row.status === 'draft',
});

/**
 * Letters that were over at `until` (RFC 3339) and are not erased, each with the version that says so; the longest over
 * first, behind the letter `after`. A hint, as rows may lag: it holds if the stream has that version still.
 */
export const lettersOver = async (
  db: Db,
  until: string,
  limit: number,
  after?: Pick<LetterOver, 'letterId' | 'overAt'>,
): Promise<LetterOver[]> => {
  const { rows } = await db.query<OverRow>(
    `select letter_id, version, over_at, status from read_models.letters
     where over_at <= $1::timestamptz
       and ($3::timestamptz is null or (over_at, letter_id) > ($3, $4::uuid))
     order by over_at, letter_id limit $2`,
    [until, limit, after?.overAt, after?.letterId],
  );
  return rows.map(toLetterOver);
};

/** Keys of the documents that letters name now, those of erased ones left out. */
export const documentsOf = async (db: Db, letterIds: string[]): Promise<Set<string>> => {
  const { rows } = await db.query<DocColumns & { doc: string }>(
    `select ${docColumns} from read_models.letters where letter_id = any($1::uuid[])`,
    [letterIds],
  );
  const docs = rows.map((row) => readDoc(row.doc, row));
  return new Set(docs.flatMap(({ erased, terms }) => (erased ? [] : (terms.blobs ?? []))));
};

/** The accounts of letters, by letter, for letters that the read model knows. */
export const accountsOf = async (db: Db, letterIds: string[]): Promise<Map<string, string>> => {
  const { rows } = await db.query<{ letter_id: string; account_id: string }>(
    'select letter_id, account_id from read_models.letters where letter_id = any($1::uuid[])',
    [letterIds],
  );
  return new Map(rows.map((row) => [row.letter_id, row.account_id]));
};

/** The first accounts with letters under a reference. Each account takes one look into the index. */
const referringAccounts = (reference: string, limit: string): string => `
  first_accounts as (
    (select account_id, 1 as number from read_models.letters
     where reference_hash = ${reference} order by account_id limit 1)
    union all
    select next.account_id, a.number + 1 from first_accounts a cross join lateral (
      select account_id from read_models.letters
      where reference_hash = ${reference} and account_id > a.account_id
      order by account_id limit 1) next
    where a.number < ${limit}
  )`;

/** The accounts with letters under a reference, by its keyed digest; at most 100. */
export const accountsByReference = async (db: Db, referenceHash: string): Promise<string[]> => {
  const { rows } = await db.query<{ account_id: string }>(
    `with recursive ${referringAccounts('$1', '100')} select account_id from first_accounts`,
    [referenceHash],
  );
  return rows.map((row) => row.account_id);
};

type UnchangedFilter = {
  statuses: string[];
  until: string;
  /** Only those that changed after it (RFC 3339). */
  since?: string;
  test: boolean;
  limit: number;
  accountId?: string;
  referenceHash?: string;
  /** Only those that came back. */
  returned?: boolean;
};

/** Letters in some states that have not changed since `until` (RFC 3339), the oldest first. */
export const lettersUnchanged = async (
  db: Db,
  filter: UnchangedFilter,
): Promise<LetterRecord[]> => {
  const { where, parameter, text, values } = createConditions();
  where((p) => `status = any(${p}::text[])`, filter.statuses);
  where((p) => `updated_at <= ${p}::timestamptz`, filter.until);
  where((p) => `updated_at > ${p}::timestamptz`, filter.since);
  where((p) => `test = ${p}`, filter.test);
  where((p) => `account_id = ${p}`, filter.accountId);
  where((p) => `reference_hash = ${p}`, filter.referenceHash);
  const returned = filter.returned ? "and delivery_outcome = 'returned'" : '';
  const { rows } = await db.query<StoredRow>(
    `select ${recordColumns} from read_models.letters where deleted_at is null ${returned} and ${text()}
     order by updated_at, created_position limit ${parameter(filter.limit)}`,
    values,
  );
  return rows.map(toRecord);
};

/**
 * Letters of any owner with a reference (by its keyed digest) or a tracking number, newest first. Of each account that
 * uses the reference, at most `limit` letters are read.
 */
export const lettersNamed = async (
  db: Db,
  { referenceHash, trackingNumber }: { referenceHash: string; trackingNumber: string },
  limit: number,
): Promise<LetterRecord[]> => {
  const { rows } = await db.query<StoredRow>(
    `with recursive ${referringAccounts('$1', '1000')},
     named as materialized (
       select letter_id, created_position from first_accounts a cross join lateral (
         select letter_id, created_position from read_models.letters
         where reference_hash = $1 and account_id = a.account_id
         ${newestFirst} limit $3) of_account
       union select letter_id, created_position from read_models.letters where tracking_number = $2
       order by created_position desc limit $3)
     select l.* from named cross join lateral (
       select ${recordColumns} from read_models.letters where letter_id = named.letter_id) l
     order by named.created_position desc`,
    [referenceHash, trackingNumber, limit],
  );
  return rows.map(toRecord);
};

/** Drafts last touched at `until` (RFC 3339) or before it, and after `since`. A hint, as `lettersOver`. */
export const draftsOver = async (
  db: Db,
  { since, until }: { since: string | undefined; until: string },
  limit: number,
  after?: Pick<LetterOver, 'letterId' | 'overAt'>,
): Promise<LetterOver[]> => {
  const { rows } = await db.query<OverRow>(
    `select letter_id, version, over_at, status from read_models.letters
     where over_at <= $1::timestamptz and over_at > coalesce($2::timestamptz, '-infinity')
       and ($4::timestamptz is null or (over_at, letter_id) > ($4, $5::uuid))
       and status = 'draft' order by over_at, letter_id limit $3`,
    [until, since, limit, after?.overAt, after?.letterId],
  );
  return rows.map(toLetterOver);
};

/** How many letters of live or of test accounts are in a status, without deleted ones. */
type LettersInStatus = { test: boolean; status: LetterStatus; letters: bigint };

/** Reads the totals that the projection keeps: a few rows, however many letters there are. */
export const lettersByStatus = (db: Db): Promise<LettersInStatus[]> =>
  allRows(db, 'select test, status, letters from read_models.letter_totals');

/** When the oldest letter was made that is in a status which it must leave. */
type OldestInStatus = { test: boolean; status: LetterStatus; oldest: Date };

/** Reads an index of the letters that may still be printed, no others. */
export const oldestLetters = (db: Db): Promise<OldestInStatus[]> =>
  allRows(
    db,
    `select test, status, min(created_at) as oldest from read_models.letters
     where ${onTheirWay} and status in ('queued', 'processing') group by status, test`,
  );

/** Letters that came back, of live and of test accounts: counted in an index of their own. */
export const returnedLetters = (db: Db): Promise<{ test: boolean; count: bigint }[]> =>
  allRows(
    db,
    `select coalesce(a.test, false) as test, sum(l.count)::bigint as count
     from (select account_id, count(*) from read_models.letters
           where delivery_outcome = 'returned' group by account_id) l
     left join read_models.accounts a using (account_id) group by 1`,
  );

/** `oldest`: when the letter that waits longest began to wait in this stage. */
type PrintBacklog = {
  test: boolean;
  stage: 'due' | 'waiting_for_partner';
  count: bigint;
  oldest: Date;
};

/** Letters whose time has come, and those in production that the print house does not have yet. */
export const printBacklog = (db: Db, now: string): Promise<PrintBacklog[]> =>
  allRows(
    db,
    `select test, stage, count(*) as count, min(since) as oldest
     from (select test, 'due' as stage, release_at as since from read_models.letters
           where status = 'queued' and release_at <= $1::timestamptz
           union all
           select test, 'waiting_for_partner', hand_over_at from read_models.letters
           where status = 'processing' and ${onTheirWay}
             and hand_over = 'waiting_for_partner') l
     group by test, stage`,
    [now],
  );

type InProduction = {
  test: boolean;
  state: 'waiting_for_partner' | 'with_partner' | 'unknown';
  age: string;
  letters: number;
  oldest: Date;
};

/** Letters in production by what their print partner has of them and since when. */
export const productionByAge = (db: Db, now: string): Promise<InProduction[]> =>
  allRows(
    db,
    `select test, state, age, count(*)::int as letters, min(since) as oldest
     from (select test, state, since,
             case when since > $1::timestamptz - interval '1 hour' then 'under 1 hour'
                  when since > $1::timestamptz - interval '1 day' then 'under 1 day'
                  when since > $1::timestamptz - interval '2 days' then 'under 2 days'
                  else '2 days and more' end as age
           from (select test, coalesce(hand_over, 'unknown') as state,
                   coalesce(hand_over_at, created_at) as since
                 from read_models.letters where status = 'processing' and ${onTheirWay}) p) l
     group by test, state, age order by min(since)`,
    [now],
  );

/** Letters in production, the ones that were made first at the top. */
export const oldestInProduction = async (db: Db, limit: number): Promise<LetterRecord[]> => {
  const { rows } = await db.query<StoredRow>(
    `select ${recordColumns} from read_models.letters where status = 'processing' and ${onTheirWay}
     order by created_at, created_position limit $1`,
    [limit],
  );
  return rows.map(toRecord);
};

/** Letters that came back, of any owner; the ones that were made last at the top. */
export const newestReturned = async (db: Db, limit: number): Promise<LetterRecord[]> => {
  const { rows } = await db.query<StoredRow>(
    `select ${recordColumns} from read_models.letters where letter_id in (
       select letter_id from read_models.letters where delivery_outcome = 'returned'
       order by created_position desc limit $1)
     order by created_position desc`,
    [limit],
  );
  return rows.map(toRecord);
};

/** Letters that were sent and neither cancelled nor failed: how many, and the newest of them. */
export const sentLetters = async (
  db: Db,
  accountId: string,
  newest: number,
): Promise<{ count: number; latest: LetterDoc[] }> => {
  const [count, latest] = await Promise.all([
    countSent(db, accountId),
    newestInStatuses(db, { accountId, status: sentStatuses, limit: newest }),
  ]);
  return { count, latest };
};

const printedStatuses: LetterStatus[] = ['processing', 'posted', 'in_transit', 'delivered'];

/**
 * The number of letters of an account that were made since then (RFC 3339) and went into production. Such letters are
 * never deleted, so the index of groups has all of them.
 */
export const printedLettersSince = async (
  db: Db,
  accountId: string,
  since: string,
): Promise<number> => {
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::int as count from read_models.letters
     where account_id = $1 and ${listedByGroup} and created_at >= $2::timestamptz and status = any($3)`,
    [accountId, since, printedStatuses],
  );
  return rows[0]?.count ?? 0;
};

/**
 * Letters of an account in the order of their time, behind a place of this list, without deleted ones. The first place is
 * the empty text.
 */
export const lettersOfAccount = async (
  db: Db,
  accountId: string,
  after: string,
  limit: number,
): Promise<{ letterId: string; place: string }[]> => {
  const [at = '-infinity', position = '0'] = after === '' ? [] : after.split(' ');
  const { rows } = await db.query<{
    letter_id: string;
    created_at: Date;
    created_position: bigint;
  }>(
    `select letter_id, created_at, created_position from read_models.letters
     where account_id = $1 and ${listed} and (created_at, created_position) > ($2::timestamptz, $3::bigint)
     order by created_at, created_position limit $4`,
    [accountId, at, position, limit],
  );
  return rows.map((row) => ({
    letterId: row.letter_id,
    place: `${row.created_at.toISOString()} ${row.created_position}`,
  }));
};
