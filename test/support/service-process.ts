import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findPostmaster, isAlive } from '../../infra/postgres/embedded/postmaster.ts';
import { restAfterCheck } from './rest-after-check.ts';

const main = new URL('../../service/main.js', import.meta.url).pathname;

const quickStart = new URL('../../service/quick-start.js', import.meta.url).href;
/** For programs that a test starts: they start as quickly as the service. */
export const programEnv = { PATH: process.env.PATH, NODE_OPTIONS: `--import=${quickStart}` };

/** The last answer of /health, for the error of a test that waited in vain. */
const lastHealth = async (url: string | undefined): Promise<string> => {
  if (url === undefined) return '';
  const answer = await fetch(`${url}/health`, { signal: AbortSignal.timeout(10_000) }).then(
    (response) => response.text(),
    String,
  );
  return `; /health of ${url}: ${answer}`;
};

/**
 * Until `check` gives something that is not false or undefined. `healthOf`: the address of a service whose /health the
 * error shows. @throws Error after `timeoutMs`
 */
export const eventually = async <T>(
  what: string,
  check: () => Promise<T | undefined | false> | T | undefined | false,
  timeoutMs = 90_000,
  healthOf?: string,
): Promise<T> => {
  const deadline = Date.now() + timeoutMs;
  let last: unknown;
  for (;;) {
    const beganMs = performance.now();
    try {
      const found = await check();
      if (found !== undefined && found !== false) return found;
    } catch (error) {
      last = error;
    }
    if (Date.now() > deadline) {
      const health = await lastHealth(healthOf);
      throw new Error(`not within ${timeoutMs} ms: ${what}${health}`, { cause: last });
    }
    await restAfterCheck(beganMs);
  }
};

export { freePort } from './free-port.ts';

export type ServiceProcess = {
  url: string;
  pid: number;
  /** Its output and its log so far. */
  output(): string;
  /** Resolves when it answers requests. @throws Error when it ends before, or takes too long */
  ready(): Promise<void>;
  exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** kill -9; resolves when it is gone. Its background process finds that out by itself. */
  kill(): Promise<void>;
  /** kill -9 of it and its background process in one call; resolves when both are gone. */
  killGroup(): Promise<void>;
  /** SIGTERM; resolves to how it ended and after how long. */
  terminate(): Promise<{ code: number | null; signal: NodeJS.Signals | null; ms: number }>;
};

/**
 * Settings with which projections and reactors run in the process that answers requests. A second process takes a third of
 * a start's CPU time. For tests that are not about the two.
 */
export const oneProcess = { BACKGROUND_PROCESS: 'false' };

const running = new Set<ChildProcess>();

/** The service as its users run it: a process of its own. */
export const spawnService = (
  port: number,
  dataDir: string,
  env: Record<string, string> = {},
): ServiceProcess => {
  const child = spawn(process.execPath, [main], {
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      DATA_DIR: dataDir,
      LOG_LEVEL: 'warn',
      // A second of CPU time for each process.
      BROWSER_CHECK: 'false',
      LIMIT_RATE_PER_CREDENTIAL: '0',
      LIMIT_RATE_PER_ADDRESS: '0',
      LIMIT_REGISTRATIONS_PER_HOUR: '0',
      LIMIT_REGISTRATIONS_PER_DAY: '0',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A process group of its own, for killGroup.
    detached: true,
  });
  running.add(child);
  let output = '';
  const collect = (chunk: Buffer): void => {
    output = `${output}${chunk}`.slice(-200_000);
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) =>
    child.once('exit', (code, signal) => {
      running.delete(child);
      resolve({ code, signal });
    }),
  );
  const url = `http://127.0.0.1:${port}`;
  const ready = (): Promise<void> =>
    eventually('the service answers', async () => {
      if (child.exitCode !== null) throw new Error(output);
      const response = await fetch(`${url}/ready`);
      await response.arrayBuffer();
      // Each answer takes a starting service milliseconds of CPU time.
      if (!response.ok) await delay(60);
      return response.ok;
    }).then(
      () => undefined,
      (error: Error) => {
        throw new Error(`${error.message}\n${output}`, { cause: error });
      },
    );
  return {
    url,
    pid: child.pid ?? 0,
    output: () => output,
    ready,
    exited,
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
    async killGroup() {
      if (child.pid === undefined) throw new Error('the service did not start');
      const group = -child.pid;
      const signalled = (signal: 0 | 'SIGKILL'): boolean => {
        try {
          return process.kill(group, signal);
        } catch {
          return false;
        }
      };
      signalled('SIGKILL');
      await exited;
      await eventually('the whole group is gone', () => !signalled(0));
    },
    async terminate() {
      const startedMs = performance.now();
      child.kill('SIGTERM');
      const end = await exited;
      return { ...end, ms: performance.now() - startedMs };
    },
  };
};

