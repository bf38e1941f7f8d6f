/**
 * How much of the blob store is whose. A file is counted before it is stored and until it is deleted, in one
 * statement each, so that a quota holds whichever processes store at the same time.
 */

import type { BlobStore, ClaimStorage } from '../../commands/preparation/blob-store.ts';
import type { AppError } from '../../contract/errors.ts';
import type { Clock } from '../../ground/clock.ts';
import { dayMs } from '../../ground/day.ts';
import type { Db } from '../../ground/db.ts';
import { limitError } from '../../limits/limit-error.ts';
import { quotasOf } from '../../projections/accounts/query.ts';

/**
 * $1 account, $2 quota, $3 keys, $4 bytes of each, $5 now. A file that is counted is not counted again: a letter
 * that could not be paid is kept with the same files. No row: it is above the quota.
 */
const claim = `
with fresh as (
  select key, bytes from unnest($3::text[], $4::bigint[]) as file (key, bytes)
  where not exists (select from storage.files known where known.key = file.key)
), wanted as (
  select coalesce(sum(bytes), 0) as bytes from fresh
), counted as (
  insert into storage.used as used (account_id, bytes)
  select $1, bytes from wanted where bytes <= $2::bigint
  on conflict (account_id) do update set bytes = used.bytes + excluded.bytes
    where used.bytes + excluded.bytes <= $2::bigint
  returning 1
), claimed as (
  insert into storage.files (key, account_id, bytes, claimed_at)
  select key, $1, bytes, $5::timestamptz from fresh where exists (select from counted)
)
select from counted`;

const release = `
with gone as (delete from storage.files where key = $1 returning account_id, bytes)
update storage.used set bytes = used.bytes - gone.bytes from gone
where used.account_id = gone.account_id`;

/** $1 keys, $2 accounts, $3 bytes, $4 now: each is counted once, also above a quota. */
const adopt = `
with fresh as (
  insert into storage.files (key, account_id, bytes, claimed_at)
  select key, account_id, bytes, $4::timestamptz
  from unnest($1::text[], $2::text[], $3::bigint[]) as file (key, account_id, bytes)
  on conflict do nothing returning account_id, bytes
), sums as (
  select account_id, sum(bytes) as bytes from fresh group by account_id order by account_id
)
insert into storage.used as used (account_id, bytes) select account_id, bytes from sums
on conflict (account_id) do update set bytes = used.bytes + excluded.bytes`;

const stale = `
select key from storage.files where claimed_at between $1 and $2 order by claimed_at limit 1000`;

/** A store that subtracts deleted blobs from the count. */
export const countedBlobs = (blobs: BlobStore, db: Db): BlobStore => ({
  ...blobs,
  async delete(key) {
    await blobs.delete(key);
    await db.query(release, [key]);
  },
});

const aboveQuota = (used: number, wanted: number, quota: number): AppError =>
  limitError(
    'storedBytesPerAccount',
    `The account stores ${used} bytes of documents; ${wanted} more would exceed its quota of ${quota}. Delete letters or logos that you no longer need, or ask the operator.`,
    { extra: { quota, used }, headers: { 'Retry-After': '60' } },
  );

type StoredFile = { key: string; accountId: string; bytes: number };

/** The bytes that an account stores, and its quota. */
type StoredBytes = { bytes: number; quota: number };

export const createStoredBytes = ({
  db,
  clock,
  quota: usual,
}: {
  db: Db;
  clock: Clock;
  /** Of an account for which the operator says nothing else. */
  quota: number;
}) => {
  const quotaOf = async (accountId: string): Promise<number> =>
    (await quotasOf(db, accountId)).storedBytesPerAccount ?? usual;

  const of = async (accountId: string): Promise<StoredBytes> => {
    const query = 'select bytes from storage.used where account_id = $1';
    const [{ rows }, quota] = await Promise.all([
      db.query<{ bytes: bigint }>(query, [accountId]),
      quotaOf(accountId),
    ]);
    return { bytes: Number(rows[0]?.bytes ?? 0), quota };
  };

  const claimFiles: ClaimStorage = async (accountId, files) => {
    const sizes = files.map(({ bytes }) => bytes.length);
    const wanted = sizes.reduce((sum, size) => sum + size, 0);
    const quota = await quotaOf(accountId);
    const now = new Date(clock()).toISOString();
    const keys = files.map(({ key }) => key);
    const { rowCount } = await db.query(claim, [accountId, quota, keys, sizes, now]);
    if (rowCount === 0) throw aboveQuota((await of(accountId)).bytes, wanted, quota);
  };

  return {
    of,
    async ownerOf(key: string): Promise<string | undefined> {
      const query = 'select account_id from storage.files where key = $1';
      const { rows } = await db.query<{ account_id: string }>(query, [key]);
      return rows[0]?.account_id;
    },
    claim: claimFiles,
    /** The keys that are not counted. */
    async uncounted(keys: string[]): Promise<string[]> {
      const query = `select key from unnest($1::text[]) as wanted (key)
        where not exists (select from storage.files known where known.key = wanted.key)`;
      const { rows } = await db.query<{ key: string }>(query, [keys]);
      return rows.map(({ key }) => key);
    },
    /** Counts the blobs that the store has already, ignoring the quota. Safe to repeat. */
    async adopt(files: readonly StoredFile[]): Promise<void> {
      await db.query(adopt, [
        files.map(({ key }) => key),
        files.map(({ accountId }) => accountId),
        files.map(({ bytes }) => bytes),
        new Date(clock()).toISOString(),
      ]);
    },
    /** Does something once in the life of the store; again where it fails or says that it was not all. */
    async once(step: string, work: () => Promise<boolean>): Promise<void> {
      const { rows } = await db.query('select from storage.steps where step = $1', [step]);
      if (rows.length > 0 || !(await work())) return;
      await db.query('insert into storage.steps values ($1, $2) on conflict do nothing', [
        step,
        new Date(clock()).toISOString(),
      ]);
    },
    /** Releases claims that are days old: their requests died before they stored anything. */
    async tidy(blobs: Pick<BlobStore, 'storedAt'>): Promise<void> {
      const day = (days: number): string => new Date(clock() - days * dayMs).toISOString();
      const { rows } = await db.query<{ key: string }>(stale, [day(3), day(1)]);
      for (const { key } of rows) {
        if ((await blobs.storedAt(key)) === undefined) await db.query(release, [key]);
      }
    },
  };
};
