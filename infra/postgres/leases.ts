import {
  type HeldLease,
  keepLeases,
  type LeaseTable,
  leaseTimes,
} from '../../events/keep-leases.ts';
import type { Leases } from '../../events/lease.ts';
import { createBatchLoader } from '../../ground/batch-loader.ts';
import { allRows, type Db } from '../../ground/db.ts';
import { createConnection } from '../event-store/postgres/connection.ts';

/**
 * No lease ends later than this from now, unless the server's clock has been set back since. The margin
 * leaves room for small corrections of the clock.
 */
const longestMs = leaseTimes.leaseMs + leaseTimes.marginMs;
const isOwned = `expires_at between clock_timestamp()
  and clock_timestamp() + ${longestMs} * interval '1 ms'`;

/** Leases that had an owner and have none now, and for how long, by the clock of the database. */
export const unownedLeases = (db: Db): Promise<{ name: string; forMs: number }[]> =>
  allRows(
    db,
    `select name, greatest(0, extract(epoch from clock_timestamp() - expires_at) * 1000)::float8 as "forMs"
     from reactors.leases where not (${isOwned}) order by name`,
  );

/** Whether any process owns anything. */
export const isAnythingOwned = async (db: Db): Promise<boolean> => {
  const { rows } = await db.query(`select from reactors.leases where ${isOwned} limit 1`);
  return rows.length > 0;
};

/**
 * Takes the lease of `name` from its owner. The next owner, which may be the same process, begins anew at its
 * checkpoint and reads parked streams again.
 */
export const endLease = async (db: Db, name: string): Promise<void> => {
  await db.query(
    `update reactors.leases set token = nextval('reactors.tokens'), expires_at = clock_timestamp()
     where name = $1`,
    [name],
  );
};

/** Forgets what has no owner and is not among `names` any more. */
export const forgetLeases = async (db: Db, names: string[]): Promise<void> => {
  await db.query(
    'delete from reactors.leases where expires_at < clock_timestamp() and name <> all($1)',
    [names],
  );
};

/**
 * $1 owner, $2 and $3 names and tokens that it has, $4 names that it waits for, $5 ms of a lease, $6 ms that
 * no lease exceeds. A lease that does was written before the clock was set back. It gets the usual length
 * from now on: an owner that lives renews it, and another process takes over soon if the owner is gone.
 */
const round = `
with renewed as (
  update reactors.leases set expires_at = clock_timestamp() + $5 * interval '1 ms'
  where (name, token) in (select * from unnest($2::text[], $3::bigint[]))
  returning name, token
), shortened as (
  update reactors.leases set expires_at = clock_timestamp() + $5 * interval '1 ms'
  where name = any($4::text[]) and owner <> $1
    and expires_at > clock_timestamp() + $6 * interval '1 ms'
), free as (
  select w.name from unnest($4::text[]) as w (name)
  where not exists (
    select 1 from reactors.leases l
    where l.name = w.name and l.owner <> $1 and l.expires_at > clock_timestamp())
  order by w.name
), taken as (
  insert into reactors.leases as l (name, owner, token, expires_at)
  select name, $1, nextval('reactors.tokens'), clock_timestamp() + $5 * interval '1 ms' from free
  on conflict (name) do update
    set owner = excluded.owner, token = excluded.token, expires_at = excluded.expires_at
    where l.owner = $1 or l.expires_at <= clock_timestamp()
  returning name, token
) select name, token from renewed union all select name, token from taken`;

const textArray = (texts: string[]): string =>
  `{${texts.map((text) => `"${text.replaceAll(/["\\]/g, '\\$&')}"`).join()}}`;

/** Asks for all that want to know at the same time: a reactor asks before each of its tasks. */
const createLookUp = (db: Db): ((lease: HeldLease) => Promise<boolean>) =>
  createBatchLoader({
    maxBatch: 1_000,
    async load(asked: HeldLease[]) {
      const tokens = new Map(asked.map(({ name, token }) => [token, name]));
      const { rows } = await db.query<HeldLease>(
        `select l.name, l.token from unnest($1::text[], $2::bigint[]) as a (name, token)
         join reactors.leases l on l.name = a.name and l.token = a.token`,
        [[...tokens.values()], [...tokens.keys()]],
      );
      const current = new Set(rows.map(({ token }) => token));
      return asked.map(({ token }) => current.has(token));
    },
  });

/** Ends leases many at a time: a process that stops gives up all of its leases at once. */
const createEnd = (db: Db): ((lease: HeldLease) => Promise<void>) =>
  createBatchLoader({
    maxBatch: 1_000,
    async load(ended: HeldLease[]) {
      await db.query(
        `update reactors.leases set expires_at = clock_timestamp()
         where (name, token) in (select * from unnest($1::text[], $2::bigint[]))`,
        [ended.map(({ name }) => name), ended.map(({ token }) => token)],
      );
      return ended.map(() => undefined);
    },
  });

const tableIn = (
  db: Db,
  connection: ReturnType<typeof createConnection>,
  { leaseMs, marginMs, idleMs }: typeof leaseTimes,
): LeaseTable => {
  const isCurrent = createLookUp(db);
  return {
    async round(owner, held, wanted) {
      const { rows } = await connection.use((client) =>
        client.query<HeldLease>(round, [
          owner,
          textArray(held.map(({ name }) => name)),
          `{${held.map(({ token }) => token).join()}}`,
          textArray(wanted),
          leaseMs,
          leaseMs + marginMs,
        ]),
      );
      return rows;
    },
    async isCurrent(lease, tx) {
      if (!tx) return isCurrent(lease);
      const { rows } = await tx.query(
        `select set_config('idle_in_transaction_session_timeout', '${idleMs}', true)
       from reactors.leases where name = $1 and token = $2 for key share`,
        [lease.name, lease.token],
      );
      return rows.length === 1;
    },
    end: createEnd(db),
    async endAll(owner) {
      await db.query(
        `update reactors.leases set expires_at = clock_timestamp()
         where owner = $1 and expires_at > clock_timestamp()`,
        [owner],
      );
    },
  };
};

/**
 * Leases in Postgres. One connection renews all that a process has and tries to take what it waits for.
 * @param options.url of the database
 */
export const createLeases = async (options: {
  db: Db;
  url: string;
  times?: Partial<typeof leaseTimes>;
}): Promise<Leases & { close(): Promise<void> }> => {
  const { db, url } = options;
  const times = { ...leaseTimes, ...options.times };
  const connection = createConnection({
    url,
    applicationName: 'letters-leases',
    patienceMs: 0,
    queryMs: times.leaseMs - times.marginMs,
  });
  const leases = keepLeases({ table: tableIn(db, connection, times), times });
  return {
    ...leases,
    async close() {
      await leases.close();
      await connection.close();
    },
  };
};
