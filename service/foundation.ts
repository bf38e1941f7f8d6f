/** What all parts of the service stand on: databases, event store, keys. */
import { mkdir } from 'node:fs/promises';
import { createAccountService, createKeyMaker } from '../commands/accounts/register-account.ts';
import { createCommandHandler } from '../commands/handling/handle.ts';
import type { Log } from '../contract/log.ts';
import type { EventStore } from '../events/event-store.ts';
import { createEventStoreDb } from '../infra/event-store/eventstoredb.ts';
import { createPostgresEventStore } from '../infra/event-store/postgres/index.ts';
import { createSafeFetch } from '../infra/fetch/safe-fetch.ts';
import { createCredentialStore } from '../infra/identity/credential-store.ts';
import { prepareCredentialTables } from '../infra/identity/credential-tables.ts';
import { createDidResolver } from '../infra/identity/did-resolver.ts';
import { openServiceKeys } from '../infra/identity/service-keys.ts';
import { prepareJobs } from '../infra/jobs/jobs.ts';
import { createDataKeys } from '../infra/keys/data-keys.ts';
import { createIndexer, deriveKey } from '../infra/keys/derive.ts';
import { loadMasterKey } from '../infra/keys/master-key.ts';
import { startEmbeddedPostgres } from '../infra/postgres/embedded.ts';
import { prepareQuotes } from '../infra/postgres/quotes.ts';
import { createReadDb } from '../infra/postgres/read-db.ts';
import { prepareDeliveries } from '../infra/webhooks/messages.ts';
import { prepareReadModels } from '../projections/runner.ts';
import { walletOf } from '../projections/wallets/query.ts';
import type { Config } from './config/config.ts';
import { createDocumentTools } from './documents.ts';
import { projections } from './read-models.ts';

type Stop = () => Promise<void>;

/** Everything that is shared by the parts of the service and by the operator's commands. */
export type Foundation = Awaited<ReturnType<typeof openFoundation>>;

/** Opens databases, event store and keys. */
export const openFoundation = async (
  config: Config,
  log: Log,
  /** Where the service that starts is reached: its identity follows that. Absent for commands beside it. */
  startedAt?: string,
) => {
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
  await prepareJobs({ url, log });
  await prepareDeliveries(readDb);
  await prepareQuotes(readDb);
  const outbound = createSafeFetch({ allowPrivate: config.allowPrivateFetch });
  stops.push(() => outbound.close());
  const clock = Date.now;
  const handler = createCommandHandler({
    store,
    dataKeys,
    clock,
    periodHint: async (accountId) =>
      (await walletOf(readDb, accountId).catch(() => undefined))?.period ?? 0,
  });
  const serviceKeys = await openServiceKeys({
    ...{ store, handler, db: readDb, masterKey, clock, log },
    baseUrl: startedAt ?? config.baseUrl,
    moves: startedAt !== undefined,
  });
  stops.push(() => serviceKeys.close());
  await prepareCredentialTables(readDb);
  const didResolver = createDidResolver({
    serviceKeys,
    clock,
    allowPrivate: config.allowPrivateFetch,
  });
  stops.push(() => didResolver.close());
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
    serviceKeys,
    credentials: createCredentialStore({ db: readDb }),
    didResolver,
    documentTools,
    /** To the addresses of webhooks. */
    outbound,
    accounts: accountService,
    runner: { store, db: projectionDb, log },
    async close(): Promise<void> {
      for (const stop of stops.toReversed()) await stop();
    },
  };
};
