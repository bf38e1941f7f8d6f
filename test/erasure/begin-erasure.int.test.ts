/** The beginning of an erasure whose closure is taken back or changed at the same moment. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { accountAggregate } from '../../commands/accounts/account.ts';
import { requestClosure, withdrawClosure } from '../../commands/accounts/close-account.ts';
import { accountStream } from '../../events/account.ts';
import { type BooksEvent, booksStream } from '../../events/books.ts';
import { decodeEvent, openPersonal } from '../../events/envelope.ts';
import { sum } from '../../money/buckets.ts';
import { createEraseAccounts, type ErasePorts } from '../../reactors/erase-accounts.ts';
import { account, type LetterWorld } from '../support/letter-world.ts';
import { registeredWorld } from '../support/registered-world.ts';

const balance = 50_000_000n;
const dayMs = 86_400_000;

const ask = (world: LetterWorld, erasesInMs: number) => {
  const erasesAt = new Date(world.clock() + erasesInMs).toISOString();
  const closureId = randomUUID();
  const wish = { closureId, erasesAt, forfeitsBalance: true, requestHash: 'h' };
  return world
    .process()
    .handler.handle(accountAggregate, account, world.context(), (state, _, at) =>
      requestClosure(state, { type: 'RequestClosure', ...wish }, at),
    );
};

const withdraw = (world: LetterWorld) =>
  world.process().handler.handle(accountAggregate, account, world.context(), withdrawClosure);

/** An account with money that closes and gives it up. */
const closing = async (erasesInMs = -1_000): Promise<LetterWorld> => {
  const world = await registeredWorld();
  await ask(world, erasesInMs);
  return world;
};

const data: ErasePorts['data'] = {
  lettersLeft: async () => [],
  subjectsLeft: async () => [],
  removeRows: async () => {},
  counts: async () => ({ letters: 0, ucans: 0, payments: 0 }),
  books: async () => [],
  isKeyThere: async () => true,
};

const eraserOf = (world: LetterWorld, ports: Partial<ErasePorts> = {}) =>
  createEraseAccounts({
    handler: world.process().handler,
    clock: world.clock,
    dataKeys: world.dataKeys,
    files: world.files,
    logos: { list: async () => [], delete: async () => false } as unknown as ErasePorts['logos'],
    data,
    due: async (after) => (after === '' ? [account] : []),
    blockersOf: async () => [],
    isUpToDate: async () => true,
    noteBegun: async () => {},
    certify: async () => false,
    stopping: new AbortController().signal,
    ...ports,
  });

const round = (world: LetterWorld, ports?: Partial<ErasePorts>): Promise<void> =>
  eraserOf(world, ports).work();

const found = async (world: LetterWorld) => {
  const { state } = await world.process().handler.load(accountAggregate, account);
  const left = sum((await world.wallet()).available);
  return { status: state.status, isClosing: state.closure !== undefined, left };
};

describe('the balance that is given up with an account', () => {
  it('is taken when the erasure has begun', async () => {
    const world = await closing();
    await round(world);
    expect(await found(world)).to.deep.equal({ status: 'erased', isClosing: true, left: 0n });
  });

  it('stays where the closure is taken back while blockers are looked for', async () => {
    const world = await closing();
    const blockersOf = async () => {
      await withdraw(world);
      return [];
    };
    await round(world, { blockersOf });
    expect(await found(world)).to.deep.equal({ status: 'open', isClosing: false, left: balance });
  });

  it('stays where the process dies before the erasure begins, and the closure is taken back then', async () => {
    const world = await closing();
    world.faults.append = async (next, stream, ...rest) => {
      if (stream === accountStream(account)) throw new Error('died');
      return next(stream, ...rest);
    };
    await round(world).catch(() => {});
    delete world.faults.append;
    await withdraw(world);
    expect(await found(world)).to.deep.equal({ status: 'open', isClosing: false, left: balance });
  });

  it('is taken by the next round where the process dies after the erasure began', async () => {
    const world = await closing();
    world.faults.append = async (next, stream, ...rest) => {
      if (stream.startsWith('wallet-')) throw new Error('died');
      return next(stream, ...rest);
    };
    await round(world).catch(() => {});
    delete world.faults.append;
    expect(await found(world)).to.deep.equal({ status: 'erased', isClosing: true, left: balance });
    await round(world);
    expect(await found(world)).to.deep.equal({ status: 'erased', isClosing: true, left: 0n });
  });

  it('stays where the closure was asked for anew after the list of due accounts was read', async () => {
    const world = await closing();
    const due = async (after: string) => {
      if (after !== '') return [];
      await withdraw(world);
      await ask(world, 30 * dayMs);
      return [account];
    };
    await round(world, { due });
    expect(await found(world)).to.deep.equal({ status: 'open', isClosing: true, left: balance });
  });
});

describe('an account that is erased', () => {
  it('takes few queries to find what is left of many letters', async () => {
    const world = await closing();
    const { handler } = world.process();
    const left = new Set<string>(Array.from({ length: 1_000 }, () => randomUUID()));
    let asked = 0;
    const erasing: ErasePorts['handler'] = {
      ...handler,
      async handle(aggregate, id, ...rest) {
        return left.delete(id) ? (undefined as never) : handler.handle(aggregate, id, ...rest);
      },
    };
    const lettersLeft = async (_: string, limit: number) => {
      asked += 1;
      return [...left].slice(0, limit);
    };
    await round(world, { handler: erasing, data: { ...data, lettersLeft } });
    expect(left.size).to.equal(0);
    expect(asked).to.equal(2);
  });

  it('is named at /health while it cannot be erased', async () => {
    const world = await closing();
    let error: Error | undefined = new Error('no room');
    const eraser = eraserOf(world, {
      isUpToDate: async () => {
        if (error) throw error;
        return true;
      },
    });
    expect(eraser.failure()).to.equal(undefined);
    await eraser.work().catch(() => {});
    expect(eraser.failure()).to.match(/^1 account cannot be erased/);
    expect(eraser.failing()).to.equal(1);
    error = undefined;
    await eraser.work();
    expect(eraser.failure()).to.equal(undefined);
    expect(eraser.failing()).to.equal(0);
    expect((await found(world)).status).to.equal('erased');
  });

  it('keeps its longest references, in as many events as they need', async () => {
    const world = await closing();
    const references = Array.from({ length: 300 }, (_, n) => ({
      eventId: randomUUID(),
      reference: `${n} `.padEnd(990, '\u{1f4ee}'),
    }));
    const year = 2026;
    await round(world, { data: { ...data, books: async () => [{ year, references }] } });
    expect((await found(world)).status).to.equal('erased');
    const stream = booksStream(account, year);
    const key = await world.dataKeys.get(stream);
    const kept = (await world.store.readStream(stream)).map(
      (event) => openPersonal(decodeEvent(event), key) as BooksEvent,
    );
    expect(kept.flatMap(({ personal }) => personal?.references ?? [])).to.deep.equal(references);
    expect(kept.map(({ personal }) => personal?.name)).to.include('a@example.org');
  });
});
