/** Why a start failed, in one sentence that names the setting. */
import { mkdir } from 'node:fs/promises';
import { StartRefused } from '../../contract/start-refused.ts';
import { StoreUnavailable } from '../../events/event-store.ts';
import type { Config } from '../config/config.ts';
import { logNameOf } from '../foundation/storage.ts';

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

/** Describes an EventStoreDB that did not answer. Undefined for any other error. */
const explainLog = (error: unknown, config: Config): StartRefused | undefined => {
  if (!(error instanceof StoreUnavailable)) return undefined;
  const [, why] = / failed \d+ times?: (.*)$/s.exec(error.message) ?? [];
  if (why === undefined) return undefined;
  const isService = config.eventStore === 'eventstoredb';
  const name = isService ? `EVENTSTORE_URL: the log ${logNameOf(config)}` : 'The EventStoreDB';
  return new StartRefused(
    `${name} does not answer; start it or correct the address (${why.trim()}).`,
  );
};

/** An unreachable log or database, or a read-only one, with its address and never its password; other errors as they are. */
export const explainStart = (error: unknown, config: Config): unknown => {
  const log = explainLog(error, config);
  if (log) return log;
  const { databaseUrl, eventStore } = config;
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
