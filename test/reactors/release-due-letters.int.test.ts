import { expect } from 'chai';
import { createLettersAtHand } from '../../commands/letters/letters-at-hand.ts';
import type { CountryCode } from '../../postal/types.ts';
import { createInProduction } from '../../reactors/in-production.ts';
import { HeldAfterRestore } from '../../reactors/print-partner.ts';
import {
  mostOnTheirWay,
  type ReleaseDuePorts,
  releaseDueLetters,
  restMs,
  type WaitsFor,
} from '../../reactors/release-due-letters.ts';
import { createLetterWorld, letterTo, plainly } from '../support/letter-world.ts';
import { eventually } from '../support/service-process.ts';

describe('releasing letters that are due', () => {
  const world = createLetterWorld();
  const letters = createLettersAtHand(world.handler);
  let sent = 0;
  before(() => world.fund(10_000_000n));

  const queued = (count: number): Promise<string[]> =>
    Promise.all(
      Array.from({ length: count }, async () => {
        const asked = world.asked(`letter ${sent++}`);
        return (await world.letters.send(letterTo(), plainly, asked)).letterId;
      }),
    );

  /** The partners, other than the one that serves, that letters wait for. */
  const waitsFor = new Map<string, WaitsFor>();
  const noneFailing = { serving: 0, earlier: 0, simulator: 0 };

  /** Releases while `work` runs. */
  const releasing = async (
    changes: Partial<ReleaseDuePorts>,
    work: (production: ReturnType<typeof createInProduction>) => Promise<void>,
  ): Promise<void> => {
    const production = createInProduction(async (letterId) => waitsFor.get(letterId) ?? 'serving');
    const stopping = new AbortController();
    const partner = { name: 'house' };
    const ended = releaseDueLetters(
      {
        letters,
        clock: world.clock,
        partner,
        simulator: partner,
        production,
        due: async () => [],
        owns: () => true,
        waitingPrintJobs: 2,
        answering: () => 0,
        log: { error: (...said) => expect.fail(JSON.stringify(said)) },
        ...changes,
      },
      stopping.signal,
    );
    try {
      await work(production);
    } finally {
      stopping.abort();
      await ended;
    }
  };
  const statuses = async (ids: string[]): Promise<string[]> =>
    (await Promise.all(ids.map(world.letter))).map(({ status }) => status);
  const inProcess = async (ids: string[]): Promise<number> =>
    (await statuses(ids)).filter((status) => status === 'processing').length;

  it('takes no more into production than it has room for, and goes on as there is', async () => {
    const ids = await queued(300);
    world.time.now += 300_000;
    const waiting = new Set(ids);
    const due = async (_: CountryCode[], limit: number) => [...waiting].slice(0, limit);
    await releasing({ due }, async (production) => {
      await eventually('production is full', () => production.count().running >= 128);
      const full = await inProcess(ids);
      expect(full).to.be.within(128, 160);
      for (const id of ids) {
        waiting.delete(id);
        await eventually('it is released', async () => (await inProcess([id])) === 1);
        await production.track(id, async () => undefined);
      }
      expect(production.count()).to.deep.equal({ running: 0, failing: noneFailing, held: 0 });
    });
  });

  it('hands over what it released before it releases more, while those who answer have no time', async () => {
    const ids = await queued(100);
    world.time.now += 300_000;
    const waiting = new Set(ids);
    const due = async (_: CountryCode[], limit: number) => [...waiting].slice(0, limit);
    let running = () => 0;
    // Rests are over at once; only the wait for letters on their way ends with them.
    const pause = (_: number, signal: AbortSignal) =>
      running() === 0 || signal.aborted
        ? Promise.resolve()
        : new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    const time = { elapsedMs: () => performance.now(), pause };
    await releasing({ due, time, answering: () => 1 }, async (production) => {
      running = () => production.count().running;
      while (waiting.size > 0) {
        const expected = Math.min(32, waiting.size);
        await eventually('a lot is released', () => production.count().running >= expected);
        expect(production.count().running).to.equal(expected);
        for (const id of [...waiting].slice(0, expected)) {
          expect(await inProcess([id])).to.equal(1);
          waiting.delete(id);
          await production.track(id, async () => undefined);
        }
      }
    });
  });

  it('does not wait for a letter that takes long, however busy those are who answer', async () => {
    const ids = await queued(33);
    world.time.now += 300_000;
    const due = async (_: CountryCode[], limit: number) => ids.slice(0, limit);
    await releasing({ due, answering: () => 1 }, async () => {
      await eventually('the last is released too', async () => (await inProcess(ids)) === 33);
    });
  });

  it('releases nothing that is not due, though a row says so, and nothing twice', async () => {
    const ids = await queued(2);
    let looks = 0;
    const due = async () => {
      looks++;
      return ids;
    };
    await releasing({ due }, async (production) => {
      await eventually('it has looked', () => looks > 1);
      expect(await inProcess(ids)).to.equal(0);
      expect(production.count().running).to.equal(0);
    });
  });

  it('asks for test letters only while too many wait for their partner', async () => {
    const asked: number[] = [];
    const due = async (countries: CountryCode[]) => {
      asked.push(countries.length);
      return [];
    };
    await releasing({ due }, async (production) => {
      await eventually('it asks for all', () => asked.length > 0);
      for (const id of ['a', 'b']) {
        await production.track(id, () => Promise.reject(new Error('down'))).catch(() => undefined);
      }
      const before = asked.length;
      await eventually('it asks again', () => asked.length > before);
      expect([asked[0], asked.at(-1)]).to.deep.equal([5, 0]);
      const failing = { ...noneFailing, serving: 2 };
      expect(production.count()).to.deep.equal({ running: 0, failing, held: 0 });
    });
  });

  for (const [whom, of] of [
    ['earlier', 'an earlier partner'],
    ['simulator', 'the simulator'],
  ] as const) {
    it(`asks for live letters however many wait for ${of}`, async () => {
      const asked: { countries: number; test: boolean }[] = [];
      const due = async ({ length: countries }: CountryCode[], _: number, test: boolean) => {
        asked.push({ countries, test });
        return [];
      };
      const ids = Array.from({ length: 4_001 }, (_, n) => `${whom} ${n}`);
      for (const id of ids) waitsFor.set(id, whom);
      await releasing({ due }, async (production) => {
        for (const id of ids) {
          const failed = () => Promise.reject(new Error('down'));
          await production.track(id, failed).catch(() => undefined);
        }
        const before = asked.length;
        await eventually('it asks again', () => asked.length > before);
        expect(asked.at(-1)).to.deep.equal({ countries: 5, test: whom !== 'simulator' });
      });
    });
  }

  it('asks for all letters however many are held after a restore', async () => {
    const asked: number[] = [];
    const due = async (countries: CountryCode[]) => {
      asked.push(countries.length);
      return [];
    };
    await releasing({ due }, async (production) => {
      for (const id of ['a', 'b', 'c']) {
        const held = () => Promise.reject(new HeldAfterRestore(id));
        await production.track(id, held).catch(() => undefined);
      }
      const before = asked.length;
      await eventually('it asks again', () => asked.length > before);
      expect(asked.at(-1)).to.equal(5);
      expect(production.count()).to.deep.equal({ running: 0, failing: noneFailing, held: 3 });
    });
  });

  it('leaves letters to the process that makes them', async () => {
    let looks = 0;
    let owner = false;
    let asked = 0;
    const due = async () => {
      looks++;
      return [];
    };
    const owns = () => ++asked > 0 && owner;
    await releasing({ due, owns }, async () => {
      await eventually('it has asked twice', () => asked > 1);
      expect(looks).to.equal(0);
      owner = true;
      await eventually('it looks', () => looks > 0);
    });
  });

  it('rests the longer the busier those are who answer, and never stands', () => {
    expect([0, 0.3, 0.6].map((answering) => restMs(50, answering))).to.deep.equal([0, 0, 0]);
    const rests = [0.7, 0.8, 0.9, 1].map((answering) => Math.round(restMs(50, answering)));
    expect(rests).to.deep.equal([0, 12, 64, 150]);
    expect(restMs(60_000, 1)).to.equal(1_000);
    expect([0, 0.75, 0.85, 0.95, 1].map(mostOnTheirWay)).to.deep.equal([128, 128, 64, 1, 1]);
  });
});
