import { pause } from '../contract/pause.ts';
import type { TransactionalDb } from '../projections/projection.ts';
import type { Checkpoints } from '../reactors/reactor.ts';
import { createConnection } from './event-store/postgres/connection.ts';

const schema = `
-- Two processes that start at once must not make the schema at once.
select pg_advisory_xact_lock(7305513262);
create schema if not exists reactors;
create table if not exists reactors.checkpoints (name text primary key, position bigint not null);`;

const retryMs = 1_000;
/** How often the connection that holds the locks is looked at. */
const lookEveryMs = 1_000;

const keyOf = (name: string): string => `hashtext('reactor ' || '${name.replaceAll("'", '')}')`;
const lockOf = (name: string): string => `pg_try_advisory_lock(${keyOf(name)})`;
const ownSession = `
select pid, backend_start::text from pg_stat_activity where pid = pg_backend_pid()`;
/** The server may not know yet that a connection is gone; its session would keep our own locks from us. */
const endSession = `
select pg_terminate_backend(pid, 2000) from pg_stat_activity
where pid = $1 and backend_start = $2::timestamptz`;
const unlockOf = (name: string): string => `pg_advisory_unlock(${keyOf(name)})`;

/**
 * Where reactors are in the log, in Postgres. One process at a time owns a reactor, by an advisory lock
 * of its session: when it dies, another takes over. A session that is lost for another reason is replaced
 * within a second or two; whoever finds a lock taken then is told that it owns that reactor no more.
 */
export const createCheckpoints = async (options: {
  db: TransactionalDb;
  url: string;
}): Promise<Checkpoints & { close(): Promise<void> }> => {
  const { db, url } = options;
  await db.query(schema);
  const held = new Map<string, () => void>();
  let session: { pid: number; backend_start: string } | undefined;
  const locks = createConnection({
    url,
    applicationName: 'letters-locks',
    patienceMs: 5_000,
    async onConnect(client) {
      if (session) await client.query(endSession, [session.pid, session.backend_start]);
      session = (await client.query<NonNullable<typeof session>>(ownSession)).rows[0];
      for (const [name, onLost] of held) {
        const { rows } = await client.query<{ owned: boolean }>(`select ${lockOf(name)} as owned`);
        if (rows[0]?.owned) continue;
        held.delete(name);
        onLost();
      }
    },
  });
  const timer = setInterval(() => {
    if (held.size > 0) locks.use((client) => client.query('select 1')).catch(() => {});
  }, lookEveryMs);

  return {
    async read(name) {
      const { rows } = await db.query<{ position: bigint }>(
        'select position from reactors.checkpoints where name = $1',
        [name],
      );
      return rows[0]?.position ?? 0n;
    },
    async save(name, position) {
      await db.query(
        `insert into reactors.checkpoints (name, position) values ($1, $2)
         on conflict (name) do update set position = greatest(reactors.checkpoints.position, $2)`,
        [name, position],
      );
    },
    async own(name, signal, onLost = () => {}) {
      while (!signal.aborted) {
        const owned = await locks
          .use((client) =>
            client.query<{ owned: boolean }>(`select ${lockOf(name)} as owned`),
          )
          .then((result) => result.rows[0]?.owned ?? false)
          .catch(() => false);
        if (owned) {
          held.set(name, onLost);
          return async () => {
            if (!held.delete(name)) return;
            await locks
              .use((client) => client.query(`select ${unlockOf(name)}`))
              .catch(() => {});
          };
        }
        await pause(retryMs, signal);
      }
      return undefined;
    },
    async close(): Promise<void> {
      clearInterval(timer);
      await locks.close();
    },
  };
};
