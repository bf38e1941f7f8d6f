/** Settings of each connection, which the database or its role may have otherwise. */
import type { ClientBase } from 'pg';

/** The driver reads dates as ISO only. Statements expect that others' commits during a transaction are no conflict. */
const ownSettings = ['datestyle=ISO', 'default_transaction_isolation=read\\ committed'];

/**
 * The address and the settings of a connection, which the server takes at its start. Options in the address stay in
 * force, except where they contradict ours.
 */
export const withSettings = (
  url: string,
  more: readonly string[] = [],
): { connectionString: string; options: string } => {
  const given = new URL(url).searchParams.get('options');
  const own = [...ownSettings, ...more].map((one) => `-c ${one}`).join(' ');
  if (given === null) return { connectionString: url, options: own };
  // Options in the address would replace ours.
  const rest = new URL(url);
  rest.searchParams.delete('options');
  return { connectionString: rest.href, options: `${given} ${own}` };
};

/** Commits wait for the disk, also where the database has them off. Stricter settings than `on` stay. */
export const waitForDisk = async (client: ClientBase): Promise<void> => {
  await client.query(
    `select set_config('synchronous_commit', 'on', false)
     where current_setting('synchronous_commit') = 'off'`,
  );
};
