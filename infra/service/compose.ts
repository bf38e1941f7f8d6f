/** Puts the service together out of its parts, by plain functions. */
import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { finishErasure, settleWallet } from '../../commands/consequences.ts';
import { createCommandHandler } from '../../commands/handle.ts';
import { createQuoteTokens } from '../../commands/quote.ts';
import { createAccountService, createKeyMaker } from '../../commands/register-account.ts';
import { createSendLetter } from '../../commands/send-letter.ts';
import type { EventStore } from '../../events/event-store.ts';
import { accounts } from '../../projections/accounts/project.ts';
import { letters } from '../../projections/letters/project.ts';
import { dueLetters } from '../../projections/letters/query.ts';
import { notifications } from '../../projections/notifications/project.ts';
import { ensureReadModels, liveGeneration } from '../../projections/rebuild.ts';
import { prepareReadModels, startProjections } from '../../projections/runner.ts';
import { wallets } from '../../projections/wallets/project.ts';
import { walletOf } from '../../projections/wallets/query.ts';
import { createEraseLetters } from '../../reactors/erase-letters.ts';
import { createOpenWallets } from '../../reactors/open-wallets.ts';
import {
  createProduceLetters,
  type ProductionPorts,
  releaseLetters,
} from '../../reactors/produce-letters.ts';
import { startReactor } from '../../reactors/reactor.ts';
import { createSettleWallets } from '../../reactors/settle-wallets.ts';
import { accountReadOperations } from '../../read-api/accounts.ts';
import { catalogueOperations } from '../../read-api/catalogue.ts';
import { generalOperations, serviceVersion } from '../../read-api/general.ts';
import { letterReadOperations } from '../../read-api/letters.ts';
import { accountOperations } from '../../write-api/accounts.ts';
import { letterOperations } from '../../write-api/letters.ts';
import { quoteOperations } from '../../write-api/quotes.ts';
import { createAuthenticator } from '../auth.ts';
import { createCheckpoints } from '../checkpoints.ts';
import type { Config } from '../config.ts';
import { createEventStoreDb } from '../event-store/eventstoredb.ts';
import { createPostgresEventStore } from '../event-store/postgres/index.ts';
import { docs } from '../http/docs.ts';
import { buildHttpApp } from '../http/kernel.ts';
import { openApiDocument } from '../http/openapi.ts';
import type { HttpOptions } from '../http/rule.ts';
import { createDataKeys } from '../keys/data-keys.ts';
import { createIndexer, deriveKey } from '../keys/derive.ts';
import { loadMasterKey } from '../keys/master-key.ts';
import type { Logger } from '../log.ts';
import { startEmbeddedPostgres } from '../postgres/embedded.ts';
import { createReadDb } from '../postgres/read-db.ts';
import { createHotfolder } from '../print/hotfolder.ts';
import { createInbox } from '../print/inbox.ts';
import { letterFont } from '../render/fonts.ts';
import { createDocumentTools } from './documents.ts';
import { createLetterReader } from './letter-reader.ts';
import { followCheckpoints, type Positions } from './positions.ts';
import { createMetrics, systemOperations } from './system-operations.ts';

export const projections = [accounts, letters, wallets, notifications];

/** How long a write waits for the read models that its caller will read next. */
const freshnessMs = 250;
/** How long a read waits for the position that its caller asks for. */
const minPositionMs = 2_000;
const dueBatch = 200;

type Stop = () => Promise<void>;

/** Everything that is shared by the parts of the service and by the operator's commands. */
export type Foundation = Awaited<ReturnType<typeof openFoundation>>;

