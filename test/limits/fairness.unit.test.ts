import { expect } from 'chai';
import { isAppError } from '../../contract/errors.ts';
import { createBudget } from '../../limits/budgets.ts';
import { createFairQueue } from '../../limits/fair-queue.ts';
import type { Turn } from '../../limits/turn.ts';
import { seeded } from '../support/seeded.ts';

/** Three slots for any work and one for brief work, as the threads of a process. */
const slots = [0, 1, 2, 3];
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

type Job = { turn: Turn; ms: number; brief: boolean };
type Done = Job & { waitedMs: number; code: string };

/** A queue on a clock of ours: each job takes its time, and ends when the clock gets there. */
const world = (queueMax = 48) => {
  const time = { ms: 0 };
  const now = () => time.ms;
  const budget = createBudget({
    limit: 'documentTimeMs',
    usualMs: 2_000,
    mostMs: 20_000,
    forgivenPerMs: 1 / 3,
    remedy: 'Too slow',
    now,
  });
  const queue = createFairQueue({
    limit: 'tasksWaitingPerThread',
    slots,
    briefSlots: 1,
    queueMax,
    waitMs: 3_600_000,
    budget,
    now,
    tooMany: 'Too many.',
    retryAfterSeconds: 1,
  });
  const running: { job: Job; endsAt: number; end(): void }[] = [];
  const done: Done[] = [];
  const start = (job: Job): void => {
    const cameAt = time.ms;
    let waitedMs = 0;
    const work = (): Promise<void> => {
      waitedMs = time.ms - cameAt;
      return new Promise((end) => running.push({ job, endsAt: time.ms + job.ms, end }));
    };
    const ended = (code: string) => done.push({ ...job, waitedMs, code });
    queue.run(job.turn, work, job.brief).then(
      () => ended('done'),
      (error: unknown) => ended(isAppError(error) ? error.code : 'bug'),
    );
  };
  /** Lets time pass up to `untilMs`, job by job. */
  const pass = async (untilMs: number): Promise<void> => {
    for (;;) {
      await settle();
      const next = running.toSorted((a, b) => a.endsAt - b.endsAt)[0];
      if (!next || next.endsAt > untilMs) break;
      time.ms = Math.max(time.ms, next.endsAt);
      running.splice(running.indexOf(next), 1);
      next.end();
    }
    time.ms = Math.max(time.ms, untilMs);
  };
  return { time, queue, running, done, start, pass };
};

const free = (address: string, account?: string, registeredFrom?: string): Turn => ({
  standing: 'free',
  address,
  account,
  registeredFrom,
});
const funded = (account: string): Turn => ({ standing: 'funded', account });

const quantile = (values: number[], q: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * q))] ?? 0;

describe('crowds of free callers', () => {
  for (const seed of [1, 2, 3, 4, 5]) {
    it(`never hold the last slot, and cost a funded account little time (seed ${seed})`, async () => {
      const random = seeded(seed);
      const upTo = (n: number) => Math.floor(random() * n);
      const { running, done, start, pass } = world();
      for (let at = 0; at < 120_000; at += 50) {
        for (let n = upTo(4); n > 0; n--) {
          const turn = free(`address_${upTo(1_000)}`, `acct_${upTo(1_000)}`);
          const brief = random() < 0.7;
          start({ turn, brief, ms: brief ? 5 + upTo(100) : 200 + upTo(10_000) });
        }
        if (random() < 0.2) {
          start({ turn: funded(`payer_${upTo(5)}`), brief: true, ms: 20 + upTo(20) });
        }
        await pass(at);
        const held = running.filter(({ job }) => job.turn.standing === 'free');
        expect(held.length).to.be.at.most(slots.length - 1);
        expect(held.filter(({ job }) => !job.brief).length).to.be.at.most(2);
        const addresses = held.filter(({ job }) => !job.brief).map(({ job }) => job.turn.address);
        expect(new Set(addresses).size).to.equal(addresses.length);
      }
      await pass(10_000_000);
      const paid = done.filter(({ turn }) => turn.standing === 'funded');
      expect(paid.length).to.be.above(300);
      expect(new Set(paid.map(({ code }) => code))).to.deep.equal(new Set(['done']));
      const waited = paid.map(({ waitedMs }) => waitedMs);
      expect(quantile(waited, 0.5)).to.be.at.most(20);
      expect(quantile(waited, 0.99)).to.be.at.most(200);
      expect(done.some(({ turn, code }) => turn.standing === 'free' && code === 'done')).to.equal(
        true,
      );
    });
  }

  it('take no more than their share while others wait, and are not starved', async () => {
    const { time, done, start, pass } = world(10_000);
    for (let n = 0; n < 1_000; n++) {
      start({ turn: free(`address_${n}`), brief: true, ms: 100 });
      start({ turn: funded(`payer_${n % 20}`), brief: true, ms: 100 });
    }
    await pass(15_000);
    expect(time.ms).to.equal(15_000);
    const workedFor = (standing: string) =>
      done.filter(({ turn }) => turn.standing === standing).reduce((sum, { ms }) => sum + ms, 0);
    const share = workedFor('free') / (workedFor('free') + workedFor('funded'));
    expect(share).to.be.within(0.15, 0.25);
    await pass(10_000_000);
    expect(done.filter(({ code }) => code === 'done').length).to.equal(2_000);
  });

  it('give up their places in a full queue to those who pay', async () => {
    const { done, start, pass } = world(16);
    for (let n = 0; n < 40; n++) start({ turn: free(`address_${n}`), brief: true, ms: 100 });
    for (let n = 0; n < 4; n++) start({ turn: funded(`payer_${n}`), brief: true, ms: 100 });
    await pass(1_000_000);
    const paid = done.filter(({ turn }) => turn.standing === 'funded');
    expect(paid.map(({ code }) => code)).to.deep.equal(Array.from({ length: 4 }, () => 'done'));
  });

  it('of one address take turns as one party, and its accounts among themselves', async () => {
    const { done, start, pass } = world(10_000);
    for (let n = 0; n < 60; n++) {
      start({ turn: free('crowd', n < 50 ? 'greedy' : `acct_${n}`), brief: true, ms: 100 });
    }
    start({ turn: free('other'), brief: true, ms: 100 });
    await pass(1_000_000);
    const order = done.map(({ turn }) => turn.account ?? 'other');
    expect(order.indexOf('other')).to.be.at.most(3);
    // Each of the others had its turn before the greedy one had many.
    const last = Math.max(...order.map((one, at) => (one.startsWith('acct_') ? at : 0)));
    expect(order.slice(0, last).filter((one) => one === 'greedy').length).to.be.at.most(4);
  });

  it('have one budget for all accounts that were made from one address', async () => {
    const { done, start, pass, time } = world();
    const slow = async (turn: Turn, passMs: number): Promise<string | undefined> => {
      start({ turn, brief: false, ms: 10_000 });
      await pass(time.ms + passMs);
      return done.find((one) => one.turn === turn)?.code;
    };
    const refused = 'rate_limited';
    const codes: (string | undefined)[] = [];
    // Each from an address of its own, but registered from one.
    for (let n = 0; n < 4; n++) {
      codes.push(await slow(free(`address_${n}`, `acct_${n}`, 'home'), 10_000));
    }
    expect(codes).to.deep.equal(['done', 'done', 'done', 'done']);
    expect(await slow(free('address_5', 'acct_5', 'home'), 0)).to.equal(refused);
    expect(await slow(free('home'), 0), 'the address itself').to.equal(refused);
    expect(await slow(free('elsewhere', 'acct_9', 'another'), 10_000)).to.equal('done');
  });
});
