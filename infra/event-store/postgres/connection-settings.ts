/** Settings of each connection. The server, the database or its role may set them differently. */
import type { ClientBase } from 'pg';

/**
 * The driver reads dates as ISO only, and backups and drills compare text. Statements expect that commits of others
 * during a transaction cause no conflict. The program has time limits of its own (`queryTimeoutMs`).
 */
const ownSettings: Record<string, string> = {
  datestyle: 'ISO',
  intervalstyle: 'postgres',
  timezone: 'UTC',
  bytea_output: 'hex',
  extra_float_digits: '1',
  array_nulls: 'on',
  standard_conforming_strings: 'on',
  search_path: '"$user",public',
  default_transaction_isolation: 'read committed',
  statement_timeout: '0',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  idle_session_timeout: '0',
};

const ownOptions = Object.entries(ownSettings).map(
  ([name, value]) => `${name}=${value.replaceAll(' ', '\\ ')}`,
);

/**
 * The address and the settings of a connection, which the server takes at its start. Options in the address stay in
 * force, except where they contradict ours.
 */
export const withSettings = (
  url: string,
  more: readonly string[] = [],
): { connectionString: string; options: string } => {
  const given = new URL(url).searchParams.get('options');
  const own = [...ownOptions, ...more].map((one) => `-c ${one}`).join(' ');
  if (given === null) return { connectionString: url, options: own };
  // Options in the address would replace ours.
  const rest = new URL(url);
  rest.searchParams.delete('options');
  return { connectionString: rest.href, options: `${given} ${own}` };
};

/** The same settings, behind a pooler that drops the options of a connection. */
const setOwn = `select set_config(name, value, false)
  from (values ${Object.entries(ownSettings).map(([name, value]) => `('${name}', '${value}')`)}) as own (name, value)
  where current_setting(name) <> value`;

/** Older servers refuse a connection that names it at its start. */
const noTransactionLimit = `select set_config('transaction_timeout', '0', false)
  where coalesce(current_setting('transaction_timeout', true), '0') <> '0'`;

/** Commits wait for the disk, also where the database has them off. Stricter settings than `on` stay. */
const waitForDisk = `select set_config('synchronous_commit', 'on', false)
  where current_setting('synchronous_commit') = 'off'`;

/**
 * A statement that waits for a lock ends with its program. Not every system under PostgreSQL can notice that. Versions
 * that are too old lack the setting: `doctor` connects to them, too, and says so.
 */
const endWithProgram = `select set_config('client_connection_check_interval', '2s', false)
  where version() like '%linux%' and current_setting('client_connection_check_interval', true) is not null`;

/** Settings that depend on the server. `lazyCommit`: commits do not wait for the disk. */
export const settle = async (
  client: Pick<ClientBase, 'query'>,
  { lazyCommit = false }: { lazyCommit?: boolean | undefined } = {},
): Promise<void> => {
  const settings = [
    setOwn,
    noTransactionLimit,
    endWithProgram,
    ...(lazyCommit ? [] : [waitForDisk]),
  ];
  await client.query(settings.join('; '));
};