type Health = {
  projections: { state: string; position: string; lag: string }[];
  reactors: { position: string; failing: number }[];
};

/** The log position up to which a process that runs the reactors has done everything; undefined: not up to the head. */
const doneIn = ({ projections, reactors }: Health): bigint | undefined => {
  const head = BigInt(projections[0]?.position ?? -1);
  const isDone =
    projections.every(({ lag, position }) => lag === '0' && BigInt(position) === head) &&
    reactors.every(({ position, failing }) => failing === 0 && BigInt(position) === head);
  return isDone ? head : undefined;
};

/**
 * Resolves when projections and reactors of the one of these processes that runs them have done everything that
 * follows from the log, and the log has not grown for longer than reports of the background process are
 * apart: what one reaction wrote has its own reactions.
 */
export const atRest = (of: string | readonly string[], timeoutMs = 90_000): Promise<bigint> => {
  const restMs = 400;
  let before = -1n;
  let sinceMs = 0;
  return eventually(
    'the log rests',
    async () => {
      // The state comes with reports of the background process: looks in between take CPU time in vain.
      await delay(60);
      const healths = await Promise.all(
        [of].flat().map(async (url) => (await (await fetch(`${url}/health`)).json()) as Health),
      );
      const head = healths.map(doneIn).find((done) => done !== undefined);
      if (head === undefined) throw new Error(JSON.stringify(healths));
      const nowMs = performance.now();
      if (before === head && nowMs - sinceMs >= restMs) return head;
      if (before !== head) sinceMs = nowMs;
      before = head;
      return undefined;
    },
    timeoutMs,
  );
};

/** The embedded PostgreSQL of a data folder, as it is found there. */
export const embeddedIn = (dataDir: string): { pid: number; url: string } | undefined => {
  const postmaster = findPostmaster(join(dataDir, 'postgres'));
  if (!postmaster?.port) return undefined;
  const password = readFileSync(join(dataDir, 'postgres-password'), 'utf8').trim();
  const url = `postgres://letters:${password}@127.0.0.1:${postmaster.port}/postgres`;
  return { pid: postmaster.pid, url };
};

/** A data folder of its own. `remove` ends the PostgreSQL in it first, if one runs. */
export const makeDataDir = (): { dataDir: string; remove: () => Promise<void> } => {
  const dataDir = mkdtempSync(join(tmpdir(), 'letters-fault-'));
  return {
    dataDir,
    async remove() {
      const postmaster = findPostmaster(join(dataDir, 'postgres'));
      if (postmaster) {
        process.kill(postmaster.pid, 'SIGQUIT');
        await eventually('PostgreSQL ends', () => !isAlive(postmaster.pid));
      }
      rmSync(dataDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
    },
  };
};

/** Ends what a failed test left running. */
export const killLeftovers = async (): Promise<void> => {
  const children = [...running];
  for (const child of children) child.kill('SIGKILL');
  await eventually('left processes end', () => running.size === 0);
};
