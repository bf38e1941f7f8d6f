/** Why a start failed, in one sentence that names the setting. */
import { mkdir } from 'node:fs/promises';
import { StartRefused } from '../../contract/start-refused.ts';
import { StoreUnavailable } from '../../events/event-store.ts';
import type { Config } from '../config/config.ts';

/** Makes the data folder. @throws StartRefused */
export const makeDataDir = async (dataDir: string): Promise<void> => {
  await mkdir(dataDir, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    const why =
      error.code === 'EEXIST' || error.code === 'ENOTDIR'
        ? 'is not a folder'
        : `cannot be made (${error.code})`;
    throw new StartRefused(`DATA_DIR ${dataDir} ${why}; name a folder that the service may use.`);
  });
};

/** An unreachable or read-only database with its address, and never its password; any other error as it is. */
export const explainStart = (
  error: unknown,
  { databaseUrl, eventStore }: Pick<Config, 'databaseUrl' | 'eventStore'>,
): unknown => {
  const isDatabase =
    error instanceof StoreUnavailable &&
    (eventStore === 'postgres' || error.message.includes('the database'));
  if (!isDatabase || databaseUrl === undefined) return error;
  const { host, pathname } = new URL(databaseUrl);
  const why = error.message.includes('takes no writes')
    ? 'takes no writes; name the primary server, or reset default_transaction_read_only'
    : 'does not answer; start it or correct the address';
  return new StartRefused(`DATABASE_URL: the database ${host}${pathname} ${why}.`);
};
