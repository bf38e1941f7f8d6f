import { stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { endsWithin } from '../../../ground/deadline.ts';
import { connectClient, createClient } from '../../event-store/postgres/connection.ts';
import type { PostgresBinaries } from './binaries.ts';
import { superuser } from './cluster.ts';
import { findPostmaster, freePort, lastPort, notedPostmaster } from './postmaster.ts';
import type { RunAs } from './run-as.ts';
import { type StartedServer, spawnServer } from './server.ts';
import { goneAfterMs, isOfOtherSpace, lastShown, takeSpace } from './server-space.ts';

export type Place = {
  binaries: PostgresBinaries;
  runAs: RunAs;
  clusterDir: string;
  logFile: string;
  password: string;
  log: (line: string) => void;
};

/** One connection per user of the server: it tells when the server is lost, and who is left. */
export type Hold = { client: pg.Client; pid: number; port: number; lost: Promise<void> };

/** Recovery after a crash replays at most `max_wal_size`, which slow disks read in minutes. */
const startTimeoutMs = 600_000;
/** For a server that is interrupted while it starts. */
const interruptedMs = 4_000;
/** After which a line is logged. */
const slowMs = 5_000;
export const pollMs = 20;
/** Held shared by every process that uses the server. A process that gets it exclusively is the last one. */
export const usersLock = 7_202_600;

export const urlOf = (place: Place, port: number): string =>
  `postgres://${superuser}:${place.password}@127.0.0.1:${port}/postgres`;

/** Codes of a server that comes up or goes down: 57P03 cannot_connect_now, 57P01/2 shutdown. */
const passing = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', '57P03', '57P01', '57P02'];

/** Connects to the server of this cluster. `undefined`: not yet, or just going away. */
export const hold = async (place: Place, port: number, pid: number): Promise<Hold | undefined> => {
  const client = createClient({
    url: urlOf(place, port),
    applicationName: 'letters-holder',
    connectionTimeoutMillis: 10_000,
  });
  const lost = new Promise<void>((resolve) => {
    client.once('end', resolve);
    client.on('error', () => resolve());
  });
  try {
    await connectClient(client);
    const { rows } = await client.query<{ directory: string }>(
      `select current_setting('data_directory') as directory, pg_advisory_lock_shared(${usersLock})`,
    );
    await assertSameFolder(rows[0]?.directory ?? '', place.clusterDir);
    return { client, pid, port, lost };
  } catch (error) {
    await client.end().catch(() => undefined);
    const { code, message } = error as NodeJS.ErrnoException;
    if (passing.includes(code ?? '') || message.startsWith('Connection terminated')) {
      return undefined;
    }
    throw new Error(
      `the PostgreSQL server (process ${pid}) of ${place.clusterDir} does not let us in: ${message}; stop it, or set DATABASE_URL`,
      { cause: error },
    );
  }
};

const assertSameFolder = async (theirs: string, ours: string): Promise<void> => {
  const [a, b] = [await stat(theirs), await stat(ours)];
  if (a.ino !== b.ino || a.dev !== b.dev) throw new Error(`it serves ${theirs}`);
};

/** Reasons to wait when a server ended at once: dying children, a concurrent start. */
const waitsItself = /pre-existing shared memory block|lock file ".*" already exists/;
const portTaken = /Address already in use|could not create any TCP\/IP sockets/;

const failureOf = (output: string): string =>
  output.split('\n').findLast((line) => /FATAL|PANIC/.test(line)) ?? output.trim().slice(-500);

/**
 * Connects to the server that runs in another container, as containers of one pod can.
 * @returns undefined when that container is gone. @throws Error when it cannot be reached from here
 */
const holdOther = async (place: Place, stopping: AbortSignal): Promise<Hold | undefined> => {
  const shownMs = lastShown(place.clusterDir);
  const endMs = performance.now() + goneAfterMs;
  while (!stopping.aborted && isOfOtherSpace(place.clusterDir)) {
    const noted = notedPostmaster(place.clusterDir);
    const held = noted?.port && (await hold(place, noted.port, noted.pid).catch(() => undefined));
    if (held) return held;
    if (lastShown(place.clusterDir) !== shownMs) {
      throw new Error(
        `the PostgreSQL of ${place.clusterDir} runs in another container: run this command in that container, or give the service a database of its own with DATABASE_URL`,
      );
    }
    if (performance.now() > endMs) return undefined;
    await delay(pollMs * 10);
  }
  return undefined;
};

/**
 * Connects to the server of this cluster, starting it if none runs.
 * @param fixedPort the port that is known to others already, 0 for any
 * @throws Error when the server ends at once for a reason that waiting does not cure, and when
 * `stopping` aborts; a server that was being started is then stopped
 */
export const holdOrStart = async (
  place: Place,
  fixedPort: number,
  stopping: AbortSignal,
): Promise<Hold> => {
  const startedMs = Date.now();
  let slow = false;
  let ended: string | undefined;
  let started: StartedServer | undefined;
  while (!stopping.aborted && Date.now() < startedMs + startTimeoutMs) {
    const other = isOfOtherSpace(place.clusterDir) && (await holdOther(place, stopping));
    if (other) return other;
    takeSpace(place.clusterDir);
    const postmaster = findPostmaster(place.clusterDir);
    const held = postmaster?.port && (await hold(place, postmaster.port, postmaster.pid));
    if (held) return held;
    if (ended !== undefined) await waitOut(place, ended, fixedPort);
    if (!postmaster && (!started || ended !== undefined)) {
      const port = fixedPort || (await freePort(lastPort(place.clusterDir)));
      ended = undefined;
      started = spawnServer(place.binaries, place.runAs, { ...place, port });
      started.exited.then((output) => {
        ended = output;
      });
    }
    if (!slow && Date.now() > startedMs + slowMs) {
      slow = true;
      place.log(`PostgreSQL is not ready yet, it may be recovering (see ${place.logFile})`);
    }
    await delay(pollMs);
  }
  started?.interrupt();
  if (started) await endsWithin(interruptedMs, started.exited);
  throw new Error(`PostgreSQL did not become ready in ${startTimeoutMs / 1000} s`);
};

/** Returns when the start may be tried again. @throws Error when that would not help */
const waitOut = async (place: Place, output: string, fixedPort: number): Promise<void> => {
  if (waitsItself.test(output)) return delay(100);
  if (!portTaken.test(output)) {
    throw new Error(`PostgreSQL did not start: ${failureOf(output)} (see ${place.logFile})`);
  }
  if (fixedPort) {
    place.log(`PostgreSQL waits for port ${fixedPort}, which another program has taken`);
    await delay(1_000);
  }
};
