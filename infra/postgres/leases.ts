import { randomUUID } from 'node:crypto';
import type { Db } from '../../contract/db.ts';
import { pause } from '../../contract/pause.ts';
import { type Lease, LeaseLost, type Leases } from '../../events/lease.ts';
import { createConnection } from '../event-store/postgres/connection.ts';

/**
 * `token` belongs to a key, so that renewing, which changes no key, does not wait for whoever guards an
 * effect (`for key share`), and taking over does.
 */
const schema = `
-- Two processes that start at once must not make the schema at once.
select pg_advisory_xact_lock(7305513262);
create schema if not exists reactors;
create sequence if not exists reactors.tokens;
create table if not exists reactors.leases (
  name       text collate "C" primary key,
  owner      text collate "C" not null,          -- a process, by a name that it gave itself
  token      bigint not null unique,             -- no two owners ever had the same
  expires_at timestamptz not null,               -- by the clock of this server
  unique (name, token)
);`;

export const prepareLeases = (db: Db) => db.query(schema);

/** What has had an owner and has none, and since when: as any process sees it. */
export const unownedLeases = async (db: Db): Promise<{ name: string; since: Date }[]> => {
  const { rows } = await db.query<{ name: string; since: Date }>(
    `select name, expires_at as since from reactors.leases
     where expires_at < clock_timestamp() order by name`,
  );
  return rows;
};

/** Forgets what has no owner and is not among `names` any more. */
export const forgetLeases = async (db: Db, names: string[]): Promise<void> => {
  await db.query(
    'delete from reactors.leases where expires_at < clock_timestamp() and name <> all($1)',
    [names],
  );
};

/** Times of leases. Taken over within `leaseMs + roundMs` when the owner says no more. */
export const leaseTimes = {
  leaseMs: 3_500,
  /** How often leases are renewed, and looked at by whoever waits for one. */
  roundMs: 500,
  /** The owner stops so long before another can begin. */
  marginMs: 500,
  /** A transaction that guards an effect is ended by the server when its client is silent for so long. */
  idleMs: 1_500,
};

/** $1 owner, $2 and $3 names and tokens that it has, $4 names that it waits for, $5 ms of a lease. */
const round = `
with renewed as (
  update reactors.leases set expires_at = clock_timestamp() + $5 * interval '1 ms'
  where (name, token) in (select * from unnest($2::text[], $3::bigint[]))
  returning name, token
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

type Held = { token: bigint; lost: AbortController; timer: NodeJS.Timeout };

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
  const holdMs = times.leaseMs - times.marginMs;
  await prepareLeases(db);
  const owner = randomUUID();
  const held = new Map<string, Held>();
  const waiting = new Map<string, (token: bigint) => void>();
  const closing = new AbortController();
  /** Aborts when somebody begins to wait. */
  let asked = new AbortController();
  const connection = createConnection({
    url,
    applicationName: 'letters-leases',
    patienceMs: 0,
    queryMs: holdMs,
  });

  const lose = (name: string, token: bigint): void => {
    const lease = held.get(name);
    if (lease?.token !== token) return;
    clearTimeout(lease.timer);
    held.delete(name);
    lease.lost.abort();
  };

  /** Until when, by the clock of this process: counted from before the database was asked. */
  const holdFrom = (name: string, token: bigint, askedMs: number): NodeJS.Timeout =>
    setTimeout(() => lose(name, token), holdMs - (performance.now() - askedMs));

  const look = async (): Promise<void> => {
    if (held.size === 0 && waiting.size === 0) return;
    const askedMs = performance.now();
    const mine = [...held].map(([name, { token }]) => ({ name, token }));
    const wanted = [...waiting.keys()].toSorted();
    const { rows } = await connection.use((client) =>
      client.query<{ name: string; token: bigint }>(round, [
        owner,
        textArray(mine.map(({ name }) => name)),
        `{${mine.map(({ token }) => token).join()}}`,
        textArray(wanted),
        times.leaseMs,
      ]),
    );
    const answered = new Map(rows.map(({ name, token }) => [name, token]));
    for (const { name, token } of mine) {
      const lease = held.get(name);
      if (lease?.token !== token) continue;
      if (answered.get(name) !== token) lose(name, token);
      else {
        clearTimeout(lease.timer);
        lease.timer = holdFrom(name, token, askedMs);
      }
    }
    // What came too late is not begun with: it is taken again in the next round.
    if (performance.now() - askedMs > holdMs / 2) return;
    for (const name of wanted) {
      const token = answered.get(name);
      const take = waiting.get(name);
      if (token === undefined || !take) continue;
      waiting.delete(name);
      held.set(name, {
        token,
        lost: new AbortController(),
        timer: holdFrom(name, token, askedMs),
      });
      take(token);
    }
  };

  const rounds = (async () => {
    while (!closing.signal.aborted) {
      asked = new AbortController();
      await look().catch(() => {});
      await pause(times.roundMs, AbortSignal.any([closing.signal, asked.signal]));
    }
  })();

  const leaseOf = (name: string, token: bigint): Lease => {
    const { lost } = held.get(name) as Held;
    const isOwner = (rows: unknown[]): void => {
      if (rows.length === 1 && !lost.signal.aborted) return;
      lose(name, token);
      throw new LeaseLost(name);
    };
    return {
      signal: lost.signal,
      async guard(tx) {
        const { rows } = await tx.query(
          `select set_config('idle_in_transaction_session_timeout', '${times.idleMs}', true)
           from reactors.leases where name = $1 and token = $2 for key share`,
          [name, token],
        );
        isOwner(rows);
      },
      async check() {
        const { rows } = await db.query(
          'select 1 from reactors.leases where name = $1 and token = $2',
          [name, token],
        );
        isOwner(rows);
      },
      async release() {
        lose(name, token);
        await db
          .query(
            'update reactors.leases set expires_at = clock_timestamp() where name = $1 and token = $2',
            [name, token],
          )
          .catch(() => {});
      },
    };
  };

  return {
    async own(name, signal) {
      if (signal.aborted) return undefined;
      const { promise, resolve } = Promise.withResolvers<Lease | undefined>();
      const giveUp = (): void => {
        waiting.delete(name);
        resolve(undefined);
      };
      signal.addEventListener('abort', giveUp, { once: true });
      waiting.set(name, (token) => resolve(leaseOf(name, token)));
      asked.abort();
      const lease = await promise;
      signal.removeEventListener('abort', giveUp);
      return lease;
    },
    async close() {
      closing.abort();
      await rounds;
      for (const [name, { token }] of held) lose(name, token);
      await connection.close();
    },
  };
};
