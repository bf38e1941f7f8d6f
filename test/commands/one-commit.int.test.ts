/** Sending where the store has one commit for wallet, letter and key: conflicts, replays, lost answers. */
import { expect } from 'chai';
import { letterIdOf } from '../../commands/letters/send-letter.ts';
import { StoreUnavailable } from '../../events/event-store.ts';
import { letterStream } from '../../events/letter.ts';
import { walletStream } from '../../events/wallet.ts';
import { chargeOfCents, totalOf } from '../../money/charge.ts';
import { rejectionOf } from '../support/decider-spec.ts';
import { createGate } from '../support/faulty-store.ts';
import {
  account,
  centsOf,
  createLetterWorld,
  type LetterWorld,
  letterTo,
  plainly,
} from '../support/letter-world.ts';

const funds = 100_000n;

const funded = async (): Promise<LetterWorld> => {
  const world = createLetterWorld({ oneCommit: true });
  await world.fund(funds);
  return world;
};

/** Every reservation is for a letter that is queued at that price, and nothing is lost or made. */
const assertExact = async (world: LetterWorld, letterIds: string[]): Promise<void> => {
  const wallet = await world.wallet();
  const paid = [...wallet.reservations.values()].map(({ purpose }) => purpose.id);
  expect(paid.sort()).to.deep.equal([...letterIds].sort());
  let held = 0n;
  for (const [, reservation] of wallet.reservations) {
    const letterId = reservation.purpose.id;
    const letter = await world.letter(letterId);
    if (letter.status !== 'queued') expect.fail(`letter ${letterId} is ${letter.status}`);
    expect(centsOf(reservation)).to.equal(
      totalOf(chargeOfCents(letter.terms.price.charge)) / 10_000n,
    );
    held += centsOf(reservation);
  }
  expect(centsOf(wallet.available) + held).to.equal(funds);
};

const send = (world: LetterWorld, key: string, name = 'Ada', { letters } = world.process()) =>
  letters.send(letterTo({ name }), plainly, world.asked(key, name));

const times = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

