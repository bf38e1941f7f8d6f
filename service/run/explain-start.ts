/** Why a start failed, in one sentence that names the setting. */
import { mkdir } from 'node:fs/promises';
import { sep } from 'node:path';
import { StartRefused } from '../../contract/start-refused.ts';
import { isStorageFull } from '../../contract/store-refusals.ts';
import { StoreUnavailable } from '../../events/event-store.ts';
import { WrongConnection } from '../../infra/event-store/postgres/connection.ts';
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

const notAllowed = new Set(['EACCES', 'EPERM', 'EROFS']);

/** Describes a file of the data folder that this user may not open, for example because root copied it. */
const explainFile = (error: unknown, { dataDir }: Config): StartRefused | undefined => {
  const { code = '', path = '' } = error as NodeJS.ErrnoException;
  if (!notAllowed.has(code) || !`${path}${sep}`.startsWith(`${dataDir}${sep}`)) return undefined;
  const remedy =
    code === 'EROFS'
      ? 'let the service write there (ReadWritePaths of the systemd unit)'
      : 'give the folder with all of its files to the user of the service (chown -R)';
  return new StartRefused(`DATA_DIR: ${path} cannot be opened (${code}); ${remedy}.`);
};

/** Whether a disk without room is why something failed. The log of a PostgreSQL that did not start has no code. */
export const isDiskFull = (error: unknown): error is Error =>
  error instanceof Error &&
  (isStorageFull(error) || error.message.includes('No space left on device'));

/** Whether a file could not be written, in contrast to a row of the database. */
export const isOfFile = (error: Error): boolean =>
  (error as NodeJS.ErrnoException).syscall !== undefined;

/** Describes a disk without room: that of the data folder, or that of a database elsewhere. */
const explainFull = (
  error: unknown,
  { dataDir, databaseUrl }: Config,
): StartRefused | undefined => {
  if (!isDiskFull(error)) return undefined;
  const full =
    isOfFile(error) || databaseUrl === undefined
      ? `DATA_DIR: the disk of ${dataDir}`
      : fullAt(databaseUrl);
  return new StartRefused(`${full} is full (${error.message}); free storage and start again.`);
};

const fullAt = (databaseUrl: string): string => {
  const { host, pathname } = new URL(databaseUrl);
  return `DATABASE_URL: the disk of the database ${host}${pathname}`;
};

/** Of PostgreSQL: no such user, a wrong password, no such database, no right to it. */
const wrongAddress = new Set(['28000', '28P01', '3D000', '42501']);

/** Describes a database that does not let this user in. */
const explainRefusal = (error: unknown, { databaseUrl }: Config): StartRefused | undefined => {
  if (databaseUrl === undefined) return undefined;
  const { code = '', message } = error as Error & { code?: string };
  const { host, pathname } = new URL(databaseUrl);
  if (error instanceof WrongConnection) {
    return new StartRefused(
      `DATABASE_URL: the database ${host}${pathname} takes no such connection (${message}); correct its password, sslmode or sslrootcert.`,
    );
  }
  if (!wrongAddress.has(code)) return undefined;
  return new StartRefused(
    `DATABASE_URL: the database ${host}${pathname} refuses this user (${message}); correct the address, or make the user, the database or its rights.`,
  );
};

/** Of PostgreSQL: the server, the database or the user has no connection left. */
const fullCode = '53300';

/** Why a database does not answer, and the way out. */
const whyLost = ({ message, cause }: StoreUnavailable): string => {
  if (message.includes('takes no writes')) {
    return 'takes no writes; name the primary server, or reset default_transaction_read_only';
  }
  if (!(cause instanceof Error)) return 'does not answer; start it or correct the address';
  const { code = '', message: reason } = cause as Error & { code?: string };
  if (code === fullCode) {
    return `has no connection left (${reason}); raise max_connections or the limit of the user, or lower DATABASE_CONNECTIONS`;
  }
  if (reason.includes('unsupported startup parameter')) {
    return `is behind a pooler that refuses the options of connections (${reason}); set ignore_startup_parameters = options in PgBouncer`;
  }
  return `does not answer (${reason || code}); start it or correct the address`;
};

/**
 * An unreachable log or database, a read-only one, one that refuses the user, or a file that may not be opened or written, with its
 * address and never its password; other errors as they are.
 */
export const explainStart = (error: unknown, config: Config): unknown => {
  const known =
    explainLog(error, config) ??
    explainFile(error, config) ??
    explainFull(error, config) ??
    explainRefusal(error, config);
  if (known) return known;
  const { databaseUrl, eventStore } = config;
  const isDatabase =
    error instanceof StoreUnavailable &&
    (eventStore === 'postgres' || error.message.includes('the database'));
  if (!isDatabase || databaseUrl === undefined) return error;
  const { host, pathname } = new URL(databaseUrl);
  return new StartRefused(`DATABASE_URL: the database ${host}${pathname} ${whyLost(error)}.`);
};
