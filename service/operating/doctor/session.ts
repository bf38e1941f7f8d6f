/** The database and the log as several checks use them: opened once and never changed. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from 'pg';
import type { EventStore } from '../../../events/event-store.ts';
import type { Log } from '../../../ground/log.ts';
import { connectClient, createClient } from '../../../infra/event-store/postgres/connection.ts';
import { startEmbeddedPostgres } from '../../../infra/postgres/embedded.ts';
import type { Config } from '../../config/config.ts';
import { openLog } from '../../foundation/storage.ts';

const connectMs = 5_000;
const queryMs = 5_000;

export type Session = {
  /** @throws Error when the database does not answer */
  client(): Promise<Client>;
  /** @throws Error when the log does not answer */
  store(): Promise<EventStore>;
};

/** The address of the database. An embedded server is started where no service runs; it is never made. */
const openUrl = async (config: Config, opening: AsyncDisposableStack): Promise<string> => {
  if (config.databaseUrl !== undefined) return config.databaseUrl;
  if (!existsSync(join(config.dataDir, 'postgres'))) {
    throw new Error(`${config.dataDir} has no data of a service`);
  }
  const { dataDir } = config;
  const postgres = opening.adopt(await startEmbeddedPostgres({ dataDir }), (one) => one.stop());
  return postgres.url;
};

export const openSession = (config: Config, log: Log, opening: AsyncDisposableStack): Session => {
  let url: Promise<string> | undefined;
  let client: Promise<Client> | undefined;
  let store: Promise<EventStore> | undefined;
  const address = (): Promise<string> => {
    url ??= openUrl(config, opening);
    return url;
  };
  const connect = async (): Promise<Client> => {
    const opened = createClient({
      url: await address(),
      applicationName: 'letters-doctor',
      connectionTimeoutMillis: connectMs,
      query_timeout: queryMs,
    });
    opening.defer(() => opened.end());
    await connectClient(opened);
    return opened;
  };
  const connected = (): Promise<Client> => {
    client ??= connect();
    return client;
  };
  const openStore = async (): Promise<EventStore> => {
    // A log in this database is away when the database is.
    if (config.eventStore === 'postgres') await connected();
    return opening.adopt(await openLog(config, { url: await address(), log }), (one) =>
      one.close(),
    );
  };
  return {
    client: connected,
    store() {
      store ??= openStore();
      return store;
    },
  };
};
