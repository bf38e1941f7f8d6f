/** Whether PostgreSQL is set up so that nothing acknowledged is lost, and has room for connections. */
import type { Client } from 'pg';
import { type Finding, fail, ok, warn } from '../../ground/check.ts';

export type DatabaseFacts = {
  /** As `server_version_num`: 150018 is 15.18. */
  version: number;
  fsync: boolean;
  fullPageWrites: boolean;
  synchronousCommit: string;
  /** Connections that ordinary users may have together, and how many there are. */
  connectionLimit: number;
  connections: number;
  /** A standby takes no writes. */
  inRecovery: boolean;
  /** Transactions are read-only by default. */
  readOnly: boolean;
};

const leastVersion = 150_000;
const safeCommits = ['on', 'remote_apply', 'remote_write', 'local'];

/** The server hides the kind of other roles' backends from ordinary roles. Its own processes have no database. */
const question = `
select current_setting('server_version_num')::int as version,
  current_setting('fsync')::boolean as fsync,
  current_setting('full_page_writes')::boolean as "fullPageWrites",
  (select reset_val from pg_settings where name = 'synchronous_commit') as "synchronousCommit",
  current_setting('max_connections')::int
    - current_setting('superuser_reserved_connections')::int as "connectionLimit",
  (select count(*)::int from pg_stat_activity
    where backend_type = 'client backend' or (backend_type is null and datid is not null)
  ) as connections,
  pg_is_in_recovery() as "inRecovery",
  current_setting('default_transaction_read_only')::boolean as "readOnly"`;

export const databaseFacts = async (client: Client): Promise<DatabaseFacts> => {
  const { rows } = await client.query<DatabaseFacts>(question);
  if (!rows[0]) throw new Error('the database did not say how it is set up');
  return rows[0];
};

/** `needed`: connections that one more process of the service takes at most. */
export const judgeDatabase = (facts: DatabaseFacts, needed: number): Finding => {
  const { version, connections, connectionLimit } = facts;
  const name = `PostgreSQL ${Math.floor(version / 10_000)}.${version % 10_000}`;
  const set = (setting: string): string =>
    `set ${setting} = on in postgresql.conf and reload PostgreSQL`;
  if (version < leastVersion)
    return fail(`${name} is too old`, 'upgrade to PostgreSQL 15 or newer');
  if (facts.inRecovery) {
    return fail(`${name} is a standby`, 'point DATABASE_URL at the primary server');
  }
  if (facts.readOnly) {
    const reset = 'alter database … reset default_transaction_read_only, or that of the role';
    return fail(`${name} takes no writes: default_transaction_read_only is on`, reset);
  }
  if (!facts.fsync) {
    return fail('fsync is off: a power failure destroys the database', set('fsync'));
  }
  if (!facts.fullPageWrites) {
    return fail('full_page_writes is off: a power failure destroys pages', set('full_page_writes'));
  }
  if (!safeCommits.includes(facts.synchronousCommit)) {
    return warn(
      'synchronous_commit is off; the service turns it on for its own connections',
      set('synchronous_commit'),
    );
  }
  const used = `${connections} of ${connectionLimit} connections are in use`;
  if (connectionLimit - connections < needed) {
    return warn(
      `${name}, ${used}; one more process of the service takes up to ${needed}`,
      'raise max_connections, or lower DATABASE_CONNECTIONS',
    );
  }
  return ok(`${name}, fsync and synchronous_commit are safe, ${used}`);
};

/** Compares the numbers of the schema files with those that the database has. */
export const judgeSchema = (
  applied: readonly number[],
  known: readonly { number: number }[],
): Finding => {
  const numbers = known.map(({ number }) => number);
  const newest = applied.filter((number) => !numbers.includes(number));
  if (newest.length > 0) {
    return fail(
      `the database has schema file ${Math.max(...newest)}, which this version does not know`,
      'run the version of the program that the service runs',
    );
  }
  const missing = numbers.filter((number) => !applied.includes(number));
  if (missing.length === 0) return ok(`tables are up to date (file ${Math.max(...numbers)})`);
  return warn(
    `${missing.length} schema files are not applied yet`,
    'start the service once; it brings the tables up to date',
  );
};

type ReadModel = { name: string; version: number };

/** Compares the versions of the filled read models with those of this program. Undefined: they are the same. */
export const judgeReadModels = (
  filled: readonly ReadModel[],
  known: readonly ReadModel[],
): Finding | undefined => {
  const versions = new Map(filled.map(({ name, version }) => [name, version]));
  const newer = known.filter(({ name, version }) => (versions.get(name) ?? 0) > version);
  if (newer.length > 0) {
    return fail(
      `a newer version filled the read models ${newer.map(({ name }) => name).join(', ')}`,
      'run the version of the program that the service runs',
    );
  }
  const older = known.filter(({ name, version }) => versions.get(name) !== version);
  if (older.length === 0) return undefined;
  return warn(
    `this version has not filled the read models ${older.map(({ name }) => name).join(', ')} yet`,
    'start the service of this version once; it fills them from the log',
  );
};
