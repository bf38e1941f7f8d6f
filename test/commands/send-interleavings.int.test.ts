/**
 * Two processes send on one wallet, and a third undoes half-done work. Every call to the store comes and goes
 * in random order, is refused, loses its answer, or is the last thing its process did.
 */
import { expect } from 'chai';
import fc from 'fast-check';
import { isAppError } from '../../contract/errors.ts';
import { decodeEvent } from '../../events/envelope.ts';
import { type EventStore, StoreUnavailable } from '../../events/event-store.ts';
import type { Position } from '../../events/position.ts';
import { chargeOfCents, totalOf } from '../../money/charge.ts';
import { createSettleWallets } from '../../reactors/settle-wallets.ts';
import { aloneLease } from '../support/lease.ts';
import { centsOf, createLetterWorld, type LetterWorld, letterTo } from '../support/letter-world.ts';

const funds = 1_000n;

type Fault = 'none' | 'refused' | 'answer lost' | 'dies before' | 'dies after';

/** `key`: its Idempotency-Key, without one it is never repeated. `page`: what the letter says. */
type Request = { process: 0 | 1; key: number | undefined; page: number; hold: boolean };

const request: fc.Arbitrary<Request> = fc.record({
  process: fc.constantFrom(0, 1),
  key: fc.option(fc.integer({ min: 0, max: 5 }), { nil: undefined, freq: 4 }),
  page: fc.integer({ min: 0, max: 1 }),
  hold: fc.boolean(),
});

const fault: fc.Arbitrary<Fault> = fc.oneof(
  { weight: 12, arbitrary: fc.constant('none' as const) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Fault>('refused', 'answer lost', 'dies before', 'dies after'),
  },
);

/** A store as one process sees it: its calls and their answers wait their turn. */
const seenBy = (store: EventStore, scheduler: fc.Scheduler, nextFault: () => Fault) => {
  let dead = false;
  const gone = (): StoreUnavailable => new StoreUnavailable('test');

  const pass = async <T>(call: () => Promise<T>, writes: boolean): Promise<T> => {
    await scheduler.schedule(Promise.resolve());
    const what = writes ? nextFault() : 'none';
    if (dead || what === 'refused') throw gone();
    if (what === 'dies before') dead = true;
    if (dead) throw gone();
    const result = await call();
    await scheduler.schedule(Promise.resolve());
    if (what === 'dies after') dead = true;
    if (dead || what === 'answer lost') throw gone();
    return result;
  };

  const { appendAll } = store;
  const seen: EventStore = {
    ...store,
    append: (...call) => pass(() => store.append(...call), true),
    readStream: (...call) => pass(() => store.readStream(...call), false),
    ...(appendAll
      ? {
          appendAll: (...call: Parameters<typeof appendAll>) =>
            pass(() => appendAll(...call), true),
        }
      : {}),
  };
  return { seen, isDead: (): boolean => dead };
};

const text = (page: number): string => (page === 0 ? 'Short.' : 'A long page. '.repeat(3_000));

const ask = async (
  world: LetterWorld,
  { letters }: ReturnType<LetterWorld['process']>,
  { key, page, hold }: Request,
  index: number,
): Promise<string | undefined> => {
  const context = world.asked(key === undefined ? `once-${index}` : `key-${key}`, [page, hold], {
    repeatable: key !== undefined,
  });
  const input = letterTo({}, { content: { kind: 'text', text: text(page) } });
  try {
    const options = { draft: false, holdWithoutFunds: hold };
    const sent = await letters.send(input, options, context);
    return sent.status === 'queued' ? sent.letterId : undefined;
  } catch (error) {
    if (isAppError(error) || error instanceof StoreUnavailable) return undefined;
    throw error;
  }
};

/** The process manager over the log as it is now, without patience: it undoes half-done work. */
const settleAll = async (world: LetterWorld, store: EventStore): Promise<void> => {
  const { handler } = world.process(store);
  const reactor = createSettleWallets({ handler, clock: world.clock, patienceMs: 0 });
  let before: Position = 0n;
  for (const event of await world.store.readAll({ after: 0n, limit: 10_000 })) {
    await reactor.react(decodeEvent(event), before)?.(aloneLease);
    before = event.position;
  }
  await reactor.sweep();
};

/** Credited = available + held, and the held money is the price of the queued letters, each once. */
const assertExact = async (world: LetterWorld, acknowledged: Set<string>): Promise<void> => {
  const wallet = await world.wallet();
  let held = 0n;
  for (const [, reservation] of wallet.reservations) {
    const letterId = reservation.purpose.id;
    const letter = await world.letter(letterId);
    if (letter.status !== 'queued') return expect.fail(`${letterId} holds and is ${letter.status}`);
    expect(centsOf(reservation)).to.equal(
      totalOf(chargeOfCents(letter.terms.price.charge)) / 10_000n,
    );
    held += centsOf(reservation);
  }
  expect(centsOf(wallet.available) + held).to.equal(funds);
  expect(wallet.available.fiat >= 0n && wallet.available.crypto >= 0n).to.equal(true);
  for (const letterId of acknowledged) {
    expect(wallet.reservations.has(`letter-${letterId}`), `${letterId} is acknowledged`).to.equal(
      true,
    );
  }
  const log = await world.store.readAll({ after: 0n, limit: 10_000 });
  const queued = log.filter(({ type }) => type === 'LetterQueued').map(({ stream }) => stream);
  expect(queued).to.have.length(wallet.reservations.size);
};

for (const oneCommit of [true, false]) {
  const way = oneCommit ? 'one commit' : 'two steps';
  describe(`sends in ${way}, in any order and with any fault`, function () {
    this.timeout(180_000);

    it('conserve money, and keep each acknowledged letter once and charged once', () =>
      fc.assert(
        fc.asyncProperty(
          fc.scheduler(),
          fc.array(request, { minLength: 1, maxLength: 12 }),
          fc.array(fault, { minLength: 40, maxLength: 40 }),
          async (scheduler, requests, faults) => {
            const world = createLetterWorld({ oneCommit });
            await world.fund(funds);
            let calls = 0;
            const nextFault = (): Fault => faults[calls++] ?? 'none';
            const processes = [0, 1].map(() => {
              const { seen, isDead } = seenBy(world.store, scheduler, nextFault);
              return { ...world.process(seen), isDead };
            });
            const acknowledged = new Set<string>();
            const asking = requests.map(async (one, index) => {
              const process = processes[one.process] as (typeof processes)[0];
              const letterId = await ask(world, process, one, index);
              // Nobody hears what a dead process says.
              if (letterId !== undefined && !process.isDead()) acknowledged.add(letterId);
            });
            const settling = async (): Promise<void> => {
              const { seen } = seenBy(world.store, scheduler, () => 'none');
              for (let turn = 0; turn < 4; turn++) {
                for (let n = 0; n < 6; n++) await scheduler.schedule(Promise.resolve());
                // It may lose every race for the wallet; the last one below has none.
                await settleAll(world, seen).catch(() => {});
              }
            };
            await scheduler.waitFor(Promise.all([...asking, settling()]));
            // Half of the clients repeat requests without an answer, the others give up.
            const after = world.process();
            for (const [index, one] of requests.entries()) {
              if (one.key === undefined || one.key % 2 === 0) continue;
              const letterId = await ask(world, after, one, index);
              if (letterId !== undefined) acknowledged.add(letterId);
            }
            await settleAll(world, world.store);
            await assertExact(world, acknowledged);
          },
        ),
        { numRuns: 150 },
      ));
  });
}
