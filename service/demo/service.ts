import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readConfig } from '../config/config.ts';
import { fileNameOf } from '../config/group.ts';
import { printFolders } from '../wings/print-partners.ts';

export type DemoService = {
  url: string;
  /** The folder in which the simulator leaves its PDF files. */
  simulator: string;
  /** Whether it was started for the demo alone. */
  own: boolean;
  stop(): Promise<void>;
};

const startTimeoutMs = 60_000;
const pollMs = 100;

const answers = async (url: string, path: string): Promise<unknown> => {
  try {
    const response = await fetch(`${url}${path}`, { signal: AbortSignal.timeout(2_000) });
    return response.ok ? await response.json() : undefined;
  } catch {
    return undefined;
  }
};

const isOurs = async (url: string): Promise<boolean> => {
  const info = await answers(url, '/');
  return typeof info === 'object' && info !== null && 'name' in info && info.name === 'letters';
};

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (typeof address !== 'object' || address === null) throw new Error('no free port was found');
  return address.port;
};

const waitUntilReady = async (url: string, child: ChildProcess, output: string[]) => {
  const deadline = Date.now() + startTimeoutMs;
  while (Date.now() < deadline) {
    if (child.exitCode !== null) {
      throw new Error(`the service did not start:\n${output.join('').trim()}`);
    }
    if (await answers(url, '/ready')) return;
    await delay(pollMs);
  }
  throw new Error(`the service was not ready within ${startTimeoutMs / 1_000} s`);
};

/**
 * On its own embedded database; the choice of the event store comes from the environment. `settings`: further
 * settings of the service.
 */
export const startOwn = async (settings: Record<string, string> = {}): Promise<DemoService> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'letters-demo-'));
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const env = {
    ...process.env,
    ...Object.fromEntries(
      ['DATABASE_URL', 'MASTER_KEY'].flatMap((name) => [
        [name, ''],
        [fileNameOf(name), ''],
      ]),
    ),
    PORT: String(port),
    BASE_URL: url,
    DATA_DIR: dataDir,
    ROLES: '',
    LOG_LEVEL: 'error',
    ...settings,
  };
  const root = join(import.meta.dirname, '..', '..');
  const child = spawn(process.execPath, [join(root, 'service', 'main.js')], {
    env,
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => output.push(text));
  }
  const exited = once(child, 'exit');
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await exited;
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    await waitUntilReady(url, child, output);
  } catch (error) {
    await stop();
    throw error;
  }
  const { simulator } = printFolders(readConfig(env));
  return { url, simulator, own: true, stop };
};

/** The service at BASE_URL or PORT if one answers there, otherwise one of our own. */
export const findOrStartService = async (): Promise<DemoService> => {
  const config = readConfig(process.env);
  const url = config.baseUrl ?? `http://localhost:${config.port}`;
  if (!(await isOurs(url))) return startOwn();
  return { url, simulator: printFolders(config).simulator, own: false, stop: async () => {} };
};
