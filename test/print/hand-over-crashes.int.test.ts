/**
 * Letters in production while processes are killed or frozen between any two steps, the print house takes
 * tickets when it likes, senders cancel, and days pass: by seed.
 */

import { mkdtemp, readdir, readFile, rename, rm, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { cancelLetter, letterAggregate } from '../../commands/letters/letter.ts';
import { createLettersAtHand } from '../../commands/letters/letters-at-hand.ts';
import { decodeEvent } from '../../events/envelope.ts';
import { letterStream } from '../../events/letter.ts';
import { createDisk } from '../../infra/print/disk.ts';
import { createHotfolder } from '../../infra/print/hotfolder.ts';
import { chargeOfCents, totalOf } from '../../money/charge.ts';
import { createProduceLetters } from '../../reactors/produce-letters.ts';
import { releaseLetter } from '../../reactors/release-letters.ts';
import { withAppend } from '../support/faulty-store.ts';
import { aloneLease } from '../support/lease.ts';
import { centsOf, createLetterWorld, letterTo, plainly } from '../support/letter-world.ts';
import { createMemoryMarks } from '../support/memory-marks.ts';
import { nothingRestored } from '../support/nothing-restored.ts';
import { seeded } from '../support/seeded.ts';

const seeds = Number(process.env.HAND_OVER_SEEDS ?? 150);
const lettersPerSeed = 2;
const livesPerSeed = 5;
const fundedCents = 100_000n;

class Killed extends Error {}

/**
 * A process that comes to its end at one of its steps: killed before or after it, or frozen until it is
 * thawed. `between` runs the work of others between two steps.
 */
const createMortal = (random: () => number, between: () => Promise<void>) => {
  let left = Math.floor(random() * 45);
  const end = (['killed before', 'killed after', 'frozen'] as const)[Math.floor(random() * 3)];
  const { promise: thawed, resolve: thaw } = Promise.withResolvers<void>();
  const step = async <T>(work: () => Promise<T>): Promise<T> => {
    const now = left--;
    if (now > 0) {
      await between();
      return work();
    }
    if (end === 'frozen') {
      await thawed;
      return work();
    }
    if (now === 0 && end === 'killed after') await work();
    throw new Killed('the process was killed');
  };
  /** The same object, each of whose methods is a step. */
  const mortal = <T extends object>(inner: T): T =>
    Object.fromEntries(
      Object.entries(inner).map(([name, method]) => [
        name,
        (...args: unknown[]) => step(() => method(...args)),
      ]),
    ) as T;
  return {
    step,
    mortal,
    thaw,
    /** Whether it ends while it lives; a frozen one stays. */
    isFrozen: () => end === 'frozen' && left < 0,
    live: () => {
      left = Number.POSITIVE_INFINITY;
    },
  };
};

describe('handing letters over to a hotfolder while everything dies', function () {
  this.timeout(300_000);
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'letters-crashes-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const play = async (seed: number): Promise<void> => {
    const random = seeded(seed);
    const world = createLetterWorld();
    const outbox = join(folder, String(seed));
    const marks = createMemoryMarks();
    const printed: string[] = [];
    /** When the printed pages were set. */
    const dates = new Map<string, string>();
    const ids: string[] = [];
    await world.fund(fundedCents);
    for (let n = 0; n < lettersPerSeed; n++) {
      const sent = await world.letters.send(letterTo(), plainly, world.asked(`${seed}.${n}`));
      ids.push(sent.letterId);
    }
    world.time.now += 300_000;

    const ticketsLeft = async (): Promise<string[]> =>
      (await readdir(outbox).catch(() => [])).filter((name) => name.endsWith('.json'));
    /** The print house takes a job by moving its ticket, or by reading and deleting it. */
    const take = async (name: string, byMoving: boolean): Promise<void> => {
      const path = join(outbox, name);
      const taking = byMoving ? rename(path, `${outbox}.taken`) : unlink(path);
      const isTaken = await taking.then(
        () => true,
        () => false,
      );
      if (!isTaken) return;
      const id = name.slice(0, -'.json'.length);
      printed.push(id);
      dates.set(id, await readFile(join(outbox, `${id}.pdf`), 'utf8'));
    };
    const takeSome = async (): Promise<void> => {
      const [takes, byMoving] = [random() < 0.6, random() < 0.5];
      if (takes) for (const name of await ticketsLeft()) await take(name, byMoving);
    };
    const cancelOne = async (): Promise<void> => {
      const id = ids[Math.floor(random() * ids.length)] ?? '';
      await world.handler
        .handle(letterAggregate, id, world.context(), cancelLetter)
        .catch(() => undefined);
    };
    const between = async (): Promise<void> => {
      const dice = random();
      if (dice < 0.15) await takeSome();
      else if (dice < 0.18) await cancelOne();
      else if (dice < 0.3) world.time.now += 86_400_000;
    };

    /** Runs a process from its start: it releases due letters and reacts to all events. */
    const live = async ({ step, mortal }: ReturnType<typeof createMortal>): Promise<void> => {
      const store = withAppend(world.store, (next, ...call) => step(() => next(...call)));
      const { handler } = world.process(store);
      const partner = createHotfolder({
        name: 'house',
        folder: outbox,
        marks: mortal(marks),
        disk: mortal(createDisk()),
      });
      const render = async ({ at }: { at: string }) => Buffer.from(at);
      const letters = createLettersAtHand(handler);
      const ports = {
        letters,
        clock: world.clock,
        partners: [partner],
        partner,
        render,
        restored: nothingRestored,
      };
      for (const id of ids) await releaseLetter({ ...ports, simulator: partner }, id);
      const produce = createProduceLetters(ports);
      for (const id of ids) {
        for (let from = 0n; ; from++) {
          const [recorded] = await world.store.readStream(letterStream(id), { from, limit: 1 });
          if (!recorded) break;
          await produce.react(decodeEvent(recorded), recorded.position)?.(aloneLease);
        }
      }
    };

    let frozen: { thaw(): void; living: Promise<unknown> } | undefined;
    for (let life = 0; life <= livesPerSeed; life++) {
      const mortal = createMortal(random, between);
      if (life === livesPerSeed) mortal.live();
      const living = live(mortal).catch((error: unknown) => {
        if (!(error instanceof Killed)) throw error;
      });
      // A frozen process lets the next one live at the same time, and then continues where it was.
      let isOver = false;
      void living.finally(() => {
        isOver = true;
      });
      while (!isOver && !mortal.isFrozen()) await new Promise((resolve) => setImmediate(resolve));
      frozen?.thaw();
      await frozen?.living;
      frozen = isOver ? undefined : { thaw: mortal.thaw, living };
      await takeSome();
    }
    for (const name of await ticketsLeft()) await take(name, true);

    let spent = 0n;
    for (const id of ids) {
      await world.settle(id);
      const letter = await world.letter(id);
      const copies = printed.filter((one) => one === id).length;
      const what = `seed ${seed}: letter ${letter.status}`;
      expect(letter.status, what).to.be.oneOf(['processing', 'cancelled']);
      expect(copies, what).to.equal(letter.status === 'cancelled' ? 0 : 1);
      if (letter.status !== 'processing') continue;
      expect(letter.datedAt, what).to.equal(dates.get(id));
      spent += totalOf(chargeOfCents(letter.terms.price.charge)) / 10_000n;
    }
    const { available } = await world.wallet();
    expect(centsOf(available), `seed ${seed}: money`).to.equal(fundedCents - spent);
  };

  it(`prints or pays back each letter once, and knows its date, over ${seeds} seeds`, async () => {
    for (let seed = 1; seed <= seeds; seed++) await play(seed);
  });
});
