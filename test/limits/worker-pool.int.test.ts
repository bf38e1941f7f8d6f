import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { isAppError } from '../../contract/errors.ts';
import { createBudget } from '../../limits/budgets.ts';
import { serviceTurn, type Turn } from '../../limits/turn.ts';
import {
  createWorkerPool,
  TaskFailure,
  taskOf,
  type WorkerPool,
} from '../../limits/worker-pool.ts';
import { eventually } from '../support/service-process.ts';

type Tasks = typeof import('./worker-tasks.ts');
const module = new URL('./worker-tasks.ts', import.meta.url);
const named = <K extends keyof Tasks & string>(name: K, timeoutMs = 10_000, brief = false) =>
  taskOf<Tasks[K]>({ module, name, timeoutMs, brief });

const accountTurn = (account: string): Turn => ({ standing: 'confirmed', account });
const failureOf = async (work: Promise<unknown>): Promise<unknown> => {
  try {
    await work;
  } catch (error) {
    return error;
  }
  throw new Error('it did not fail');
};

describe('the threads of a process', () => {
  let pool: WorkerPool;
  before(() => {
    pool = createWorkerPool({ threads: 1 });
  });
  after(() => pool.close());

  const double = (n: number) => pool.run(named('double'), { n }, serviceTurn);

  it('start when they are needed, and open a module once', async () => {
    expect(pool.stats().threads).to.equal(0);
    expect(await double(21)).to.equal(42);
    expect(pool.stats().threads).to.equal(1);
    expect(await pool.run(named('timesOpened'), undefined, serviceTurn)).to.equal(1);
  });

  it('hand buffers over', async () => {
    const bytes = new Uint8Array(5_000_000);
    const options = { transfer: [bytes.buffer] };
    const { size, copy } = await pool.run(named('sizeOf'), { bytes }, serviceTurn, options);
    expect([size, copy.byteLength, bytes.byteLength]).to.deep.equal([5_000_000, 5_000_000, 0]);
  });

  it('pass on refusals with all that is in them', async () => {
    const error = await failureOf(pool.run(named('refuse'), undefined, serviceTurn));
    if (!isAppError(error)) throw error;
    expect([error.code, error.message, error.errors?.[0]?.pointer]).to.deep.equal([
      ...['validation_failed', 'No.', '/logo'],
    ]);
    expect(pool.stats().replaced).to.equal(0);
  });

  for (const [name, kind] of [
    ['forever', 'timeout'],
    ['fillMemory', 'crash'],
    ['fail', 'failed'],
  ] as const) {
    it(`are replaced after ${name}, and serve the next task`, async () => {
      const { replaced } = pool.stats();
      const limit = name === 'forever' ? 300 : 20_000;
      const error = await failureOf(pool.run(named(name, limit), undefined, serviceTurn));
      expect(error).to.be.instanceOf(TaskFailure).and.include({ kind });
      expect(pool.stats().replaced).to.equal(replaced + 1);
      expect(await double(3)).to.equal(6);
    });
  }

  it('are replaced when an input cannot be copied, and serve the next task', async () => {
    const input = { n: 1, uncopied: () => 1 };
    const error = await failureOf(pool.run(named('double'), input, serviceTurn));
    expect(error).to.include({ name: 'DataCloneError' });
    expect(await double(5)).to.equal(10);
    expect(pool.stats().busy).to.equal(0);
  });

  it('have one left for brief tasks while a long one runs', async () => {
    const long = failureOf(pool.run(named('forever', 3_000), undefined, accountTurn('slow')));
    const brief = named('double', 10_000, true);
    expect(await pool.run(brief, { n: 4 }, accountTurn('quick'))).to.equal(8);
    expect(pool.stats().busy).to.equal(1);
    await long;
  });

  it('charge CPU time to a budget, and refuse who used it up before a thread is asked', async () => {
    let nowMs = 0;
    const budget = createBudget({
      limit: 'documentTimeMs',
      usualMs: 10,
      mostMs: 200,
      forgivenPerMs: 0.1,
      remedy: 'Too slow',
      now: () => nowMs,
    });
    const run = (account: string) =>
      pool.run(named('work'), { ms: 150 }, accountTurn(account), { budget });
    await run('a');
    await run('a');
    const error = await failureOf(run('a'));
    if (!isAppError(error)) throw error;
    expect(error.code).to.equal('rate_limited');
    expect(Number(error.headers?.['Retry-After'])).to.be.within(1, 5);
    await run('b');
    nowMs += 5_000;
    await run('a');
  });

  it('end after some time without work, and start again', async () => {
    const short = createWorkerPool({ threads: 1, idleMs: 20 });
    const run = () => short.run(named('double'), { n: 1 }, serviceTurn);
    try {
      await run();
      await eventually('the idle thread ends', () => short.stats().threads === 0);
      expect(await run()).to.equal(2);
      expect(short.stats()).to.include({ threads: 1, replaced: 0 });
    } finally {
      await short.close();
    }
  });

  it('keep no process alive that forgets to close them', async () => {
    const program = fileURLToPath(new URL('./forgotten-pool.ts', import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, [program], { timeout: 20_000 });
    expect(stdout).to.equal('42\n');
  });

  it('count their tasks by kind, and those that found no thread', async () => {
    const small = createWorkerPool({ threads: 1 });
    try {
      await small.run(named('double'), { n: 1 }, serviceTurn);
      await small.run(named('double'), { n: 2 }, serviceTurn);
      const many = Array.from({ length: 40 }, () =>
        small.run(named('work'), { ms: 1 }, accountTurn('a')).catch(() => undefined),
      );
      await Promise.all(many);
      const { tasks, refused, busy, waiting } = small.stats();
      expect(tasks.double?.count).to.equal(2);
      expect(tasks.work?.ms).to.be.above(0);
      expect(refused)
        .to.equal(40 - (tasks.work?.count ?? 0))
        .and.above(0);
      expect([busy, waiting]).to.deep.equal([0, 0]);
    } finally {
      await small.close();
    }
  });

  it('take nothing after they were closed', async () => {
    const closed = createWorkerPool({ threads: 1 });
    await closed.close();
    const error = await failureOf(closed.run(named('double'), { n: 1 }, serviceTurn));
    expect(isAppError(error) && error.code).to.equal('overloaded');
  });
});
