/** Where the service keeps everything: the log, read models, credentials, documents. */
import { join } from 'node:path';
import type { BlobStore } from '../commands/preparation/blob-store.ts';
import type { Log } from '../contract/log.ts';
import type { EventStore } from '../events/event-store.ts';
import { openFileBlobStore } from '../infra/blobs/file.ts';
import { createPostgresEventStore } from '../infra/event-store/postgres/index.ts';
import { createCredentialStore } from '../infra/identity/credential-store.ts';
import { startEmbeddedPostgres } from '../infra/postgres/embedded.ts';
import { createReadDb } from '../infra/postgres/read-db.ts';
import type { Config } from './config/config.ts';

export type Storage = Omit<Awaited<ReturnType<typeof openStorage>>, typeof Symbol.asyncDispose>;

/** Which log it is, for whoever must find it: no user, no password. */
export const logNameOf = ({ eventStore, eventStoreUrl = '' }: Config): string =>
  eventStore === 'eventstoredb'
    ? eventStoreUrl.replace(/\/\/.*@/, '//').replace(/\?.*/, '')
    : 'in PostgreSQL';

/** `projections`: how many read models there are; each may write at the same time as the others. */
export const openStorage = async (config: Config, log: Log, projections: number) => {
  await using opening = new AsyncDisposableStack();
  const { eventBytes } = config.limits;
  const onError = (error: unknown): void =>
    log.warn({ err: error instanceof Error ? error.message : String(error) }, 'database trouble');

  const startPostgres = async (): Promise<string> => {
    const postgres = await startEmbeddedPostgres({
      dataDir: config.dataDir,
      log: (line) => log.info({}, line),
    });
    opening.defer(() => postgres.stop());
    return postgres.url;
  };
  const openPool = (options: { max: number; applicationName: string; lazyCommit?: boolean }) =>
    opening.adopt(createReadDb({ url, onError, ...options }), (db) => db.close());
  // What is not configured is not loaded.
  const openStore = async (): Promise<EventStore> => {
    if (config.eventStore !== 'eventstoredb') {
      return createPostgresEventStore({
        url,
        eventBytes,
        readers: Math.ceil(config.databaseConnections / 2),
        onError,
      });
    }
    const { createEventStoreDb } = await import('../infra/event-store/eventstoredb.ts');
    return createEventStoreDb({ connectionString: config.eventStoreUrl ?? '', eventBytes, log });
  };
  const openBlobs = async (): Promise<BlobStore> => {
    if (!config.s3) return openFileBlobStore(join(config.dataDir, 'blobs'));
    const { createS3BlobStore } = await import('../infra/blobs/s3.ts');
    return createS3BlobStore(config.s3);
  };

  const url = config.databaseUrl ?? (await startPostgres());
  const readDb = openPool({ max: config.databaseConnections, applicationName: 'letters-read' });
  const projectionDb = openPool({
    max: projections + 2,
    applicationName: 'letters-projections',
    lazyCommit: true,
  });
  const store = opening.adopt(await openStore(), (one) => one.close());
  const blobs = await openBlobs();
  const opened = opening.move();
  return {
    /** Of the PostgreSQL database. */
    url,
    /** For readers, and for what must be on disk when it is written. */
    readDb,
    /** For read models: its commits do not wait for the disk. */
    projectionDb,
    store,
    credentials: createCredentialStore({ db: readDb }),
    blobs,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
};
