/**
 * `npm run test:faults`: runs every test of faults and the simulation, and prints one table of the injected
 * faults, their number, the checks, the result and the seed. With arguments only the files whose path
 * contains one of them.
 */
import { spawn } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crashed, failuresOf, type Row, tableOf } from './rows.ts';

const root = join(import.meta.dirname, '..', '..');
const mocha = join(root, 'node_modules', 'mocha', 'bin', 'mocha.js');

/** Every file of tests that injects faults. */
const faultFiles = (): string[] =>
  ['test/**/*.fault.test.ts', 'test/simulation/*.test.ts']
    .flatMap((pattern) => globSync(pattern, { cwd: root, exclude: ['**/node_modules'] }))
    .toSorted();

const runFile = (file: string, rows: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const loaded = ['test/pinned-fonts.ts', 'test/pinned-seed.ts', 'test/faults/watch-signals.ts'];
    const child = spawn(
      process.execPath,
      [
        ...[mocha, '--no-config', '--timeout', '180000', '--reporter', 'test/faults/reporter.ts'],
        ...loaded.flatMap((one) => ['--require', one]),
        ...['--exit', file],
      ],
      { cwd: root, env: { ...process.env, FAULT_ROWS: rows }, stdio: 'inherit' },
    );
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });

/** Runs the files one after the other, as each starts services of its own. Returns the exit code. */
const runFaults = async (files: readonly string[]): Promise<number> => {
  const folder = mkdtempSync(join(tmpdir(), 'letters-faults-'));
  const rowsFile = join(folder, 'rows');
  writeFileSync(rowsFile, '');
  try {
    const codes = new Map<string, number>();
    for (const file of files) codes.set(file, await runFile(file, rowsFile));
    const lines = readFileSync(rowsFile, 'utf8').trimEnd().split('\n').filter(Boolean);
    const told = lines.map((line) => JSON.parse(line) as Row);
    const rows = [...told, ...[...codes].flatMap(([file, code]) => crashed(file, code, told))];
    process.stdout.write(`\n${tableOf(rows)}\n\n`);
    for (const failure of failuresOf(rows)) process.stdout.write(`${failure}\n`);
    const count = (result: Row['result']): number =>
      rows.filter((row) => row.result === result).length;
    process.stdout.write(
      `${count('passed')} passed, ${count('FAILED')} failed, ${count('skipped')} skipped\n`,
    );
    return count('FAILED') === 0 && rows.length > 0 ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const [, , ...wanted] = process.argv;
const files = wanted.some((path) => path.endsWith('.ts'))
  ? wanted
  : faultFiles().filter((file) => wanted.length === 0 || wanted.some((one) => file.includes(one)));
process.exitCode = await runFaults(files);
