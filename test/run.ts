import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { contract, makeQueue } from './queue.ts';
import { startQuickPostgres } from './support/quick-postgres.ts';
import { keptFolder, makeScratch } from './support/scratch.ts';

/**
 * Runs all tests, a few files at a time in a process of their own, two processes more at once than the
 * machine has cores; what each printed comes in one piece. The processes of one lane use one
 * PostgreSQL server, one after the other, and all processes share what node compiled. The contract of the
 * HTTP surface is last, over what all of them saw. With arguments it is mocha with these arguments, in one
 * process.
 */
const root = new URL('..', import.meta.url).pathname;
const mocha = join(root, 'node_modules/mocha/bin/mocha.js');

/**
 * Tests wait for a third of their time: for leases, retries and time limits. Two lanes more than cores keep the
 * cores busy meanwhile.
 */
const lanes = Math.min(availableParallelism() + 2, 5);
/** After its last test. */
const endsWithinMs = 30_000;

const tallyIn = (output: string): Record<'passed' | 'failed' | 'skipped', number> | undefined => {
  const found = output.match(/^(\d+) passed, (\d+) failed, (\d+) skipped$/m);
  if (!found) return undefined;
  const [passed = 0, failed = 0, skipped = 0] = found.slice(1).map(Number);
  return { passed, failed, skipped };
};

/** The part of the output that readers need: the failures as mocha reports them, or the last lines. */
const failuresIn = (output: string): string => {
  const at = output.search(/^ +\d+ failing/m);
  return at < 0 ? output.slice(-2000) : output.slice(at);
};

const scratch = makeScratch();
// Also of this process, which starts the PostgreSQL servers.
process.env.TMPDIR = scratch.folder;
const answers = mkdtempSync(join(scratch.folder, 'answers-'));
const compiled = join(root, 'node_modules/.cache/compiled');
const children = new Set<ReturnType<typeof spawn>>();
let stopping = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    stopping = true;
    for (const child of children) child.kill(signal);
  });

type Outcome = { output: string; code: number | null };

const run = (
  args: string[],
  { out = 'pipe', env = {} }: { out?: 'pipe' | 'inherit'; env?: Record<string, string> } = {},
): Promise<Outcome> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [mocha, ...args], {
      cwd: root,
      env: {
        ...process.env,
        NODE_COMPILE_CACHE: compiled,
        TEST_ANSWERS: answers,
        TEST_KEPT: keptFolder,
        ...env,
      },
      stdio: ['ignore', out, out],
    });
    children.add(child);
    let output = '';
    let ending: ReturnType<typeof setTimeout> | undefined;
    const collect = (chunk: Buffer): void => {
      output += chunk;
      if (tallyIn(output.slice(-200)) === undefined) return;
      ending ??= setTimeout(() => {
        output += '\nIts tests are over, and it did not end: something was left open.\n';
        child.kill('SIGKILL');
      }, endsWithinMs);
    };
    child.stdout?.on('data', collect);
    child.stderr?.on('data', collect);
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(ending);
      children.delete(child);
      resolve({ output, code });
    });
  });

const all = async (): Promise<number> => {
  const queue = makeQueue(() => stopping);
  const total = { passed: 0, failed: 0, skipped: 0 };
  const failures: string[] = [];
  const take = async (files: string[], env: Record<string, string> = {}): Promise<void> => {
    const started = performance.now();
    const outcome = await run(files, { env });
    const tally = tallyIn(outcome.output);
    process.stdout.write(outcome.output);
    const seconds = Math.round((performance.now() - started) / 1000);
    process.stdout.write(`${seconds} s: ${files.join(' ')}\n`);
    if (outcome.code !== 0 || !tally) failures.push(failuresIn(outcome.output));
    for (const key of ['passed', 'failed', 'skipped'] as const) total[key] += tally?.[key] ?? 0;
  };
  const lane = async (): Promise<void> => {
    const postgres = await startQuickPostgres();
    try {
      const env = { TEST_POSTGRES_URL: postgres.url };
      for (let files = await queue.next(); files; files = await queue.next())
        await take(files, env);
    } finally {
      await postgres.stop();
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  if (stopping) return 1;
  await take([contract]);
  const { passed, failed, skipped } = total;
  process.stdout.write(failures.join('\n'));
  process.stdout.write(`${passed} passed, ${failed} failed, ${skipped} skipped\n`);
  return failures.length === 0 ? 0 : 1;
};

try {
  const args = process.argv.slice(2);
  if (args.length === 0) process.exitCode = await all();
  else process.exitCode = (await run(args, { out: 'inherit' })).code ?? 1;
} finally {
  scratch.remove();
}
