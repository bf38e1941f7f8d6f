/**
 * Keeps a process's keyring as the database has it, and tells other processes how far it is: its connection holds a
 * shared advisory lock on the version of the roots that it knows.
 */
import type { Client } from 'pg';
import type { Log } from '../../ground/log.ts';
import { messageOf } from '../../ground/message-of.ts';
import { createConnection } from '../event-store/postgres/connection.ts';
import type { Keyring, Roots } from './keyring.ts';

/** First half of the advisory lock; the second is the version that is known. */
const lockClass = 730_551_327;

/** Of the connection that each process keeps for this. */
const followerName = 'letters-data-keys';

const retryMs = 2_000;
const reconnectMs = 1_000;

const createRootFollower = (ports: {
  keyring: Keyring;
  /** Reads and opens the roots as they are now. */
  load: () => Promise<Roots>;
  /** Works on the connection that follows. */
  use: (work: (client: Client) => Promise<void>) => Promise<void>;
  log: Pick<Log, 'warn'>;
}) => {
  const { keyring, load, use, log } = ports;
  const held = new WeakMap<Client, number>();
  let retry: NodeJS.Timeout | undefined;
  let closed = false;

  const holdVersion = async (client: Client): Promise<void> => {
    const version = keyring.version();
    const before = held.get(client);
    if (before === version) return;
    await client.query('select pg_advisory_lock_shared($1, $2)', [lockClass, version]);
    held.set(client, version);
    if (before === undefined) return;
    await client.query('select pg_advisory_unlock_shared($1, $2)', [lockClass, before]);
  };

  const readNow = async (): Promise<void> => {
    keyring.replace(await load());
    await use(holdVersion);
  };
  let reading: Promise<void> = Promise.resolve();
  /** One after the other: a reading that began before a change may not see it. */
  const refresh = (): Promise<void> => {
    reading = reading.catch(() => {}).then(readNow);
    return reading;
  };

  const refreshSoon = (): void => {
    refresh().catch((error: unknown) => {
      if (closed) return;
      log.warn({ err: messageOf(error) }, 'the keys could not be read again; trying again');
      clearTimeout(retry);
      retry = setTimeout(refreshSoon, retryMs).unref();
    });
  };

  return {
    /** Reads the roots now. */
    refresh,
    async onConnect(client: Client): Promise<void> {
      client.on('notification', ({ channel }) => {
        if (channel === 'key_roots') refreshSoon();
      });
      await client.query('listen key_roots');
      await holdVersion(client);
      // Reads changes that were made while nobody listened.
      refreshSoon();
    },
    close(): void {
      closed = true;
      clearTimeout(retry);
    },
  };
};

/**
 * A connection that is made when it is first wanted, and again whenever it was lost. Without it, this process does
 * not learn of changes. Its keyring follows the roots in the database.
 */
export const createFollowingConnection = (options: {
  url: string;
  patienceMs: number;
  keyring: Keyring;
  /** Reads and opens the roots as they are now. */
  loadRoots: () => Promise<Roots>;
  log: Pick<Log, 'warn'>;
  onConnect: (client: Client) => Promise<void>;
}) => {
  let closed = false;
  const connection = createConnection({
    url: options.url,
    applicationName: followerName,
    patienceMs: options.patienceMs,
    async onConnect(client) {
      await options.onConnect(client);
      await follower.onConnect(client);
    },
    onLost: () => stayConnected(),
  });
  const { keyring, loadRoots: load, log } = options;
  const follower = createRootFollower({ keyring, load, use: connection.use, log });
  const stayConnected = (): void => {
    if (closed) return;
    connection.use(async () => {}).catch(() => setTimeout(stayConnected, reconnectMs).unref());
  };
  let isWanted = false;
  return {
    use: connection.use,
    /** Begins to follow, once. Commands that keep no data keys need no connection. */
    connect(): void {
      if (isWanted) return;
      isWanted = true;
      stayConnected();
    },
    /** Reads the roots now. */
    refresh: follower.refresh,
    close(): Promise<void> {
      closed = true;
      follower.close();
      return connection.close();
    },
  };
};

/** Processes that do not know this version of the roots, for a person who must find them. */
export const unawareOf = async (
  db: { query(text: string, values: unknown[]): Promise<{ rows: unknown[] }> },
  version: number,
): Promise<{ pid: number; from: string; since: string }[]> => {
  const { rows } = await db.query(
    `select a.pid, coalesce(host(a.client_addr), 'this machine') as from, a.backend_start::text as since
     from pg_stat_activity a
     where a.datname = current_database() and a.application_name = $1
       and not exists (
         select from pg_locks l
         where l.pid = a.pid and l.locktype = 'advisory' and l.granted
           and l.classid = $2::oid and l.objid = $3::oid and l.objsubid = 2)
     order by a.pid`,
    [followerName, lockClass, version],
  );
  return rows as { pid: number; from: string; since: string }[];
};
