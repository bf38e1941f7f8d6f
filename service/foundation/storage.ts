/** Where the service keeps everything: the log, read models, credentials, documents. */
import { join, resolve } from 'node:path';
import type { BlobStore } from '../../commands/preparation/blob-store.ts';
import { type EventStore, StoreUnavailable } from '../../events/event-store.ts';
import type { Db } from '../../ground/db.ts';
import { endsWithin } from '../../ground/deadline.ts';
import type { Log } from '../../ground/log.ts';
import { messageOf } from '../../ground/message-of.ts';
import { openFileBlobStore } from '../../infra/blobs/file.ts';
import { countedBlobs, createStoredBytes } from '../../infra/blobs/stored-bytes.ts';
import type { Hearer, WhenLost } from '../../infra/event-store/postgres/connection.ts';
import { createPostgresEventStore } from '../../infra/event-store/postgres/index.ts';
import { refuseOtherLog } from '../../infra/event-store/refuse-other-log.ts';
import { refuseWhileLost } from '../../infra/event-store/refuse-while-lost.ts';
import { createCredentialStore } from '../../infra/identity/credential-store.ts';
import { startEmbeddedPostgres } from '../../infra/postgres/embedded.ts';
import {
  createPostgresQuestion,
  type Question,
  startProbe,
} from '../../infra/postgres/liveness-probe.ts';
import { createReadDb } from '../../infra/postgres/read-db.ts';
import { migrate } from '../../infra/schema/migrate.ts';
import type { Config } from '../config/config.ts';

/** How long an EventStoreDB may take to answer a question: it waits behind others. */
const logAnswerMs = 5_000;

/** A rebuild gives its connections back soon after the start. */
const rebuildIdleMs = 500;

const lostState = 'gives no answer or takes no writes: requests are refused';

/** How long the start waits for the connection that the probe asks on. */
const connectMs = 10_000;

export type Storage = Omit<Awaited<ReturnType<typeof openStorage>>, typeof Symbol.asyncDispose>;

/** Names the log for people who must find it: no user, no password. */
export const logNameOf = ({ eventStore, eventStoreUrl = '' }: Config): string =>
  eventStore === 'eventstoredb'
    ? eventStoreUrl.replace(/\/\/.*@/, '//').replace(/\?.*/, '')
    : 'in PostgreSQL';

const journalIn = (dataDir: string): string => join(resolve(dataDir), 'erasures.log');

/** Where erasures are written down, apart from the database. */
export const erasureJournalOf = ({ erasureJournal, dataDir }: Config): string =>
  erasureJournal ?? journalIn(dataDir);

/** Where erasures may be written down: also in the data folder, from before `ERASURE_JOURNAL` was set. */
export const erasureJournalsOf = (config: Config): string[] => [
  ...new Set([erasureJournalOf(config), journalIn(config.dataDir)]),
];

/** The store of the log alone. `url`: of the PostgreSQL database. */
export const openLog = async (
  config: Config,
  ports: {
    url: string;
    log: Log;
    whenLost?: WhenLost;
    listen?: (hearer: Hearer) => void;
    onError?: (error: unknown) => void;
    /** Closes an EventStoreDB, so that nothing waits for its answers any more. */
    abandoned?: AbortSignal | undefined;
  },
): Promise<EventStore> => {
  const { log, abandoned, ...rest } = ports;
  const { eventBytes } = config.limits;
  if (config.eventStore !== 'eventstoredb') {
    const readers = Math.ceil(config.databaseConnections / 4);
    return refuseOtherLog(await createPostgresEventStore({ ...rest, eventBytes, readers }));
  }
  // Parts that are not configured are not loaded.
  const { createEventStoreDb } = await import('../../infra/event-store/eventstoredb.ts');
  const store = createEventStoreDb({
    connectionString: config.eventStoreUrl ?? '',
    eventBytes,
    log,
  });
  abandoned?.addEventListener('abort', () => void store.close());
  if (abandoned?.aborted) await store.close();
  return refuseOtherLog(store);
};

/** The store of documents alone. */
export const openBlobs = async (config: Pick<Config, 's3' | 'dataDir'>): Promise<BlobStore> => {
  if (!config.s3) return openFileBlobStore(join(config.dataDir, 'blobs'));
  const { createS3BlobStore } = await import('../../infra/blobs/s3.ts');
  return createS3BlobStore(config.s3);
};

