/**
 * A worker that was killed leaves its jobs locked; graphile-worker frees them after four hours. Here
 * each pool of workers holds an advisory lock of its session, which dies with its process: jobs of a
 * pool whose lock is free twice in a row are freed at once.
 */
import { singleFlight } from '../../ground/single-flight.ts';
import { createConnection } from '../event-store/postgres/connection.ts';
import { jobsSchema } from './add-job.ts';

const lookEveryMs = 1_500;

const lockOf = (pool: string): string => `hashtext('job pool ' || '${pool.replaceAll("'", '')}')`;

/** The pools outside this process that hold locks on jobs; takes the advisory lock of the dead ones. */
const findFree = `
select locked_by, pg_try_advisory_lock(hashtext('job pool ' || locked_by)) as free
from (select distinct locked_by from ${jobsSchema}._private_jobs
      where locked_at is not null and locked_by <> all($1)) pools`;

/** A job that was added again under its key while it ran is not to run again when its worker died. */
const deleteSuperseded = `
delete from ${jobsSchema}._private_jobs
where locked_by = any($1) and key is null and attempts >= max_attempts and updated_at > locked_at`;

/**
 * Watches over the pools of this and other processes until `stop`.
 * @param onError gets the error of a check; the next check comes anyway
 */
export const watchDeadPools = (options: { url: string; onError: (error: unknown) => void }) => {
  const own = new Set<string>();
  let suspects = new Set<string>();
  const connection = createConnection({
    url: options.url,
    applicationName: 'letters-job-pools',
    patienceMs: 2_000,
    async onConnect(client) {
      for (const pool of own) await client.query(`select pg_try_advisory_lock(${lockOf(pool)})`);
    },
  });

  const look = async (): Promise<void> => {
    await connection.use(async (client) => {
      const { rows } = await client.query<{ locked_by: string; free: boolean }>(findFree, [
        [...own],
      ]);
      const dead = rows.filter((row) => row.free).map((row) => row.locked_by);
      for (const pool of dead) await client.query(`select pg_advisory_unlock(${lockOf(pool)})`);
      const certain = dead.filter((pool) => suspects.has(pool));
      suspects = new Set(dead);
      if (certain.length === 0) return;
      await client.query(deleteSuperseded, [certain]);
      await client.query(`select ${jobsSchema}.force_unlock_workers($1)`, [certain]);
    });
  };

  const lookOnce = singleFlight(() => look().catch(options.onError));
  let latest: Promise<void> | undefined;
  const timer = setInterval(() => {
    latest = lookOnce();
  }, lookEveryMs);

  return {
    /** Says that a pool lives in this process. */
    async announce(pool: string): Promise<void> {
      own.add(pool);
      await connection.use((client) =>
        client.query(`select pg_try_advisory_lock(${lockOf(pool)})`),
      );
    },
    /** The pool has ended; its lock is given back. */
    async withdraw(pool: string): Promise<void> {
      own.delete(pool);
      await connection.use((client) => client.query(`select pg_advisory_unlock(${lockOf(pool)})`));
    },
    async stop(): Promise<void> {
      clearInterval(timer);
      await latest;
      await connection.close();
    },
  };
};
