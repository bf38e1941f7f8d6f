import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chownSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { findBinaries, type PostgresBinaries } from '../../infra/postgres/embedded/binaries.ts';
import { freePort } from '../../infra/postgres/embedded/postmaster.ts';
import { chooseRunAs, commandAs, type RunAs } from '../../infra/postgres/embedded/run-as.ts';
import { serverSettings } from '../../infra/postgres/embedded/server.ts';

const user = 'letters';

/**
 * The settings of the embedded server, except that nothing waits for the disk. Each `drop database` of a server
 * that flushes takes a second or more. Tests that stop or
 * kill a server start an embedded one.
 */
const settings: Record<string, string> = {
  ...serverSettings,
  fsync: 'off',
  full_page_writes: 'off',
  wal_compression: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
};

/**
 * Makes a cluster. A service opens fifty connections. Clients send the password as it is, because SCRAM takes 1.5
 * milliseconds of theirs for each connection. The embedded server of the service uses SCRAM, in tests as well.
 */
export const initialise = (
  binaries: PostgresBinaries,
  runAs: RunAs,
  folder: string,
  password: string,
): void => {
  const passwordFile = join(folder, 'password');
  const clusterDir = join(folder, 'postgres');
  writeFileSync(passwordFile, password, { mode: 0o600 });
  mkdirSync(clusterDir, { mode: 0o700 });
  if (runAs.user) {
    for (const path of [passwordFile, clusterDir]) chownSync(path, runAs.user.uid, runAs.user.gid);
  }
  const { command, args, ids } = commandAs(runAs, binaries.initdb, [
    ...[`--pgdata=${clusterDir}`, `--username=${user}`, `--pwfile=${passwordFile}`],
    ...['--auth=password', '--set=scram_iterations=1', '--no-sync', '--no-instructions'],
    ...['--encoding=UTF8', '--locale-provider=libc', '--locale=C'],
  ]);
  const { status, stderr } = spawnSync(command, args, { ...ids, cwd: '/', encoding: 'utf8' });
  if (status !== 0) throw new Error(`initdb ended with ${status}: ${stderr}`);
};

const untilAnswers = async (url: string, ended: () => string | undefined): Promise<void> => {
  for (;;) {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => {});
    try {
      await client.connect();
      return await client.end();
    } catch (error) {
      const output = ended();
      if (output !== undefined) throw new Error(`PostgreSQL ended: ${output}`, { cause: error });
      await delay(20);
    }
  }
};

type Server = { url: string; stop(): Promise<void> };

/** Starts a server on the cluster `<folder>/postgres`. */
export const serveCluster = async (
  binaries: PostgresBinaries,
  runAs: RunAs,
  folder: string,
  { password, settings }: { password: string; settings: Record<string, string> },
): Promise<Server> => {
  const port = await freePort(0);
  const { command, args, ids } = commandAs(runAs, binaries.postgres, [
    ...['-D', join(folder, 'postgres'), '-p', String(port)],
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ]);
  const logFile = join(folder, 'postgres.log');
  const log = openSync(logFile, 'a', 0o600);
  const stdio: ['ignore', number, number] = ['ignore', log, log];
  // In a process group of its own: a Ctrl-C in the terminal does not end it before those who use it.
  const server = spawn(command, args, { ...ids, cwd: '/', stdio, detached: true });
  closeSync(log);
  let output: string | undefined;
  const exited = new Promise<void>((resolve) => {
    server.once('exit', () => {
      output = readFileSync(logFile, 'utf8').slice(-2_000);
      resolve();
    });
  });
  const url = `postgres://${user}:${password}@127.0.0.1:${port}/postgres`;
  await untilAnswers(url, () => output);
  return {
    url,
    async stop() {
      server.kill('SIGINT');
      await exited;
    },
  };
};

/** A PostgreSQL server for tests, which loses everything in a power failure. `stop` removes its data. */
export const startQuickPostgres = async (): Promise<Server> => {
  const folder = mkdtempSync(join(tmpdir(), 'letters-test-pg-'));
  const binaries = await findBinaries();
  const runAs = chooseRunAs(binaries, folder);
  const password = randomBytes(24).toString('base64url');
  initialise(binaries, runAs, folder, password);
  const server = await serveCluster(binaries, runAs, folder, { password, settings });
  return {
    url: server.url,
    async stop() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
    },
  };
};
