import { expect } from 'chai';
import fc from 'fast-check';
import { isAppError } from '../../contract/errors.ts';
import { createBudget } from '../../limits/budgets.ts';
import { createFairQueue } from '../../limits/fair-queue.ts';
import type { Turn } from '../../limits/turn.ts';

/** Work that ends on command, on a clock of ours. */
function world(size: number, queueMax = 32) {
  const clock = { ms: 0 };
  const queue = createFairQueue({
    limit: 'tasksWaitingPerThread',
    slots: Array.from({ length: size }, (_, slot) => slot),
    queueMax,
    waitMs: 10_000,
    tooMany: 'Too many.',
    retryAfterSeconds: 1,
    budget: createBudget({
      limit: 'documentTimeMs',
      usualMs: 2_000,
      mostMs: 20_000,
      forgivenPerMs: 1 / 3,
      remedy: 'Too slow',
      now: () => clock.ms,
    }),
    now: () => clock.ms,
  });
  const running: { account: string | undefined; end(): void }[] = [];
  const outcomes: { account: string | undefined; code: string }[] = [];
  const start = (account: string | undefined): void => {
    const work = (): Promise<void> =>
      new Promise((resolve) => running.push({ account, end: resolve }));
    const turn: Turn =
      account === undefined ? { standing: 'service' } : { standing: 'confirmed', account };
    queue.run(turn, work).then(
      () => outcomes.push({ account, code: 'done' }),
      (error: unknown) => outcomes.push({ account, code: isAppError(error) ? error.code : 'bug' }),
    );
  };
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
  const end = async (index: number): Promise<void> => {
    running.splice(index, 1)[0]?.end();
    await settle();
  };
  const names = () => running.map(({ account }) => account);
  return { clock, queue, running, outcomes, start, settle, end, names };
}

describe('the queue in front of browsers and checks', () => {
  it('keeps a slot for the next account while one has much to do', async () => {
    const { start, settle, names } = world(2);
    for (let i = 0; i < 10; i++) start('greedy');
    await settle();
    expect(names()).to.deep.equal(['greedy']);
    start('modest');
    await settle();
    expect(names()).to.deep.equal(['greedy', 'modest']);
  });

  it('gives turns to accounts and not to requests', async () => {
    const { start, settle, end, names } = world(1);
    for (let i = 0; i < 5; i++) start('greedy');
    start('modest');
    await settle();
    const turns: (string | undefined)[] = [];
    for (let i = 0; i < 4; i++) {
      turns.push(...names());
      await end(0);
    }
    expect(turns).to.deep.equal(['greedy', 'greedy', 'modest', 'greedy']);
  });

  it('lets the service itself use every slot, in turn with accounts', async () => {
    const { start, settle, end, names } = world(2);
    for (let i = 0; i < 4; i++) start(undefined);
    start('account');
    await settle();
    expect(names()).to.deep.equal([undefined, undefined]);
    await end(0);
    expect(names()).to.include('account');
  });

  it('takes room in a full queue from the account that has most of it', async () => {
    const { start, settle, end, names, outcomes } = world(1, 4);
    for (let i = 0; i < 8; i++) start('greedy');
    await settle();
    expect(outcomes).to.have.length(3);
    start('modest');
    await settle();
    expect(outcomes).to.deep.equal(
      Array.from({ length: 4 }, () => ({ account: 'greedy', code: 'overloaded' })),
    );
    await end(0);
    await end(0);
    expect(names()).to.deep.equal(['modest']);
  });

  it('refuses an account whose work was slow again and again, until some time has passed', async () => {
    const { clock, start, settle, end, names, outcomes } = world(2);
    for (let i = 0; i < 4; i++) {
      start('slow');
      await settle();
      clock.ms += 10_000;
      await end(0);
    }
    start('slow');
    start('other');
    await settle();
    expect(outcomes.at(-1)).to.deep.equal({ account: 'slow', code: 'rate_limited' });
    expect(names()).to.deep.equal(['other']);
    clock.ms += 60_000;
    start('slow');
    await settle();
    expect(names()).to.deep.equal(['other', 'slow']);
  });

  it('lets accounts that were slow lately wait for all others', async () => {
    const { clock, start, settle, end, names } = world(1);
    start('slow');
    await settle();
    clock.ms += 9_000;
    for (let i = 0; i < 2; i++) start('slow');
    for (const other of ['a', 'b', 'c']) start(other);
    const turns: (string | undefined)[] = [];
    for (let i = 0; i < 5; i++) {
      await end(0);
      turns.push(...names());
    }
    expect(turns).to.deep.equal(['a', 'b', 'c', 'slow', 'slow']);
  });

  it('never counts usual work, however much of it there is', async () => {
    const { clock, start, settle, end, outcomes } = world(2);
    for (let i = 0; i < 500; i++) {
      start('busy');
      await settle();
      clock.ms += 1_900;
      await end(0);
    }
    expect(outcomes.every(({ code }) => code === 'done')).to.equal(true);
  });

  it('serves everybody and never exceeds its slots', async () => {
    const account = fc.constantFrom('a', 'b', 'c', undefined);
    const step = fc.oneof(account, fc.nat({ max: 5 }));
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 3 }),
        fc.array(step, { maxLength: 60 }),
        async (size, steps) => {
          const { start, settle, end, running, names, queue, outcomes } = world(size, 100);
          let started = 0;
          for (const one of steps) {
            if (typeof one === 'number') {
              if (running.length > 0) await end(one % running.length);
            } else {
              start(one);
              started++;
            }
            await settle();
            expect(running.length).to.be.at.most(size);
            for (const name of ['a', 'b', 'c']) {
              const held = names().filter((other) => other === name).length;
              expect(held).to.be.at.most(Math.max(1, size - 1));
            }
          }
          while (running.length > 0) await end(0);
          expect(outcomes).to.have.length(started);
          expect(outcomes.every(({ code }) => code === 'done')).to.equal(true);
          expect(queue.stats()).to.include({ busy: 0, waiting: 0 });
        },
      ),
      { numRuns: 100 },
    );
  });
});