/** The log as the service uses it. `traces`: which traces appended events, where spans are exported. */
const guardLog = async (
  opened: EventStore,
  isLost: () => boolean,
  { config, db, log }: { config: Config; db: Db; log: Log },
) => {
  const store = refuseWhileLost(opened, isLost);
  if (!config.tracing) return { store, traces: undefined };
  const { createTraceParents } = await import('../../infra/tracing/trace-parents.ts');
  const { tracedStore } = await import('../../infra/tracing/traced-store.ts');
  const traces = createTraceParents(db, log);
  return { store: tracedStore(store, traces), traces };
};

type PoolOptions = Omit<Parameters<typeof createReadDb>[0], 'url' | 'onError'>;

/** Read models share one statement for each batch; before it they look up rows. In a rebuild each writes alone. */
const openReadModels = (
  openPool: (options: PoolOptions) => ReturnType<typeof createReadDb>,
  { databaseConnections }: Config,
  projections: number,
) => {
  const open = (applicationName: string, max: number, idleMs?: number) =>
    openPool({
      applicationName,
      max,
      lazyCommit: true,
      byKeys: true,
      ...(idleMs ? { idleMs } : {}),
    });
  return {
    projectionDb: open('letters-projections', Math.ceil(databaseConnections / 2) + 1),
    rebuildDb: open('letters-rebuild', projections + 2, rebuildIdleMs),
  };
};

/**
 * The `url` is that of the PostgreSQL database.
 * @param projections how many read models there are
 * @param abandoned closes an EventStoreDB, so that nothing waits for its answers any more
 */
export const openStorage = async (
  config: Config,
  log: Log,
  projections: number,
  abandoned?: AbortSignal,
) => {
  await using opening = new AsyncDisposableStack();
  const onError = (error: unknown): void => log.warn({ err: messageOf(error) }, 'database trouble');

  const startPostgres = async (): Promise<string> => {
    const postgres = await startEmbeddedPostgres({
      dataDir: config.dataDir,
      log: (line) => log.warn({}, line),
    });
    opening.defer(() => postgres.stop());
    return postgres.url;
  };
  const openProbe = (what: string, question: Question, answerMs?: number) =>
    opening.adopt(
      startProbe(question, {
        ...(answerMs === undefined ? {} : { answerMs }),
        onChange: (lost) => log.warn({}, `${what} ${lost ? lostState : 'answers'}`),
      }),
      (probe) => probe.stop(),
    );
  const openPool = (options: PoolOptions) =>
    opening.adopt(createReadDb({ url, onError, ...options }), (db) => db.close());

  const url = config.databaseUrl ?? (await startPostgres());
  const question = opening.adopt(createPostgresQuestion(url), (one) => one.close());
  const applied = await migrate(url);
  if (applied.length > 0) log.info({ tables: applied }, 'tables made or brought up to date');
  // To connect takes longer than to answer, and a database that is taken for lost stops the start.
  const asked = question.ask();
  const isAnswered = await endsWithin(connectMs, asked).catch(() => false);
  if (isAnswered && !(await asked)) throw new StoreUnavailable('the database takes no writes');
  const probe = openProbe('the database', question);
  const readDb = openPool({
    max: config.databaseConnections,
    applicationName: 'letters-read',
    isLost: probe.isLost,
    whenLost: probe.whenLost,
  });
  const { projectionDb, rebuildDb } = openReadModels(openPool, config, projections);
  const openedStore = opening.adopt(
    await openLog(config, {
      url,
      log,
      abandoned,
      whenLost: probe.whenLost,
      listen: question.listen,
      onError,
    }),
    (one) => one.close(),
  );
  const logProbe =
    config.eventStore === 'eventstoredb'
      ? openProbe('the log', { ask: openedStore.ping ?? openedStore.head }, logAnswerMs)
      : probe;
  const guarded = await guardLog(openedStore, logProbe.isLost, { config, db: readDb, log });
  const blobs = countedBlobs(await openBlobs(config), readDb);
  const opened = opening.move();
  return {
    url,
    /** For readers, and for rows that must be on disk when they are written. */
    readDb,
    /** For read models: its commits do not wait for the disk. */
    projectionDb,
    /** The same for their rebuild, in which each writes at the same time as the others. */
    rebuildDb,
    ...guarded,
    /** Whether the database or the log is known to hang or to take no writes. */
    isLost: () => probe.isLost() || logProbe.isLost(),
    credentials: createCredentialStore({ db: readDb }),
    blobs,
    /** Bytes of accounts in the blob store. */
    storedBytes: createStoredBytes({
      db: readDb,
      clock: Date.now,
      quota: config.limits.storedBytesPerAccount,
    }),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
};
