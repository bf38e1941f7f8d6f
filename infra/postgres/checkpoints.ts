import type { TransactionalDb } from '../../contract/db.ts';
import { pause } from '../../contract/pause.ts';
import type { Checkpoints } from '../../reactors/reactor.ts';
import { createConnection } from '../event-store/postgres/connection.ts';

const schema = `
-- Two processes that start at once must not make the schema at once.
select pg_advisory_xact_lock(7305513262);
create schema if not exists reactors;
create table if not exists reactors.checkpoints (name text primary key, position bigint not null);`;

const retryMs = 1_000;

/**
 * Where reactors are in the log, in Postgres. One process at a time owns a reactor, by an advisory lock
 * of its session: when it dies, another takes over.
 */
export const createCheckpoints = async (options: {
  db: TransactionalDb;
  url: string;
}): Promise<Checkpoints & { close(): Promise<void> }> => {
  const { db, url } = options;
  await db.query(schema);
  const locks = createConnection({ url, applicationName: 'letters-locks', patienceMs: 5_000 });

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
    async own(name, signal) {
      const key = `hashtext('reactor ' || '${name.replaceAll("'", '')}')`;
      while (!signal.aborted) {
        const owned = await locks
          .use((client) =>
            client.query<{ owned: boolean }>(`select pg_try_advisory_lock(${key}) as owned`),
          )
          .then((result) => result.rows[0]?.owned ?? false)
          .catch(() => false);
        if (owned) {
          return async () => {
            await locks
              .use((client) => client.query(`select pg_advisory_unlock(${key})`))
              .catch(() => {});
          };
        }
        await pause(retryMs, signal);
      }
      return undefined;
    },
    close: () => locks.close(),
  };
};
