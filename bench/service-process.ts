/** The service as a user runs it, in a process of its own, and its accounts. */
import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createLogger } from '../infra/log.ts';
import { readConfig } from '../service/config/config.ts';
import { openFoundation } from '../service/run/foundation.ts';
import { freePort } from '../test/support/free-port.ts';
import { startCommand } from '../test/support/start-command.ts';
import { probeArguments } from './probe/probe.ts';
import { type Child, spawnProgram } from './stage.ts';

export const host = '127.0.0.1';

const parallel = 32;
/** $1,000,000.00: no wallet of the benchmark runs dry. */
export const creditMicro = 1_000_000_000_000n;

/** Registers live accounts and credits them as an operator would. Returns their keys. */
export const registerAccounts = async (
  dataDir: string,
  count: number,
  settings: Record<string, string> = {},
): Promise<string[]> => {
  const config = readConfig({ DATA_DIR: dataDir, LOG_LEVEL: 'silent', ...settings });
  await using foundation = await openFoundation(config, createLogger({ level: 'silent' }));
  const { accounts } = foundation.commands;
  const keys: string[] = [];
  const context = () => ({ commandId: randomUUID(), actor: 'bench' });
  const register = async (n: number): Promise<void> => {
    const { accountId, secret } = await accounts.register(
      {
        kind: 'email',
        name: `customer-${n}@example.com`,
        scope: 'full',
        test: false,
        requestHash: randomBytes(32).toString('base64url'),
      },
      context(),
    );
    const credit = { bucket: 'fiat' as const, amountMicro: creditMicro, reference: `bench ${n}` };
    await accounts.credit(accountId, credit, context());
    keys[n] = secret;
  };
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < count) await register(next++);
  };
  await Promise.all(Array.from({ length: parallel }, work));
  return keys;
};

export type ServiceProcess = Child & { port: number };

const startTimeoutMs = 60_000;

const isReady = (port: number): Promise<boolean> =>
  fetch(`http://${host}:${port}/ready`).then(
    (answer) => answer.ok,
    () => false,
  );

/** @throws Error with the end of the service's log when it does not become ready */
export const startServiceProcess = async (
  dataDir: string,
  cpuProfileDir: string | undefined,
  settings: Record<string, string> = {},
): Promise<ServiceProcess> => {
  const port = await freePort();
  const logFile = join(dataDir, 'service.log');
  const profile =
    cpuProfileDir === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${cpuProfileDir}`];
  const env = {
    DATA_DIR: dataDir,
    PORT: String(port),
    LIMIT_RATE_PER_CREDENTIAL: '0',
    LIMIT_RATE_PER_ADDRESS: '0',
    LIMIT_REGISTRATIONS_PER_HOUR: '0',
    LIMIT_REGISTRATIONS_PER_DAY: '0',
    // CREDENTIALS=false npm run bench … measures sending without them.
    ...(process.env.CREDENTIALS ? { CREDENTIALS: process.env.CREDENTIALS } : {}),
    ...settings,
  };
  const start = startCommand();
  const child = spawnProgram(
    [...probeArguments(settings), ...profile, ...start.args],
    { ...start.env, ...env },
    logFile,
  );
  const deadline = Date.now() + startTimeoutMs;
  while (!(await isReady(port))) {
    if (child.process.exitCode !== null || Date.now() > deadline) {
      await child.stop();
      throw new Error(`the service did not start:\n${readFileSync(logFile, 'utf8').slice(-2_000)}`);
    }
    await delay(50);
  }
  return { ...child, port };
};

type Health = { projections: { name: string; lag: string; state: string }[] };

/** How many events the slowest read model is behind. @throws Error when one halted */
export const readLag = async (port: number): Promise<number> => {
  const answer = await fetch(`http://${host}:${port}/health`);
  const { projections } = (await answer.json()) as Health;
  const halted = projections.find(({ state }) => state === 'halted');
  if (halted) throw new Error(`the read model ${halted.name} halted`);
  return Math.max(...projections.map(({ lag }) => Number(lag)));
};

const catchUpTimeoutMs = 600_000;
const pollMs = 10;

/** Milliseconds until no read model is behind any more. */
export const waitUntilCaughtUp = async (port: number): Promise<number> => {
  const began = performance.now();
  while ((await readLag(port)) > 0) {
    if (performance.now() - began > catchUpTimeoutMs) {
      throw new Error(`read models are still behind after ${catchUpTimeoutMs / 1_000} s`);
    }
    await delay(pollMs);
  }
  return performance.now() - began;
};