describe('sends in one commit', () => {
  it('are few commits for many letters of one wallet, each with its key', async () => {
    const world = await funded();
    let commits = 0;
    world.faults.appendAll = (next, ...call) => {
      commits++;
      return next(...call);
    };
    world.faults.append = () => expect.fail('appended apart');
    const sent = await Promise.all(times(64).map((n) => send(world, `k${n}`, 'Ada', world)));
    expect(commits).to.be.at.most(4);
    delete world.faults.append;
    await assertExact(
      world,
      sent.map(({ letterId }) => letterId),
    );
    const log = await world.store.readAll({ after: 0n, limit: 10_000 });
    const [reserved, queued] = log.slice(-128).toReversed();
    expect([reserved?.type, queued?.type]).to.deep.equal(['LetterQueued', 'LetterQueued']);
    for (const { letterId } of sent) {
      expect(await world.dataKeys.get(letterStream(letterId))).to.not.equal(undefined);
    }
  });

  it('leave no key and no event of a letter that the wallet does not cover', async () => {
    const world = createLetterWorld({ oneCommit: true });
    expect(await rejectionOf(send(world, 'k'))).to.equal('insufficient_funds');
    expect(await world.store.head()).to.equal(0n);
    const letterId = letterIdOf(world.asked('k').commandId);
    expect(await world.dataKeys.get(letterStream(letterId))).to.equal(undefined);
  });

  it('read only what others appended after a conflict', async () => {
    const world = await funded();
    const stream = walletStream(account, 0);
    const { readStream, appendAll } = world.store;
    const reads: bigint[] = [];
    let rivals = 0;
    const here = world.process({
      ...world.store,
      readStream(name, options) {
        if (name === stream) reads.push(options?.from ?? 0n);
        return readStream(name, options);
      },
      async appendAll(appends, keys) {
        if (appends.length > 2 && rivals < 3) await send(world, `rival-${++rivals}`);
        if (!appendAll) throw new Error('no way to append');
        return appendAll(appends, keys);
      },
    });
    await send(world, 'warm', 'Ada', here);
    const known = (await readStream(stream)).at(-1)?.version ?? 0n;
    reads.length = 0;
    await Promise.all(times(5).map((n) => send(world, `k${n}`, 'Ada', here)));
    expect(rivals).to.equal(3);
    expect(reads).to.have.length(3);
    expect(reads.every((from) => from > known)).to.equal(true);
    const { reservations } = await world.wallet();
    const sent = [...reservations.values()].map(({ purpose }) => purpose.id);
    expect(sent).to.have.length(1 + 3 + 5);
    await assertExact(world, sent);
  });

  it('answer the first one again when another process queued it meanwhile', async () => {
    const world = await funded();
    const other = world.process();
    let raced = false;
    world.faults.appendAll = async (next, ...call) => {
      if (!raced) {
        raced = true;
        await send(world, 'k', 'Ada', other);
      }
      return next(...call);
    };
    const sent = await send(world, 'k');
    expect(sent).to.include({ replayed: true, status: 'queued' });
    await assertExact(world, [sent.letterId]);
  });

  it('refuse another letter under the key of one that was queued meanwhile, the others go', async () => {
    const world = await funded();
    const [here, there] = [world.process(), world.process()];
    let raced = false;
    world.faults.appendAll = async (next, ...call) => {
      if (!raced) {
        raced = true;
        await send(world, 'k', 'Ada', there);
      }
      return next(...call);
    };
    const outcomes = await Promise.allSettled([
      send(world, 'a', 'Ada', here),
      send(world, 'k', 'Eve', here),
      send(world, 'b', 'Ada', here),
    ]);
    expect(outcomes.map(({ status }) => status)).to.deep.equal([
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    const letters = ['a', 'k', 'b'].map((key) => letterIdOf(world.asked(key).commandId));
    await assertExact(world, letters);
  });

  it('tell two letters under one key in one process apart', async () => {
    const world = await funded();
    const outcomes = await Promise.all(
      ['Ada', 'Eve', 'Ada'].map((name) => rejectionOf(send(world, 'k', name, world))),
    );
    expect(outcomes.filter((code) => code === undefined).length).to.be.above(0);
    expect(outcomes.filter((code) => code === 'idempotency_key_reused').length).to.be.above(0);
    await assertExact(world, [letterIdOf(world.asked('k').commandId)]);
  });

  it('use the key that a crash left behind, and refuse one that was erased', async () => {
    const world = await funded();
    const stream = (key: string) => letterStream(letterIdOf(world.asked(key).commandId));
    await world.dataKeys.create(stream('left'));
    const sent = await send(world, 'left');
    expect(sent).to.include({ replayed: false, status: 'queued' });
    await world.dataKeys.erase(stream('erased'));
    const [refused] = await Promise.allSettled([send(world, 'erased')]);
    expect(refused?.status).to.equal('rejected');
    expect((await world.letter(letterIdOf(world.asked('erased').commandId))).status).to.equal(
      'none',
    );
  });

  it('are answered from the log when the answer of the store was lost', async () => {
    const world = await funded();
    world.faults.appendAll = async (next, ...call) => {
      await next(...call);
      throw new StoreUnavailable('the answer was lost');
    };
    const [lost] = await Promise.allSettled([send(world, 'k', 'Ada', world)]);
    expect(lost?.status).to.equal('rejected');
    delete world.faults.appendAll;
    const again = await send(world, 'k', 'Ada', world);
    expect(again).to.include({ replayed: true, status: 'queued' });
    await assertExact(world, [again.letterId]);
  });

  it('of one lot fail together, and those after them do not', async () => {
    const world = await funded();
    const gate = createGate();
    let failing = true;
    world.faults.appendAll = async (next, ...call) => {
      if (!failing) return next(...call);
      await gate.pass();
      failing = false;
      throw new StoreUnavailable('test');
    };
    const first = Promise.allSettled([
      send(world, 'a', 'Ada', world),
      send(world, 'b', 'Ada', world),
    ]);
    await gate.reached;
    const second = send(world, 'c', 'Ada', world);
    gate.open();
    expect((await first).map(({ status }) => status)).to.include('rejected');
    await second;
    const { reservations } = await world.wallet();
    const sent = [...reservations.values()].map(({ purpose }) => purpose.id);
    await assertExact(world, sent);
    expect(sent).to.include((await second).letterId);
  });
});
