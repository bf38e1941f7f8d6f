import { expect } from 'chai';
import { setPolicy } from '../../commands/guards/set-policy.ts';
import { createCommandHandler } from '../../commands/handling/handle.ts';
import { createLetterPermission } from '../../commands/letters/letter-permission.ts';
import { ucanAggregate } from '../../commands/ucans/ucan.ts';
import { walletAggregate } from '../../commands/wallets/wallet.ts';
import { isAppError } from '../../contract/errors.ts';
import { rejectionOf } from '../support/decider-spec.ts';
import { account, createLetterWorld, letterTo, plainly } from '../support/letter-world.ts';
import { createMemoryDataKeys } from '../support/memory-data-keys.ts';
import { createMemoryEventStore } from '../support/memory-event-store.ts';

const [root, delegated] = ['the-first-ucan', 'the-second-ucan'] as const;

const letter = (letterId: string) => ({
  letterId,
  country: 'FR',
  service: 'fr_lettre_verte',
  totalMicro: 2_000_000n,
});

const memoryHandler = (store = createMemoryEventStore()) =>
  createCommandHandler({
    store,
    dataKeys: createMemoryDataKeys(),
    clock: () => 0,
  });

describe('the letters that a chain of UCANs allows', () => {
  const world = (handler = memoryHandler()) => {
    const permissionOf = (maxLetters: Record<string, number>) => {
      const counters = Object.entries(maxLetters).map(([cid, most]) => ({ cid, maxLetters: most }));
      const [cid = ''] = Object.keys(maxLetters).slice(-1);
      const permit = {
        resource: 'letters://acct_1/',
        ability: 'letters/send',
        caveat: {},
        counters,
      };
      const ucan = {
        cid,
        cids: Object.keys(maxLetters),
        tokens: [],
        audience: 'did:key:agent',
        expiresAtMs: undefined,
        invocation: false,
        permits: [permit],
      };
      const caller = { accountId: 'acct_1', keyId: `ucan:${cid}`, ucan };
      const permission = createLetterPermission({ handler }, caller);
      if (!permission) throw new Error('a UCAN has no permission');
      return permission;
    };
    const countOf = async (cid: string) =>
      (await handler.load(ucanAggregate, cid)).state.letters.size;
    return { permissionOf, countOf };
  };

  const codeOf = (work: Promise<void>): Promise<string | undefined> =>
    work.then(
      () => undefined,
      (error: unknown) => (isAppError(error) ? error.code : String(error)),
    );

  it('count with every token, each letter once, and a look counts none', async () => {
    const { permissionOf, countOf } = world();
    const permission = permissionOf({ [root]: 3, [delegated]: 2 });
    for (const letterId of ['one', 'one', 'two']) {
      await permission.assertClaimable(letter(letterId));
      await permission.claim(letter(letterId));
    }
    expect(await codeOf(permission.assertClaimable(letter('two')))).to.equal(undefined);
    expect(await codeOf(permission.assertClaimable(letter('three')))).to.equal('caveat_not_met');
    expect(await codeOf(permission.claim(letter('three')))).to.equal('caveat_not_met');
    expect([await countOf(root), await countOf(delegated)]).to.deep.equal([2, 2]);
  });

  it('are counted without reading what was counted before, however many there are', async () => {
    const store = createMemoryEventStore();
    let read = 0;
    const counting: typeof store = {
      ...store,
      async readStream(...call) {
        const events = await store.readStream(...call);
        read += events.length;
        return events;
      },
    };
    const { permissionOf, countOf } = world(memoryHandler(counting));
    const permission = permissionOf({ [root]: 1_000, [delegated]: 201 });
    for (let n = 0; n < 200; n++) await permission.claim(letter(`${n}`));
    read = 0;
    await permission.assertClaimable(letter('last'));
    await permission.claim(letter('last'));
    expect(read).to.equal(0);
    expect(await codeOf(permission.claim(letter('one more')))).to.equal('caveat_not_met');
    const elsewhere = world(memoryHandler(store));
    expect([await countOf(delegated), await elsewhere.countOf(delegated)]).to.deep.equal([
      201, 201,
    ]);
  });

  it('count with no token of the chain where one of them has none left', async () => {
    const { permissionOf, countOf } = world();
    await permissionOf({ [root]: 1 }).claim(letter('one'));
    const permission = permissionOf({ [root]: 1, [delegated]: 5 });
    expect(await codeOf(permission.claim(letter('two')))).to.equal('caveat_not_met');
    expect([await countOf(root), await countOf(delegated)]).to.deep.equal([1, 0]);
  });

  it('reserve no money and raise no alert if no letter is left', async () => {
    const { store, handler, context, fund, letters, asked } = createLetterWorld();
    await fund(10_000n);
    await handler.handle(walletAggregate, account, context(), (wallet) =>
      setPolicy(wallet, {
        type: 'SetPolicy',
        subject: 'account',
        wanted: {
          timeZone: 'UTC',
          rules: [
            { id: 'all', effect: 'allow' },
            { id: 'tell', effect: 'alert' },
          ],
        },
        maker: { subjects: [], mayRaise: true },
      }),
    );
    const permission = world(handler).permissionOf({ [root]: 1 });
    const send = (key: string) =>
      letters.send(letterTo(), plainly, asked(key, key, { permission }));
    const types = async () => (await store.readAll({ after: 0n })).map(({ type }) => type);
    await send('one');
    const before = await types();
    expect(before).to.include.members(['FundsReserved', 'AlertRaised', 'LetterQueued']);
    expect(await rejectionOf(send('two'))).to.equal('caveat_not_met');
    expect(await types()).to.deep.equal(before);
  });
});
