import { expect } from 'chai';
import fc from 'fast-check';
import {
  type Counted,
  createLettersPerDay,
  type LetterGrants,
} from '../../infra/quotas/letters-per-day.ts';

const dayMs = 86_400_000;
const holdMs = 30_000;

/** The effect of letter-grants.sql, in memory. */
const grantsIn = (
  quota: number,
  now: () => number,
  mayLose: () => boolean = () => false,
): LetterGrants & { taken(): number; asked(): number } => {
  const rows = new Map<bigint, { count: number; untilMs: number }>();
  let asked = 0;
  let lastKey = '';
  const taken = (): number =>
    [...rows.values()].reduce(
      (sum, { count, untilMs }) => (untilMs > now() - dayMs ? sum + count : sum),
      0,
    );
  return {
    taken,
    asked: () => asked,
    async take({ want, waiting, holdMs: heldMs }) {
      asked++;
      const left = quota - taken();
      if (left <= 0) return { quota, waitMs: 1 };
      const granted = Math.min(left, Math.max(waiting, Math.min(want, Math.floor(left / 50))));
      const id = BigInt(rows.size + 1);
      rows.set(id, { count: granted, untilMs: now() + heldMs });
      return { granted, id };
    },
    async giveBack({ key, unused }) {
      if (mayLose()) throw new Error('cannot be reached');
      const repeated = key === lastKey;
      lastKey = key;
      for (const { id, count, usedMsAgo } of unused) {
        if (repeated) break;
        const row = rows.get(id);
        if (!row) throw new Error('a grant that nobody took');
        row.count -= count;
        row.untilMs = Math.min(row.untilMs, now() - usedMsAgo);
        if (row.count < 0) throw new Error('more came back than was taken');
      }
      if (mayLose()) throw new Error('the answer was lost');
    },
  };
};

