import type { Socket } from 'node:net';
import pg from 'pg';
import { StoreUnavailable } from '../../../events/event-store.ts';
import { createBackoff } from '../../../ground/backoff.ts';
import { settle, withSettings } from './connection-settings.ts';

/** 64-bit integers as bigint, for this store's clients only. */
const int8 = 20;
export const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === int8 ? BigInt : pg.types.getTypeParser(oid, format as 'text'),
} as pg.CustomTypesConfig;

/** The server takes no writes: it was demoted to a standby, or is set so. */
const readOnlyCode = '25006';

/** Whether an error says that the server or the way to it is gone, so that trying again on a new connection may help. */
export const isConnectionError = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false;
  const code = (error as { code?: string }).code ?? '';
  return (
    code === readOnlyCode ||
    /^(08|57P0|53300|ECONN|EPIPE|ENOENT|ENOTFOUND|ENET|EADDRNOTAVAIL|ETIMEDOUT|EHOST|EAI_AGAIN)/.test(
      code,
    ) ||
    /Connection terminated|not queryable|timeout exceeded|timeout expired|read timeout|connection error/i.test(
      error.message,
    )
  );
};

/** A connection error as callers see it. */
export const unavailable = (error: unknown): StoreUnavailable => {
  const isReadOnly = (error as { code?: string }).code === readOnlyCode;
  const why = isReadOnly ? 'takes no writes' : 'does not answer';
  return new StoreUnavailable(`the database ${why}`, error);
};

/**
 * How long a query may take, ms. Otherwise a network that swallows packets would hold a connection for ever:
 * nothing refuses, resets or closes it.
 */
export const queryTimeoutMs = 10_000;

const connectMs = 5_000;

/** For every client: what a dead peer costs. Ten probes a second apart follow the first. */
const liveness = {
  connectionTimeoutMillis: connectMs,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
};

/** Hears of notifications on a channel, on a connection that somebody else keeps. */
export type Hearer = {
  channel: string;
  heard: (payload: string | undefined) => void;
  /** Called each time that the connection has ended or could not be made. */
  onLost: () => void;
};

/** Calls what cuts connections each time that the database is found to hang. */
export type WhenLost = (cut: () => void) => void;

/** At once, and not by asking the server, which does not answer. */
const cut = (client: pg.ClientBase): void => {
  const { connection } = client as unknown as { connection: { stream: Socket } };
  connection.stream.destroy();
};

/**
 * A pool of connections that survives the loss of any of them, also of one that is in use and has nothing
 * to wait for: that would end the process if nobody listened.
 */
export const createPool = (options: {
  url: string;
  max: number;
  applicationName: string;
  onError: (error: Error) => void;
  whenLost?: WhenLost | undefined;
  /** Commits do not wait for the disk. */
  lazyCommit?: boolean | undefined;
  /** Further settings of each connection, as `name=value`. */
  settings?: readonly string[];
  config?: pg.PoolConfig;
}): pg.Pool => {
  const { lazyCommit, settings = [] } = options;
  const pool = new pg.Pool({
    ...withSettings(options.url, [...settings, ...(lazyCommit ? ['synchronous_commit=off'] : [])]),
    onConnect: (client) => settle(client, { lazyCommit }),
    max: options.max,
    application_name: options.applicationName,
    query_timeout: queryTimeoutMs,
    ...liveness,
    ...options.config,
  });
  // While it ends, the server may be stopped before a connection has said goodbye.
  pool.on('error', (error) => {
    if (!pool.ending) options.onError(error);
  });
  // Its user learns of the loss from the next query.
  pool.on('connect', (client) => client.on('error', () => {}));
  const { whenLost } = options;
  if (whenLost) {
    const open = new Set<pg.PoolClient>();
    pool.on('connect', (client) => open.add(client));
    pool.on('remove', (client) => open.delete(client));
    whenLost(() => {
      for (const client of open) cut(client);
    });
  }
  return pool;
};

type ClientOptions = { url: string; applicationName: string } & Omit<
  pg.ClientConfig,
  'connectionString'
>;

/** A single connection that is not open yet. Its user learns of its loss from the next query. */
export const createClient = ({ url, applicationName, ...config }: ClientOptions): pg.Client => {
  const client = new pg.Client({
    ...withSettings(url),
    application_name: applicationName,
    ...liveness,
    ...config,
  });
  client.on('error', () => undefined);
  return client;
};