/** Opens databases, event store and keys. */
export const openFoundation = async (config: Config, log: Logger) => {
  const stops: Stop[] = [];
  const onError = (error: unknown): void =>
    log.warn({ err: error instanceof Error ? error.message : String(error) }, 'database trouble');
  await mkdir(config.dataDir, { recursive: true });
  const masterKey = await loadMasterKey({
    masterKey: config.masterKey,
    dataDir: config.dataDir,
    log: (line) => log.warn({}, line),
  });
  let url = config.databaseUrl;
  if (url === undefined) {
    const postgres = await startEmbeddedPostgres({
      dataDir: config.dataDir,
      log: (line) => log.info({}, line),
    });
    url = postgres.url;
    stops.push(() => postgres.stop());
  }
  const readDb = createReadDb({ url, max: 8, applicationName: 'letters-read', onError });
  const projectionDb = createReadDb({
    url,
    max: projections.length + 2,
    applicationName: 'letters-projections',
    lazyCommit: true,
    onError,
  });
  stops.push(
    () => readDb.close(),
    () => projectionDb.close(),
  );
  const dataKeys = await createDataKeys({
    url,
    pool: readDb.pool,
    masterKey,
  });
  stops.push(() => dataKeys.close());
  const store: EventStore =
    config.eventStore === 'eventstoredb'
      ? createEventStoreDb({
          connectionString: config.eventStoreUrl ?? '',
          eventBytes: config.limits.eventBytes,
          log,
        })
      : await createPostgresEventStore({ url, eventBytes: config.limits.eventBytes, onError });
  stops.push(() => store.close());
  await prepareReadModels(projectionDb);
  const clock = Date.now;
  const handler = createCommandHandler({
    store,
    dataKeys,
    clock,
    periodHint: async (accountId) =>
      (await walletOf(readDb, accountId).catch(() => undefined))?.period ?? 0,
  });
  const documentTools = await createDocumentTools(config, log, dataKeys);
  stops.push(() => documentTools.close());
  const indexOf = createIndexer(masterKey);
  const accountService = createAccountService({
    handler,
    clock,
    limits: config.limits,
    indexOf,
    makeKey: createKeyMaker(deriveKey(masterKey, 'api-keys')),
  });
  return {
    config,
    log,
    masterKey,
    url,
    readDb,
    projectionDb,
    dataKeys,
    store,
    clock,
    handler,
    indexOf,
    documentTools,
    accounts: accountService,
    runner: { store, db: projectionDb, log },
    async close(): Promise<void> {
      for (const stop of stops.toReversed()) await stop();
    },
  };
};

/** Where the files of print partners lie. */
export const printFolders = (config: Config) => {
  const folder = config.print.hotfolder ?? config.dataDir;
  return {
    outbox: join(folder, 'outbox'),
    inbox: join(folder, 'inbox'),
    simulator: join(config.dataDir, 'simulator'),
  };
};

const startReactors = async (foundation: Foundation) => {
  const { config, handler, dataKeys, clock, store, log, readDb, url } = foundation;
  if (config.print.partner !== 'hotfolder') {
    // Letters must not quietly go elsewhere than they were told to.
    throw new Error(
      `PRINT_PARTNER=${config.print.partner} is not available in this version; use hotfolder.`,
    );
  }
  const folders = printFolders(config);
  const checkpoints = await createCheckpoints({ db: readDb, url });
  const production: ProductionPorts = {
    handler,
    clock,
    partner: createHotfolder('hotfolder', folders.outbox),
    simulator: createHotfolder('simulator', folders.simulator),
    render: foundation.documentTools.render,
  };
  const settle = createSettleWallets({
    handler,
    clock,
    patienceMs: config.limits.reservationPatienceMs,
  });
  const erase = createEraseLetters({
    handler,
    dataKeys,
    files: foundation.documentTools.files,
    partners: [production.partner, production.simulator],
  });
  const ports = { store, checkpoints, log };
  const openWallets = createOpenWallets(foundation);
  const reactors = [openWallets, settle, createProduceLetters(production), erase].map((reactor) =>
    startReactor(reactor, ports),
  );
  const inbox = createInbox({ folder: folders.inbox, handler, log });
  const release = async (): Promise<void> => {
    const now = new Date(clock()).toISOString();
    await releaseLetters(production, await dueLetters(readDb, now, dueBatch));
  };
  const chores = [
    every(1_000, release, log, 'releasing due letters'),
    every(5_000, () => settle.sweep(), log, 'sweeping reservations'),
    every(2_000, () => inbox.poll(), log, 'reading status reports'),
  ];
  return {
    statuses: () => reactors.map((reactor) => reactor.status()),
    async stop(): Promise<void> {
      await Promise.all(chores.map((stop) => stop()));
      await Promise.all(reactors.map((reactor) => reactor.stop()));
      await checkpoints.close();
    },
  };
};

/** Does `work` again and again with a pause between, until it is stopped. */
const every = (pauseMs: number, work: () => Promise<unknown>, log: Logger, what: string): Stop => {
  let stopped = false;
  let wake = (): void => {};
  const loop = (async () => {
    while (!stopped) {
      try {
        await work();
      } catch (error) {
        log.error(
          { err: error instanceof Error ? error.message : String(error) },
          `${what} failed`,
        );
      }
      if (stopped) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, pauseMs);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  })();
  return async () => {
    stopped = true;
    wake();
    await loop;
  };
};

