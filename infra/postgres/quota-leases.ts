import { randomUUID } from 'node:crypto';
import type { Db } from '../../ground/db.ts';
import { singleFlight } from '../../ground/single-flight.ts';
import type { LeaseGiven, QuotaLeases } from '../../http/shared-quota.ts';

const beatMs = 1_000;
/** After this many, unused rows are removed. */
const sweepEvery = 60;
/** A process that was not seen for this time is gone. */
const goneSeconds = 5;

type Row = { granted: number; rest: number; wait_ms: number };

/**
 * Leases of rate limits in PostgreSQL, for all processes on one database. While a process is alone there it
 * says so, and nothing is written but that it is alive.
 * @param digest keyed: addresses and accounts are not stored
 */
export const openQuotaLeases = async (options: {
  db: Db;
  windowSeconds: number;
  digest: (key: string) => string;
  onError: (error: unknown) => void;
}): Promise<QuotaLeases & { stop(): Promise<void> }> => {
  const { db, windowSeconds, digest, onError } = options;
  const id = randomUUID();
  let shared = false;
  let beats = 0;

  const beat = async (): Promise<void> => {
    const { rows } = await db.query<{ others: boolean }>(
      `with beat as (
         insert into limits.instances values ($1, clock_timestamp())
         on conflict (id) do update set seen_at = excluded.seen_at
       )
       select exists (
         select 1 from limits.instances where id <> $1
           and seen_at > clock_timestamp() - $2 * interval '1 second') as others`,
      [id, goneSeconds],
    );
    shared = rows[0]?.others ?? false;
    if (++beats % sweepEvery !== 0) return;
    await db.query(
      `with gone as (delete from limits.instances where seen_at < clock_timestamp() - interval '1 hour')
       delete from limits.windows where started < extract(epoch from clock_timestamp()) - $1::float8`,
      [3 * windowSeconds],
    );
  };
  const beatOnce = singleFlight(() => beat().catch(onError));
  await beat();
  let latest: Promise<void> | undefined;
  const timer = setInterval(() => {
    latest = beatOnce();
  }, beatMs).unref();

  return {
    isShared: () => shared,
    async lease(asked): Promise<LeaseGiven[]> {
      const keyed = asked.map((one, n) => ({ ...one, n, key: digest(one.key) }));
      keyed.sort((a, b) => (a.key < b.key ? -1 : 1));
      const { rows } = await db.query<Row>('select * from limits.lease($1, $2, $3, $4)', [
        keyed.map(({ key }) => key),
        keyed.map(({ limit }) => limit),
        keyed.map(({ want }) => want),
        windowSeconds,
      ]);
      const given: LeaseGiven[] = [];
      for (const [n, { granted, rest, wait_ms: waitMs }] of rows.entries()) {
        given[keyed[n]?.n ?? n] = { granted, rest, waitMs };
      }
      return given;
    },
    async stop() {
      clearInterval(timer);
      await latest;
      await db.query('delete from limits.instances where id = $1', [id]).catch(onError);
    },
  };
};