const world = (quota: number, processes: number) => {
  let nowMs = 1_000_000;
  const grants = grantsIn(quota, () => nowMs);
  const start = () => createLettersPerDay({ grants, nowMs: () => nowMs, holdMs });
  const running: LettersPerDay[] = Array.from({ length: processes }, start);
  return {
    grants,
    running,
    start,
    now: () => nowMs,
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
};

const isCounted = (answer: object): answer is Counted => 'id' in answer;

type LettersPerDay = ReturnType<typeof createLettersPerDay>;

describe('letters in 24 hours, of several processes', () => {
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.record({ do: fc.constant('send' as const), at: fc.nat(2) }) },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant('burst' as const),
        at: fc.nat(2),
        many: fc.integer({ min: 1, max: 40 }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('fail' as const), at: fc.nat(2) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('tidy' as const), at: fc.nat(2) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('kill' as const), at: fc.nat(2) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('stop' as const), at: fc.nat(2) }) },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant('wait' as const),
        ms: fc.constantFrom(10, 1_000, 29_999, 30_000, 3_600_000, dayMs - 1, dayMs),
      }),
    },
  );

  it('are never more than the quota, whoever dies, fails, waits or stops', () =>
    fc.assert(
      fc.asyncProperty(
        fc.constantFrom(1, 3, 60, 500),
        fc.array(step, { minLength: 20, maxLength: 120 }),
        async (quota, steps) => {
          const { running, start, now, pass } = world(quota, 3);
          const sentAt: number[] = [];
          const send = async (at: number): Promise<Counted | undefined> => {
            const answer = await (running[at] as LettersPerDay).count('a');
            if (!isCounted(answer)) return undefined;
            sentAt.push(now());
            return answer;
          };
          for (const one of steps) {
            if (one.do === 'wait') pass(one.ms);
            else if (one.do === 'send') await send(one.at);
            else if (one.do === 'burst') {
              await Promise.all(Array.from({ length: one.many }, () => send(one.at)));
            } else if (one.do === 'tidy') await running[one.at]?.tidy();
            else if (one.do === 'kill') running[one.at] = start();
            else if (one.do === 'stop') {
              await running[one.at]?.close();
              running[one.at] = start();
            } else {
              const counted = await send(one.at);
              if (counted) {
                sentAt.pop();
                running[one.at]?.uncount(counted);
              }
            }
            const inDay = sentAt.filter((at) => at > now() - dayMs).length;
            expect(inDay).to.be.at.most(quota);
          }
        },
      ),
      { numRuns: 150 },
    ));

  it('are exactly the quota when all are asked until all refuse', () =>
    fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 700 }),
        fc.infiniteStream(fc.nat(2)),
        async (quota, turns) => {
          const { running, grants } = world(quota, 3);
          let sent = 0;
          const refusing = new Set<number>();
          for (const at of turns) {
            if (refusing.has(at)) continue;
            const taken = grants.taken();
            const refused = await (running[at] as LettersPerDay).look('a');
            expect(grants.taken()).to.be.at.most(taken);
            const answer = await (running[at] as LettersPerDay).count('a');
            expect(refused !== undefined).to.equal(!isCounted(answer));
            if (isCounted(answer)) sent++;
            else refusing.add(at);
            if (refusing.size === 3) break;
          }
          expect([sent, grants.taken()]).to.deep.equal([quota, quota]);
        },
      ),
      { numRuns: 40 },
    ));

  it('are all there for others after a look at them', async () => {
    const { running, grants, pass } = world(1, 2);
    const [one, other] = running as [LettersPerDay, LettersPerDay];
    expect(await one.look('a')).to.equal(undefined);
    expect(grants.taken()).to.equal(0);
    expect(await other.count('a')).to.have.property('id');
    expect(await one.look('a')).to.have.property('quota', 1);
    pass(holdMs + dayMs);
    expect(await one.look('a')).to.equal(undefined);
  });

  it('are there for a letter that is sent during a look at them', async () => {
    for (const at of [0, 1]) {
      const { running } = world(1, 2);
      const [looking, sending] = [running[0], running[at]] as [LettersPerDay, LettersPerDay];
      const look = looking.look('a');
      expect(await sending.count('a')).to.have.property('id');
      await look;
    }
  });

  it('come back when they were not used', async () => {
    const { running, grants, pass } = world(1_000, 2);
    const [one, other] = running as [LettersPerDay, LettersPerDay];
    for (let n = 0; n < 21; n++) await one.count('a');
    expect(grants.taken()).to.be.above(21);
    pass(holdMs);
    await one.tidy();
    expect(grants.taken()).to.equal(21);
    const counted = await other.count('a');
    await other.close();
    expect(grants.taken()).to.equal(22);
    // It failed after its process had let go of the rest.
    if (isCounted(counted)) other.uncount(counted);
    await other.tidy();
    expect(grants.taken()).to.equal(21);
  });

  it('come back once, however often the answer that they did is lost', () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { maxLength: 60 }), async (losses) => {
        let at = 0;
        const grants = grantsIn(
          1_000,
          () => 0,
          () => losses[at++] ?? false,
        );
        const letters = createLettersPerDay({ grants, nowMs: () => 0, holdMs });
        const counted: Counted[] = [];
        for (let n = 0; n < 40; n++) {
          const answer = await letters.count('a').catch(() => undefined);
          if (answer && isCounted(answer)) counted.push(answer);
          const back = n % 3 === 0 ? counted.pop() : undefined;
          if (back) letters.uncount(back);
          if (n % 5 === 0) await Promise.allSettled([letters.tidy(), letters.tidy()]);
        }
        at = losses.length;
        await letters.close();
        expect(grants.taken()).to.equal(counted.length);
      }),
      { numRuns: 200 },
    ));

  it('are seldom asked for', async () => {
    const { running, grants } = world(100_000, 1);
    for (let n = 0; n < 5_000; n++) await running[0]?.count('a');
    expect(grants.asked()).to.be.at.most(20);
    const asked = grants.asked();
    await Promise.all(Array.from({ length: 64 }, () => running[0]?.count('b')));
    expect(grants.asked() - asked).to.be.at.most(2);
  });
});