/** The operations of the write API, over the foundation. */
const writeOperations = (foundation: Foundation, positions: Positions, keysChanged: () => void) => {
  const { config, handler, dataKeys, clock, indexOf, masterKey } = foundation;
  const cancellationWindowMs = config.cancellationWindowSeconds * 1_000;
  const { metrics } = letterFont();
  const { documents, files } = foundation.documentTools;
  const ports = {
    handler,
    dataKeys,
    clock,
    metrics,
    documents,
    files,
    limits: config.limits,
    cancellationWindowMs,
    indexOf,
  };
  const reader = createLetterReader({ ...foundation, files, db: foundation.readDb });
  const context = {
    ...ports,
    letters: createSendLetter(ports),
    accounts: foundation.accounts,
    quotes: createQuoteTokens(deriveKey(masterKey, 'quotes')),
    settle: (letterId: string, command: Parameters<typeof settleWallet>[2]) =>
      settleWallet({ handler }, letterId, command),
    forget: (letterId: string) => finishErasure({ handler, dataKeys, files }, letterId),
    readLetter: reader.readLetter,
    waitFor: (names: string[], position: bigint) => positions.waitFor(names, position, freshnessMs),
    keysChanged,
    newSecret: () => `whsec_${randomBytes(32).toString('base64')}`,
  };
  return [...accountOperations(context), ...quoteOperations(context), ...letterOperations(context)];
};

const readOperations = (
  foundation: Foundation,
  baseUrl: string,
  lastUsed: (keyIds: string[]) => Promise<Map<string, Date>>,
) => {
  const { config, clock, indexOf, readDb: db } = foundation;
  const { files, preview } = foundation.documentTools;
  const reader = createLetterReader({ ...foundation, files, db });
  const context = { db, preview, clock, limits: config.limits, indexOf, ...reader, lastUsed };
  return [
    ...generalOperations({ baseUrl }),
    ...catalogueOperations(context),
    ...letterReadOperations(context),
    ...accountReadOperations(context),
  ];
};

/** Starts the parts that `config.roles` names. `app` is absent when none of them is an API. */
export const startService = async (
  config: Config,
  log: Logger,
  baseUrl: string,
  hooks: Pick<HttpOptions, 'onResponse'> = {},
) => {
  const foundation = await openFoundation(config, log);
  const { readDb, clock, limits } = { ...foundation, limits: config.limits };
  const has = (role: Config['roles'][number]): boolean => config.roles.includes(role);
  const stops: Stop[] = [() => foundation.close()];
  try {
    const rebuilt = await ensureReadModels(foundation.runner, projections);
    if (rebuilt.length > 0) log.info({ projections: rebuilt }, 'read models filled from the log');
    const names = projections.map((projection) => projection.name);
    const running = has('projections')
      ? startProjections({
          ...foundation.runner,
          projections,
          liveGeneration: (name) => liveGeneration(foundation.projectionDb, name),
        })
      : followCheckpoints(readDb, names);
    stops.push(() => running.stop());
    const reactors = has('reactors') ? await startReactors(foundation) : undefined;
    if (reactors) stops.push(() => reactors.stop());
    const auth = await createAuthenticator({
      db: readDb,
      clock,
      onError: (error) => log.warn({ err: String(error) }, 'usage not saved'),
    });
    stops.push(() => auth.stop());

    const system = {
      clock,
      head: () => foundation.store.head(),
      projections: () => running.statuses(),
      reactors: () => reactors?.statuses() ?? [],
      maxLag: foundation.store.dense ? 10_000n : 1n << 40n,
    };
    const metrics = createMetrics(system);
    const operations = [
      ...systemOperations({ ...system, registry: metrics.registry, openApi: () => document }),
      ...(has('read-api') ? readOperations(foundation, baseUrl, auth.lastUsed) : []),
      ...(has('write-api') ? writeOperations(foundation, running, auth.keysChanged) : []),
    ];
    const document = openApiDocument({ operations, baseUrl, version: serviceVersion });
    const app = buildHttpApp({
      operations,
      authenticate: auth.authenticate,
      limits,
      clock,
      log,
      baseUrl,
      metrics,
      waitFor: (position) => running.waitFor(names, position, minPositionMs),
      mounts: [docs()],
      ...hooks,
    });
    return {
      app,
      foundation,
      operations,
      async stop(): Promise<void> {
        for (const stop of stops.toReversed()) await stop();
      },
    };
  } catch (error) {
    for (const stop of stops.toReversed()) await stop().catch(() => {});
    throw error;
  }
};
