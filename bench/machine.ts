/** The machine on which the figures were measured. */
import { execFileSync } from 'node:child_process';
import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { availableParallelism, cpus, loadavg, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { print } from './printed.ts';
import { startCluster, temporaryFolder } from './stage.ts';

const syncs = 500;

/** Microseconds of a write of 8 kB and its fdatasync, as PostgreSQL does for every commit. */
const syncMicros = async (): Promise<{ p50: number; p99: number }> => {
  const folder = await temporaryFolder();
  const file = openSync(join(folder.path, 'sync'), 'w');
  const page = Buffer.alloc(8_192, 1);
  try {
    const times = Array.from({ length: syncs }, (_, n) => {
      const began = process.hrtime.bigint();
      writeSync(file, page, 0, page.length, (n % 64) * page.length);
      fdatasyncSync(file);
      return Number(process.hrtime.bigint() - began) / 1_000;
    }).sort((a, b) => a - b);
    return { p50: times[syncs / 2] ?? 0, p99: times[Math.floor(syncs * 0.99)] ?? 0 };
  } finally {
    closeSync(file);
    await folder.remove();
  }
};

const git = (...args: string[]): string => {
  try {
    const cwd = new URL('..', import.meta.url);
    return execFileSync('git', args, { cwd, encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    return '';
  }
};

const commit = (): string => {
  const hash = git('rev-parse', '--short=12', 'HEAD') || 'unknown';
  return git('status', '--porcelain') === '' ? hash : `${hash} with changes`;
};

const settings = [
  ...['fsync', 'synchronous_commit', 'full_page_writes', 'wal_sync_method'],
  ...['wal_compression', 'shared_buffers'],
];

const postgresFacts = async (): Promise<{ version: string; settings: string }> => {
  const cluster = await startCluster();
  const client = new pg.Client({ connectionString: cluster.url });
  try {
    await client.connect();
    const { rows } = await client.query<{ name: string; value: string }>(
      `select name, current_setting(name) as value from unnest($1::text[]) as name`,
      [['server_version', ...settings]],
    );
    const [version, ...others] = rows;
    return {
      version: version?.value ?? '?',
      settings: others.map(({ name, value }) => `${name}=${value}`).join(' '),
    };
  } finally {
    await client.end();
    await cluster.stop();
  }
};

const tmpfs = 0x01021994;

export const printMachine = async (): Promise<void> => {
  const processors = cpus();
  const postgres = await postgresFacts();
  const sync = await syncMicros();
  const inMemory = (await statfs(tmpdir())).type === tmpfs;
  const warning = inMemory ? '  (THE TEMPORARY FOLDER IS IN MEMORY: set TMPDIR to a disk)' : '';
  const rows = [
    ['CPU', processors[0]?.model ?? '?'],
    ['cores', `${availableParallelism()}, shared by service, PostgreSQL and load generator`],
    ['memory', `${(totalmem() / 1e9).toFixed(1)} GB`],
    [
      'load before',
      loadavg()
        .map((load) => load.toFixed(2))
        .join(' '),
    ],
    ['Node', process.version],
    ['PostgreSQL', postgres.version],
    ['settings', postgres.settings],
    [
      '8 kB write + fdatasync',
      `p50 ${sync.p50.toFixed(0)} us, p99 ${sync.p99.toFixed(0)} us${warning}`,
    ],
    ['commit', commit()],
  ];
  const width = Math.max(...rows.map(([name]) => name?.length ?? 0));
  for (const [name = '', value = ''] of rows) print(`  ${name.padEnd(width)}  ${value}`);
};
