import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import { createBackoff } from '../../ground/backoff.ts';
import { messageOf } from '../../ground/message-of.ts';
import { pause } from '../../ground/pause.ts';
import { findBinaries } from './embedded/binaries.ts';
import { ensureCluster, loadPassword } from './embedded/cluster.ts';
import {
  type Hold,
  hold,
  holdOrStart,
  type Place,
  pollMs,
  urlOf,
  usersLock,
} from './embedded/hold.ts';
import { findPostmaster, isAlive } from './embedded/postmaster.ts';
import { chooseRunAs } from './embedded/run-as.ts';
import { watchKills } from './embedded/server.ts';
import { showUse } from './embedded/server-space.ts';

/** A running PostgreSQL. `url` stays the same while it runs; `pid` changes if it is restarted. */
export type EmbeddedPostgres = { url: string; stop(): Promise<void>; readonly pid: number };

const stopTimeoutMs = 4_000;
const killTimeoutMs = 1_000;

const endsWithin = async (pid: number, timeoutMs: number): Promise<boolean> => {
  const deadline = Date.now() + timeoutMs;
  while (isAlive(pid) && Date.now() < deadline) await delay(pollMs);
  return !isAlive(pid);
};

/** Fast shutdown; when that takes too long an immediate one, after which the next start recovers. */
const shutDown = async (pid: number): Promise<void> => {
  for (const [signal, timeoutMs] of [
    ['SIGINT', stopTimeoutMs],
    ['SIGQUIT', killTimeoutMs],
  ] as const) {
    if (!isAlive(pid)) return;
    process.kill(pid, signal);
    if (await endsWithin(pid, timeoutMs)) return;
  }
};

/** Ends the database server of a folder that will be removed, even if the server outlived its program. */
export const endEmbeddedPostgres = async (dataDir: string): Promise<void> => {
  const postmaster = findPostmaster(join(dataDir, 'postgres'));
  if (postmaster) await shutDown(postmaster.pid);
};

/** Whether no other process uses the server, as far as the server knows. */
const isLastUser = async (client: Client): Promise<boolean> => {
  const { rows } = await client.query<{ last: boolean }>(
    `select pg_advisory_unlock_shared(${usersLock}), pg_try_advisory_lock(${usersLock}) as last`,
  );
  return rows[0]?.last ?? false;
};

/**
 * Lets go of the server, and ends it unless another process uses it. A server that is just coming back up
 * cannot be asked; it is ended, and the next process that uses it starts it again.
 */
const release = async (place: Place, held: Hold): Promise<void> => {
  const postmaster = findPostmaster(place.clusterDir);
  if (postmaster) {
    const askAgain = async (): Promise<boolean> => {
      const again = await hold(place, postmaster.port, postmaster.pid).catch(() => undefined);
      const last = again ? await isLastUser(again.client).catch(() => true) : true;
      await again?.client.end().catch(() => undefined);
      return last;
    };
    const last = await isLastUser(held.client).catch(askAgain);
    if (last) await shutDown(postmaster.pid);
  }
  await held.client.end().catch(() => undefined);
};

/** Connects again, and starts the server again if it is gone, until that works or `stop` is set. */
const holdAgain = async (
  place: Place,
  port: number,
  stopping: AbortSignal,
): Promise<Hold | undefined> => {
  const backoff = createBackoff({ firstMs: 100, mostMs: 5_000 });
  while (!stopping.aborted) {
    try {
      return await holdOrStart(place, port, stopping);
    } catch (error) {
      if (stopping.aborted) return undefined;
      const waitMs = backoff.nextMs();
      place.log(`${messageOf(error)}; trying again in ${waitMs} ms`);
      await pause(waitMs, stopping);
    }
  }
  return undefined;
};

const prepare = async (dataDir: string, log: (line: string) => void): Promise<Place> => {
  await mkdir(dataDir, { recursive: true });
  const folder = await realpath(dataDir);
  const clusterDir = join(folder, 'postgres');
  const binaries = await findBinaries();
  const runAs = chooseRunAs(binaries, folder);
  const password = await loadPassword(folder);
  await ensureCluster(binaries, runAs, folder, password);
  return { binaries, runAs, clusterDir, logFile: join(folder, 'postgres.log'), password, log };
};

/** Stops the servers that this process uses. */
const stops = new Set<() => Promise<void>>();

/**
 * Stops the servers that this process uses, also one that is being started; see `startEmbeddedPostgres`. For a program
 * that a signal ends.
 */
export const stopEmbeddedPostgres = async (): Promise<void> => {
  await Promise.allSettled([...stops].map((stop) => stop()));
};

/**
 * Runs the PostgreSQL of `dataDir`: makes it on first use, takes over one that still runs (after a
 * crash of ours, or one that another process of ours uses), and starts it again when it dies.
 * It listens on 127.0.0.1 only, with a random password in `<dataDir>/postgres-password`.
 * `stop` ends the server within 5 s unless another process still uses it.
 * @throws Error with one sentence that names the way out
 */
export const startEmbeddedPostgres = async (options: {
  dataDir: string;
  log?: (line: string) => void;
}): Promise<EmbeddedPostgres> => {
  const place = await prepare(options.dataDir, options.log ?? (() => undefined));
  const stopping = new AbortController();
  const use = showUse(place.clusterDir);
  const starting = holdOrStart(place, 0, stopping.signal);
  let again: Hold | undefined;
  let watching: Promise<void> | undefined;

  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopping.abort();
    stopped ??= starting
      .then((first) => release(place, again ?? first))
      .then(() => watching)
      .finally(() => {
        use.stop();
        stops.delete(stop);
      });
    return stopped;
  };
  stops.add(stop);
  const first = await starting.catch((error: unknown) => {
    use.stop();
    stops.delete(stop);
    throw error;
  });
  const { port } = first;

  const watch = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const held = again ?? first;
      const lostNow = watchKills(place.logFile);
      await held.lost;
      const whyKilled = lostNow();
      if (stopping.signal.aborted) return;
      place.log(`PostgreSQL (process ${held.pid}) was lost; bringing it back`);
      again = (await holdAgain(place, port, stopping.signal)) ?? held;
      const why = whyKilled();
      if (why !== undefined) place.log(`PostgreSQL was lost because ${why}`);
      if (!stopping.signal.aborted) place.log(`PostgreSQL is back (process ${again.pid})`);
    }
  };
  watching = watch();

  return {
    url: urlOf(place, port),
    stop,
    get pid() {
      return (again ?? first).pid;
    },
  };
};
