/** A wallet that follows the closure of its account, while two processes ask for it and take it back. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { accountAggregate } from '../../commands/accounts/account.ts';
import { type Closures, createClosures } from '../../commands/accounts/closures.ts';
import { createFreezes } from '../../commands/guards/freezes.ts';
import { closureSubject } from '../../contract/frozen.ts';
import { decodeEvent } from '../../events/envelope.ts';
import { createFollowClosures } from '../../reactors/follow-closures.ts';
import { aloneLease } from '../support/lease.ts';
import { account, type LetterWorld } from '../support/letter-world.ts';
import { registeredWorld } from '../support/registered-world.ts';

describe('a wallet whose account closes', () => {
  const closuresOf = (world: LetterWorld): Closures => {
    const { handler } = world.process();
    return createClosures({ handler, freezes: createFreezes({ handler, changed: () => {} }) });
  };
  const ask = (world: LetterWorld, closures = closuresOf(world)) => {
    const erasesAt = new Date(world.clock() + 1_000_000).toISOString();
    const wish = { closureId: randomUUID(), erasesAt, forfeitsBalance: false, requestHash: 'h' };
    return closures.request(account, wish, world.context());
  };
  const takeBack = (world: LetterWorld) => closuresOf(world).withdraw(account, world.context());

  /** The reactor after it saw the whole log. */
  const react = async (world: LetterWorld): Promise<void> => {
    const reactor = createFollowClosures(closuresOf(world));
    for (const event of await world.store.readAll({ after: 0n })) {
      await reactor.react(decodeEvent(event), event.position)?.(aloneLease);
    }
  };

  /** Holds the next append to the wallet until `meanwhile` is done. */
  const delay = (world: LetterWorld, meanwhile: () => Promise<unknown>): void => {
    world.faults.append = async (next, stream, ...rest) => {
      if (stream.startsWith('wallet-')) {
        delete world.faults.append;
        await meanwhile();
        await react(world);
      }
      return next(stream, ...rest);
    };
  };

  const found = async (world: LetterWorld) => {
    const { state } = await world.process().handler.load(accountAggregate, account);
    const isFrozen = (await world.wallet()).guards.frozen.has(closureSubject);
    return { isClosing: state.closure !== undefined, isFrozen };
  };

  it('is not frozen where the closure is taken back before it is', async () => {
    const world = await registeredWorld();
    delay(world, () => takeBack(world));
    await ask(world);
    expect(await found(world)).to.deep.equal({ isClosing: false, isFrozen: false });
  });

  it('stays frozen where the closure is asked for anew before it is unfrozen', async () => {
    const world = await registeredWorld();
    await ask(world);
    delay(world, () => ask(world));
    await takeBack(world);
    expect(await found(world)).to.deep.equal({ isClosing: true, isFrozen: true });
  });

  it('follows however often that happens', async () => {
    const world = await registeredWorld();
    delay(world, async () => {
      await takeBack(world);
      delay(world, () => ask(world));
    });
    await ask(world);
    expect(await found(world)).to.deep.equal({ isClosing: true, isFrozen: true });
  });
});
