/** Where a benchmark plays: a fresh PostgreSQL in a temporary folder, and the processes it started. */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startEmbeddedPostgres } from '../infra/postgres/embedded.ts';

const cleanups = new Set<() => Promise<void>>();

/** Remembers the parts to end when the benchmark is cut short; the result ends them now, once. */
const cleanedUp = (work: () => Promise<void>): (() => Promise<void>) => {
  let done: Promise<void> | undefined;
  const once = (): Promise<void> => {
    done ??= work().finally(() => cleanups.delete(once));
    return done;
  };
  cleanups.add(once);
  return once;
};

/** Ends everything that still runs, latest first. */
export const cleanUp = async (): Promise<void> => {
  for (const cleanup of [...cleanups].toReversed()) await cleanup().catch(() => {});
};

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

const endPostgres = async (pid: number): Promise<void> => {
  if (isAlive(pid)) process.kill(pid, 'SIGQUIT');
  while (isAlive(pid)) await delay(20);
};

export type Cluster = { dataDir: string; url: string; stop(): Promise<void> };

/** A folder that is gone when the benchmark ends, whatever happens. */
export const temporaryFolder = async (): Promise<{ path: string; remove(): Promise<void> }> => {
  const path = await mkdtemp(join(tmpdir(), 'letters-bench-'));
  // Processes that are ending may still write into it.
  const options = { recursive: true, force: true, maxRetries: 10, retryDelay: 50 };
  return { path, remove: cleanedUp(() => rm(path, options)) };
};

/** The embedded PostgreSQL of the service, with its settings, empty. */
export const startCluster = async (): Promise<Cluster> => {
  const folder = await temporaryFolder();
  const starting = startEmbeddedPostgres({ dataDir: folder.path });
  const stop = cleanedUp(async () => {
    const postgres = await starting.catch(() => undefined);
    const pid = postgres?.pid;
    await postgres?.stop();
    // It stays for others that use it, but when a run is cut short those are ours and end as well.
    if (pid !== undefined) await endPostgres(pid);
    await folder.remove();
  });
  const { url } = await starting;
  return { dataDir: folder.path, url, stop };
};

const stopTimeoutMs = 15_000;

const ended = (child: ChildProcess): Promise<void> =>
  child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve()
    : new Promise((resolve) => child.once('exit', () => resolve()));

/** SIGTERM, and SIGKILL when that does not help. */
const terminate = async (child: ChildProcess): Promise<void> => {
  child.kill('SIGTERM');
  const kill = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
  await ended(child);
  clearTimeout(kill);
};

export type Child = { process: ChildProcess; pid: number; stop(): Promise<void> };

const kept = (child: ChildProcess): Child => {
  const stop = cleanedUp(() => terminate(child));
  // A process that has ended needs no cleaning up.
  child.once('exit', () => void stop());
  return { process: child, pid: child.pid ?? 0, stop };
};

/** Starts a script with a channel for messages; its output is shown. */
export const forkScript = (path: string): Child =>
  kept(
    fork(new URL(path, import.meta.url), {
      execPath: process.execPath,
      execArgv: ['--disable-warning=ExperimentalWarning'],
      serialization: 'advanced',
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    }),
  );

/** Starts a node program with nothing but `env`, its output in `logFile`. */
export const spawnProgram = (
  args: string[],
  env: Record<string, string>,
  logFile: string,
): Child => {
  const log = openSync(logFile, 'a');
  const child = spawn(process.execPath, args, {
    cwd: new URL('..', import.meta.url),
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  return kept(child);
};

/** The first message for which `select` gives something. @throws Error when the child ends before */
export const messageOf = <T>(
  child: Child,
  select: (message: unknown) => T | undefined,
): Promise<T> =>
  new Promise((resolve, reject) => {
    const onExit = (code: number | null): void => {
      reject(new Error(`${child.process.spawnargs.at(-1)} ended with ${code} before it answered`));
    };
    const onMessage = (message: unknown): void => {
      const selected = select(message);
      if (selected === undefined) return;
      child.process.off('message', onMessage);
      child.process.off('exit', onExit);
      resolve(selected);
    };
    child.process.on('message', onMessage);
    child.process.once('exit', onExit);
  });
