/** Data of an account in the database, for its erasure. Rows lag behind the log: ask again until nothing is left. */
import { allRows, type Db } from '../../ground/db.ts';
import { createConditions, leastId } from '../../projections/conditions.ts';
import { linesOfWallet, receiptsOfWallet } from '../../projections/ledger/query.ts';
import { forgetEndpoints } from '../webhooks/forget-endpoints.ts';

/** Each half has an index of its own. A query without either condition would read the letters of all accounts. */
const halves = ['deleted_at is null', 'deleted_at is not null'];

/** Letters whose data key is still there. */
export const lettersLeft = async (db: Db, accountId: string, limit: number): Promise<string[]> => {
  const left = halves.map(
    (half) => `
      select letter_id from read_models.letters l
      where account_id = $1 and ${half} and exists (select from keys.data_keys k
        where k.subject = 'letter-' || l.letter_id and k.wrapped is not null)`,
  );
  const { rows } = await db.query<{ letter_id: string }>(
    `select letter_id from (${left.join(' union all ')}) own limit $2`,
    [accountId, limit],
  );
  return rows.map((row) => row.letter_id);
};

/** Streams of an account that read models know: an id, and the prefix of its name. */
const namedBy = [
  { before: 'order-', id: 'topup_id', from: 'top_ups' },
  { before: 'payment-', id: 'payment_id', from: 'payments' },
  { before: 'topup-', id: 'topup_id', from: 'top_ups' },
  { before: 'ucan-', id: 'cid', from: 'ucans' },
];

/** The same, of an export. Accepted offers have no data keys. */
const exported = [{ before: 'commitment-', id: 'commitment_id', from: 'commitments' }, ...namedBy];

/** Streams that are about the account, without its own, its wallet and its letters. */
const otherStreams = [
  ...namedBy.map(
    ({ before, id, from }) =>
      `select '${before}' || ${id} as stream from read_models.${from} where account_id = $1`,
  ),
  "select 'volume-contract-' || $1",
].join(' union all ');

/** The first id that may follow, in a place of the list of all names; undefined: it is behind them all. */
const idBehind = (before: string, after: string): string | undefined => {
  if (after.startsWith(before)) return after.slice(before.length);
  return after < before ? leastId : undefined;
};

/** Names of these streams and of the stream of the account's logos, in order, after a given name. */
export const streamsBehind = async (
  db: Db,
  accountId: string,
  after: string,
  limit: number,
): Promise<string[]> => {
  const { parameter, values } = createConditions();
  const [account, most] = [parameter(accountId), parameter(limit)];
  const pages = exported.flatMap(({ before, id, from }) => {
    const behind = idBehind(before, after);
    if (behind === undefined) return [];
    return `(select '${before}' || ${id} as stream from read_models.${from}
      where account_id = ${account} and ${id} > ${parameter(behind)} order by ${id} limit ${most})`;
  });
  const single = `values ('logos-' || ${account}), ('volume-contract-' || ${account})`;
  const { rows } = await db.query<{ stream: string }>(
    `select stream from (${[...pages, single].join(' union all ')}) own (stream)
     where stream collate "C" > ${parameter(after)} order by stream collate "C" limit ${most}`,
    values,
  );
  return rows.map(({ stream }) => stream);
};

/** Other subjects of the account whose data keys are still there, without its own. */
export const subjectsLeft = async (db: Db, accountId: string, limit: number): Promise<string[]> => {
  const { rows } = await db.query<{ subject: string }>(
    `select k.subject from (${otherStreams}) own join keys.data_keys k on k.subject = own.stream
     where k.wrapped is not null limit $2`,
    [accountId, limit],
  );
  return rows.map(({ subject }) => subject);
};

export const isKeyThere = async (db: Db, subject: string): Promise<boolean> => {
  const { rows } = await db.query(
    'select 1 from keys.data_keys where subject = $1 and wrapped is not null',
    [subject],
  );
  return rows.length > 0;
};

/** Removes rows that no event makes, and that name the account. */
export const removeRows = async (db: Db, accountId: string): Promise<void> => {
  await db.query('delete from console.sessions where account_id = $1', [accountId]);
  await db.query('delete from console.passkeys where account_id = $1', [accountId]);
  await db.query('delete from console.begun_passkeys where account_id = $1', [accountId]);
  await db.query('delete from console.requests where account_id = $1', [accountId]);
  await db.query('delete from console.links where account_id = $1', [accountId]);
  await db.query('delete from console.operator_looks where account_id = $1', [accountId]);
  await db.query('delete from limits.registrations where account_id = $1', [accountId]);
  await db.query(
    `delete from usage.api_keys where key_id in
       (select key_id from read_models.api_keys where account_id = $1)`,
    [accountId],
  );
  await forgetEndpoints(db, accountId);
};

/** How much was erased, once nothing is left. */
export const countsOf = async (
  db: Db,
  accountId: string,
): Promise<{ letters: number; ucans: number; payments: number }> => {
  const letters = halves.map(
    (half) => `(select count(*) from read_models.letters where account_id = $1 and ${half})`,
  );
  const { rows } = await db.query<{ letters: number; ucans: number; payments: number }>(
    `select
       (${letters.join(' + ')})::int as letters,
       (select count(*) from read_models.ucans where account_id = $1)::int as ucans,
       (select count(*) from read_models.payments where account_id = $1)::int
         + (select count(*) from read_models.top_ups where account_id = $1)::int as payments`,
    [accountId],
  );
  return rows[0] ?? { letters: 0, ucans: 0, payments: 0 };
};

/** The years in which money of the account moved, in UTC. */
export const yearsOfBooks = async (db: Db, accountId: string): Promise<number[]> => {
  const { rows } = await db.query<{ year: number }>(
    `select distinct extract(year from created_at at time zone 'UTC')::int as year
     from read_models.ledger_entries where ${linesOfWallet('$1')}
     order by year`,
    [accountId],
  );
  return rows.map(({ year }) => year);
};

/** Sealed references of a year: of credits and charge-backs. */
export const referencesOf = (
  db: Db,
  accountId: string,
  year: number,
  limit: number,
): Promise<{ eventId: string; sealed: string }[]> =>
  allRows(
    db,
    `select event_id as "eventId", sealed from read_models.ledger_entries
     where ${receiptsOfWallet('$1')} and sealed is not null
       and type in ('FundsCredited', 'FundsChargedBack')
       and extract(year from created_at at time zone 'UTC')::int = $2
     order by position limit $3`,
    [accountId, year, limit],
  );

/** Streams of books that still have their keys, by the place behind the last one seen. */
export const booksWithKeys = async (db: Db, after: string, limit: number): Promise<string[]> => {
  const { rows } = await db.query<{ subject: string }>(
    `select subject from keys.data_keys
     where subject > $1 and subject >= 'books-' and subject < 'books.' and wrapped is not null
     order by subject limit $2`,
    [after, limit],
  );
  return rows.map(({ subject }) => subject);
};
