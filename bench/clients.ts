/** u) How long a program waits for the core of a client library, in a process that has imported nothing before. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { installedClient } from '../test/clients/installed.ts';
import { print } from './printed.ts';
import { below, tenth } from './report.ts';
import type { Outcome } from './scenarios.ts';

const runs = 20;
const wantedMs = 50;

const timed = {
  typescript:
    "const before = performance.now(); await import('letters-client'); console.log(performance.now() - before);",
  python:
    'import time; before = time.perf_counter(); import letters_client; letters_client.execute; print((time.perf_counter() - before) * 1000)',
};

/** The median in milliseconds. */
const median = async (
  command: string,
  args: string[],
  options: { cwd: string; env?: NodeJS.ProcessEnv },
) => {
  const times: number[] = [];
  for (let count = 0; count < runs; count++) {
    const { stdout } = await promisify(execFile)(command, args, options);
    times.push(Number(stdout));
  }
  return times.toSorted((a, b) => a - b)[runs / 2] ?? Number.NaN;
};

export const runClients = async (): Promise<Outcome> => {
  const { folder } = await installedClient();
  const source = join(import.meta.dirname, '../clients/python/src');
  const python = { cwd: source, env: { ...process.env, PYTHONPATH: source } };
  const figures = {
    TypeScript: await median(process.execPath, ['--input-type=module', '-e', timed.typescript], {
      cwd: folder,
    }),
    Python: await median('python3', ['-c', timed.python], python),
  };
  const targets = Object.entries(figures).map(([name, ms]) =>
    below(`u) import of the core, ${name}, median of ${runs}`, wantedMs, ms, ' ms'),
  );
  for (const [name, ms] of Object.entries(figures)) print(`  ${name}: ${tenth(ms)} ms`);
  return { targets, problems: [] };
};