/** The server answers, but not to a connection as its address describes it: without TLS, a trusted certificate or a password. */
export class WrongConnection extends Error {}

/** The driver, of a server without TLS and of a password that is missing; a TLS socket, of a certificate. */
const isWrong = (error: unknown): error is Error => {
  if (!(error instanceof Error)) return false;
  const code = (error as { code?: string }).code ?? '';
  return (
    /does not support SSL|^SASL: /.test(error.message) ||
    /^(ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/.test(code)
  );
};

/** Opens a connection that `createClient` made. @throws WrongConnection */
export const connectClient = async (client: pg.Client): Promise<void> => {
  await client.connect().catch((error: unknown) => {
    throw isWrong(error) ? new WrongConnection(error.message, { cause: error }) : error;
  });
  await settle(client);
};

/** Whether the database takes writes. A standby does not, nor does a database that is set to read-only. */
export const takesWrites = async (client: pg.ClientBase): Promise<boolean> => {
  const { rows } = await client.query<{ writable: boolean }>(
    `select current_setting('transaction_read_only') = 'off' as writable`,
  );
  return rows[0]?.writable ?? false;
};

/**
 * One connection for the work of a command, which closes it.
 * @throws StoreUnavailable when the database takes no writes
 */
export const openClient = async (options: ClientOptions): Promise<pg.Client> => {
  const client = createClient(options);
  try {
    await connectClient(client);
    if (!(await takesWrites(client))) throw unavailable({ code: readOnlyCode });
    return client;
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error;
  }
};

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * One connection that comes back by itself. `use` runs `work` on it; after a lost connection it runs
 * `work` again on a new one, so `work` must be safe to repeat. @throws StoreUnavailable after `patienceMs`
 */
export const createConnection = (options: {
  url: string;
  applicationName: string;
  patienceMs: number;
  /** How long a query, and connecting, may take. */
  queryMs?: number;
  whenLost?: WhenLost | undefined;
  onConnect?: (client: pg.Client) => Promise<void>;
  /** Called each time that a connection which stood has ended. */
  onLost?: () => void;
}) => {
  let current: Promise<pg.Client> | undefined;
  let closed = false;

  const connect = async (): Promise<pg.Client> => {
    const client = createClient({
      url: options.url,
      applicationName: options.applicationName,
      query_timeout: options.queryMs ?? queryTimeoutMs,
      connectionTimeoutMillis: Math.min(options.queryMs ?? queryTimeoutMs, connectMs),
      types,
    });
    client.on('error', () => drop(client));
    client.on('end', () => drop(client));
    await connectClient(client);
    await options.onConnect?.(client);
    live = client;
    return client;
  };

  let live: pg.Client | undefined;
  const drop = (client: pg.Client): void => {
    if (live !== client) return;
    live = undefined;
    current = undefined;
    options.onLost?.();
  };

  options.whenLost?.(() => live && cut(live));

  const get = (): Promise<pg.Client> => {
    if (closed) return Promise.reject(new StoreUnavailable('the store is closed'));
    current ??= connect().catch((error) => {
      current = undefined;
      throw error;
    });
    return current;
  };

  const run = async <T>(work: (client: pg.Client) => Promise<T>, deadline: number): Promise<T> => {
    const backoff = createBackoff({ firstMs: 20, mostMs: 500 });
    for (;;) {
      let client: pg.Client | undefined;
      try {
        client = await get();
        return await work(client);
      } catch (error) {
        if (!isConnectionError(error)) throw error;
        if (client) {
          drop(client);
          client.end().catch(() => {});
        }
        if (closed || Date.now() > deadline) {
          throw unavailable(error);
        }
        await wait(backoff.nextMs());
      }
    }
  };

  /** Works wait for each other: a client runs one query at a time. */
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = last.then(work, work);
    last = result.catch(() => {});
    return result;
  };

  return {
    get,
    use<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
      // Counts from here: who waited in the queue for its turn has waited as well.
      const deadline = Date.now() + options.patienceMs;
      return inTurn(() => run(work, deadline));
    },
    async close(): Promise<void> {
      closed = true;
      const client = await current?.catch(() => undefined);
      await client?.end().catch(() => {});
    },
  };
};
