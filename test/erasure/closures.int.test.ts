/** A wallet that follows the closure of its account, while two processes ask for it and take it back. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { accountAggregate } from '../../commands/accounts/account.ts';
import { type Closures, createClosures } from '../../commands/accounts/closures.ts';
import { registerAccount } from '../../commands/accounts/registration.ts';
import { createFreezes } from '../../commands/guards/freezes.ts';
import { closureSubject } from '../../contract/frozen.ts';
import { decodeEvent } from '../../events/envelope.ts';
import { createFollowClosures } from '../../reactors/follow-closures.ts';
import { aloneLease } from '../support/lease.ts';
import { account, createLetterWorld } from '../support/letter-world.ts';

describe('a wallet whose account closes', () => {
  const openWorld = async () => {
    const world = createLetterWorld();
    await world.fund(5_000n);
    await world.handler.handle(accountAggregate, account, world.context(), (state) =>
      registerAccount(state, {
        type: 'RegisterAccount',
        accountId: account,
        kind: 'email',
        test: false,
        name: 'a@example.org',
        requestHash: 'r'.repeat(43),
        key: {
          keyId: 'key-1',
          secretHash: 's'.repeat(43),
          prefix: 'svc_live_abcd',
          label: 'x',
          scope: 'full',
        },
      }),
    );
    return world;
  };
  type World = Awaited<ReturnType<typeof openWorld>>;

  const closuresOf = (world: World): Closures => {
    const { handler } = world.process();
    return createClosures({ handler, freezes: createFreezes({ handler, changed: () => {} }) });
  };
  const ask = (world: World, closures = closuresOf(world)) => {
    const erasesAt = new Date(world.clock() + 1_000_000).toISOString();
    const wish = { closureId: randomUUID(), erasesAt, forfeitsBalance: false, requestHash: 'h' };
    return closures.request(account, wish, world.context());
  };
  const takeBack = (world: World) => closuresOf(world).withdraw(account, world.context());

  /** The reactor after it saw the whole log. */
  const react = async (world: World): Promise<void> => {
    const reactor = createFollowClosures(closuresOf(world));
    for (const event of await world.store.readAll({ after: 0n })) {
      await reactor.react(decodeEvent(event), event.position)?.(aloneLease);
    }
  };

  /** Holds the next append to the wallet until `meanwhile` is done. */
  const delay = (world: World, meanwhile: () => Promise<unknown>): void => {
    world.faults.append = async (next, stream, ...rest) => {
      if (stream.startsWith('wallet-')) {
        delete world.faults.append;
        await meanwhile();
        await react(world);
      }
      return next(stream, ...rest);
    };
  };

  const found = async (world: World) => {
    const { state } = await world.process().handler.load(accountAggregate, account);
    const isFrozen = (await world.wallet()).guards.frozen.has(closureSubject);
    return { isClosing: state.closure !== undefined, isFrozen };
  };

  it('is not frozen where the closure is taken back before it is', async () => {
    const world = await openWorld();
    delay(world, () => takeBack(world));
    await ask(world);
    expect(await found(world)).to.deep.equal({ isClosing: false, isFrozen: false });
  });

  it('stays frozen where the closure is asked for anew before it is unfrozen', async () => {
    const world = await openWorld();
    await ask(world);
    delay(world, () => ask(world));
    await takeBack(world);
    expect(await found(world)).to.deep.equal({ isClosing: true, isFrozen: true });
  });

  it('follows however often that happens', async () => {
    const world = await openWorld();
    delay(world, async () => {
      await takeBack(world);
      delay(world, () => ask(world));
    });
    await ask(world);
    expect(await found(world)).to.deep.equal({ isClosing: true, isFrozen: true });
  });
});
