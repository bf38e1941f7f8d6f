/** Accounts that change their address while others register it, on one log from two processes. */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { type Account, accountAggregate } from '../../commands/accounts/account.ts';
import { createAccountService } from '../../commands/accounts/account-service.ts';
import { createKeyMaker } from '../../commands/accounts/api-key.ts';
import { confirmEmail, registeredEmail } from '../../commands/accounts/confirmation.ts';
import { activeKeys, endKeys } from '../../commands/accounts/keys.ts';
import { newDid } from '../../commands/accounts/new-did.ts';
import { linkGeneration } from '../../commands/accounts/recovery.ts';
import { createCommandHandler } from '../../commands/handling/handle.ts';
import { isAppError } from '../../contract/errors.ts';
import { toTimestamp } from '../../ground/clock.ts';
import { defaultLimits } from '../../limits/table.ts';
import { withKey } from '../support/keyring.ts';
import { createMemoryDataKeys } from '../support/memory-data-keys.ts';
import { createMemoryEventStore } from '../support/memory-event-store.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** @param pause how many turns of the event loop the next call of the store waits */
const createWorld = (pause: () => number = () => 0) => {
  const time = { now: Date.parse('2026-03-01T12:00:00.000Z') };
  const clock = () => time.now;
  const store = createMemoryEventStore();
  const slow =
    <A extends unknown[], R>(call: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      for (let turn = pause(); turn > 0; turn -= 1) await new Promise(setImmediate);
      return await call(...args);
    };
  const slowStore = { ...store, append: slow(store.append), readStream: slow(store.readStream) };
  const dataKeys = createMemoryDataKeys();
  const makeKey = createKeyMaker(withKey(randomBytes(32)));
  const indexOf = (kind: string, value: string): string =>
    createHash('sha256').update(`${kind}\n${value}`).digest('base64url');
  const processes = [0, 1].map(() => {
    const handler = createCommandHandler({ store: slowStore, dataKeys, clock });
    const ports = { handler, clock, limits: defaultLimits, makeKey, indexOf };
    return { handler, accounts: createAccountService(ports) };
  });
  const at = (index: number) => processes[index % 2] ?? expect.fail('there are two');
  const context = (commandId: string = randomUUID()) => ({ commandId, actor: 'test' });
  const load = async (id: string): Promise<Account> =>
    (await at(0).handler.load(accountAggregate, id)).state;

  const register = async (email: string, process = 0): Promise<string> => {
    const wanted = { kind: 'email' as const, name: email, scope: 'full' as const, test: false };
    const requestHash = 'r'.repeat(43);
    return (await at(process).accounts.register({ ...wanted, requestHash }, context())).accountId;
  };
  const prove = async (id: string, process = 0): Promise<void> => {
    const email = registeredEmail(await load(id)) ?? '';
    const wanted = { address: 'registered' as const, email, by: 'link' as const, end: [] };
    await at(process).handler.handle(accountAggregate, id, context(), (state) =>
      confirmEmail(state, {
        type: 'ConfirmEmail',
        ...wanted,
        keep: 'all',
        did: newDid(),
        at: toTimestamp(clock()),
      }),
    );
  };
  const ask = async (id: string, email: string, process = 0): Promise<void> => {
    const [madeBy = ''] = [...(await load(id)).keys.keys()].toReversed();
    await at(process).accounts.emailChanges.request(id, { email, madeBy }, context());
  };
  const confirm = async (id: string, email: string, process = 0): Promise<void> => {
    await at(process).accounts.emailChanges.confirm(id, email, context());
  };
  const recover = async (id: string, process = 0): Promise<void> => {
    const recoveries = linkGeneration(await load(id));
    const grant = { accountId: id, recoveries, expiresAtMs: clock() + hourMs };
    const wanted = { keep: [], resetSettings: undefined, requestHash: 'r'.repeat(43) };
    await at(process).accounts.recover(grant, wanted, context());
  };
  const stop = async (id: string, email: string, process = 0): Promise<void> => {
    await at(process).accounts.emailChanges.stop(id, email, context());
  };
  const change = async (id: string, email: string, final: boolean, process = 0): Promise<void> => {
    await at(process).accounts.emailChanges.change(id, { email, final }, context());
  };
  /** The key of a sign-in by e-mail. `generation`: absent: of a link that is written now. */
  const signIn = async (id: string, generation?: number): Promise<string | undefined> => {
    const now = linkGeneration(await load(id));
    const key = await at(0).accounts.signInKeys.ofAddress(id, generation ?? now);
    return key?.keyId;
  };
  const working = async (id: string): Promise<string[]> =>
    activeKeys(await load(id), toTimestamp(clock())).map(({ keyId }) => keyId);
  /** All accounts that there are. */
  const all = async (): Promise<Account[]> => {
    const streams = new Set((await store.readAll({ after: 0n })).map(({ stream }) => stream));
    const ids = [...streams].filter((name) => name.startsWith('account-'));
    const states = await Promise.all(ids.map((name) => load(name.slice('account-'.length))));
    return states.filter(({ status }) => status === 'open');
  };
  const find = (email: string) => at(0).accounts.findAddress(email, false);
  const changed = async (id: string, email: string): Promise<void> => {
    await ask(id, email);
    await confirm(id, email);
  };
  return {
    time,
    at,
    context,
    load,
    register,
    prove,
    ask,
    confirm,
    recover,
    stop,
    change,
    all,
    find,
    changed,
    signIn,
    working,
  };
};

const codeOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'done',
    (error: unknown) => {
      if (isAppError(error)) return error.code;
      throw error;
    },
  );

const anna = 'anna@example.com';
const bert = 'bert@example.com';
const carl = 'carl@example.com';

type World = ReturnType<typeof createWorld>;

/** No two accounts have one address, and an address leads to its account. */
const assertOneAccountEach = async (world: World): Promise<void> => {
  const holders = new Map<string, string>();
  for (const state of await world.all()) {
    const email = registeredEmail(state)?.toLowerCase() ?? expect.fail('it has an address');
    expect(holders.get(email), `${email} of ${state.accountId}`).to.equal(undefined);
    holders.set(email, state.accountId);
  }
  for (const email of [anna, bert, carl]) {
    const found = await world.find(email);
    const shown = found.kind === 'account' ? found.accountId : undefined;
    expect(shown, email).to.equal(holders.get(email));
  }
};

describe('a change of the address of an account', () => {
  it('keeps its id and keys; the new address finds it, the old one makes another account later', async () => {
    const world = createWorld();
    const id = await world.register(anna);
    await world.prove(id);
    await world.changed(id, bert);
    expect(await world.load(id)).to.include({ name: bert, accountId: id });
    expect(await world.find(bert.toUpperCase())).to.deep.equal({ kind: 'account', accountId: id });
    expect(await world.find(anna)).to.deep.equal({ kind: 'reserved', accountId: id });
    expect(await codeOf(world.register(anna))).to.equal('email_registered');
    expect(await codeOf(world.register(bert))).to.equal('email_registered');
    world.time.now += 8 * dayMs;
    const other = await world.register(anna);
    expect(other).not.to.equal(id);
    expect(await world.find(anna)).to.deep.equal({ kind: 'account', accountId: other });
    expect(await codeOf(world.stop(id, anna))).to.equal('confirmation_expired');
    expect(await codeOf(world.ask(other, bert))).to.equal('email_registered');
    await world.prove(other);
    await world.changed(other, carl);
    world.time.now += 8 * dayMs;
    expect(await world.register(anna)).not.to.be.oneOf([id, other]);
    await assertOneAccountEach(world);
  });

  it('frees an address at once that nobody confirmed, or that the operator gave up for good', async () => {
    const world = createWorld();
    const typo = await world.register(anna);
    await world.changed(typo, bert);
    const owner = await world.register(anna);
    await world.prove(owner);
    await world.change(owner, carl, true);
    expect(await world.register(anna)).not.to.be.oneOf([typo, owner]);
    expect((await world.load(owner)).formerEmails).to.deep.equal([]);
    expect((await world.load(typo)).confirmedAt).to.equal(undefined);
    await assertOneAccountEach(world);
  });

  it('is taken back from the first address, however often it changed since', async () => {
    const world = createWorld();
    const id = await world.register(anna);
    await world.prove(id);
    await world.changed(id, bert);
    await world.changed(id, carl);
    await world.stop(id, anna);
    expect(await world.load(id)).to.include({ name: anna });
    expect(await codeOf(world.stop(id, bert))).to.equal('confirmation_expired');
    expect(await codeOf(world.stop(id, anna))).to.equal('done');
    await world.register(bert);
    await world.register(carl);
    await assertOneAccountEach(world);
  });

  it('takes the notifications along that went to the account’s own address, and no others', async () => {
    const world = createWorld();
    for (const [own, notified, next, after] of [
      [anna, anna, bert, bert],
      [carl, 'desk@example.com', 'c2@example.com', 'desk@example.com'],
    ] as const) {
      const id = await world.register(own);
      await world.prove(id);
      const wanted = { notificationEmail: notified, newSecret: '', previousSecretUntil: '' };
      await world
        .at(0)
        .accounts.changeSettings(id, wanted, { ...world.context(), requestHash: '' });
      await world.changed(id, next);
      expect((await world.load(id)).settings.notificationEmail).to.equal(after);
      await world.stop(id, own);
      expect((await world.load(id)).settings.notificationEmail).to.equal(notified);
    }
  });

  it('is not confirmed after a recovery, another request, the end of its key or a day', async () => {
    const world = createWorld();
    const id = await world.register(anna);
    await world.prove(id);
    const ended = [
      () => world.recover(id),
      () => world.ask(id, carl),
      () =>
        world
          .at(0)
          .handler.handle(accountAggregate, id, world.context(), (state) =>
            endKeys(state, [...state.keys.values()], toTimestamp(world.time.now)),
          ),
    ];
    for (const end of ended) {
      await world.ask(id, bert);
      await end();
      expect(await codeOf(world.confirm(id, bert))).to.equal('confirmation_invalid');
    }
    await world.recover(id);
    await world.ask(id, bert);
    world.time.now += dayMs;
    expect(await codeOf(world.confirm(id, bert))).to.equal('confirmation_expired');
    expect(await world.load(id)).to.include({ name: anna });
    await world.register(bert);
    await assertOneAccountEach(world);
  });

  it('ends the recovery links that were sent before', async () => {
    const world = createWorld();
    const id = await world.register(anna);
    await world.prove(id);
    const grant = {
      accountId: id,
      recoveries: linkGeneration(await world.load(id)),
      expiresAtMs: world.time.now + hourMs,
    };
    await world.changed(id, bert);
    const wanted = { keep: [], resetSettings: undefined, requestHash: 'r'.repeat(43) };
    const recovered = world.at(0).accounts.recover(grant, wanted, world.context());
    expect(await codeOf(recovered)).to.equal('recovery_token_used');
  });

  const ways: [string, (world: World, id: string) => Promise<void>][] = [
    ['confirmed', (world, id) => world.changed(id, bert)],
    ['set by the operator', (world, id) => world.change(id, bert, true)],
    [
      'taken back',
      async (world, id) => {
        await world.changed(id, bert);
        await world.signIn(id);
        await world.stop(id, anna);
      },
    ],
  ];
  for (const [how, change] of ways) {
    it(`ends the key that stood for the address before when it is ${how}`, async () => {
      const world = createWorld();
      const id = await world.register(anna);
      await world.prove(id);
      const keyId = (await world.signIn(id)) ?? '';
      expect(await world.signIn(id)).to.equal(keyId);
      const others = await world.working(id);
      await change(world, id);
      const working = await world.working(id);
      expect(working).to.deep.equal(others.filter((one) => one !== keyId));
      expect(await world.signIn(id)).to.not.equal(keyId);
    });
  }

  it('makes no key for a link that was written before', async () => {
    const world = createWorld();
    const id = await world.register(anna);
    await world.prove(id);
    const before = linkGeneration(await world.load(id));
    await world.changed(id, bert);
    const working = await world.working(id);
    expect(await world.signIn(id, before)).to.equal(undefined);
    expect(await world.working(id)).to.deep.equal(working);
  });

  it('asks at most five addresses in a day', async () => {
    const world = createWorld();
    const id = await world.register(anna);
    for (let n = 0; n < 5; n += 1) await world.ask(id, `new${n}@example.com`);
    expect(await codeOf(world.ask(id, bert))).to.equal('quota_exceeded');
    world.time.now += dayMs;
    expect(await codeOf(world.ask(id, bert))).to.equal('done');
  });

  it('never gives one address to two accounts, whatever happens at once', async () => {
    const email = fc.constantFrom(anna, bert, carl);
    const which = fc.nat({ max: 5 });
    const step = fc.oneof(
      fc.record({ kind: fc.constant('register' as const), email }),
      fc.record({ kind: fc.constant('prove' as const), which }),
      fc.record({ kind: fc.constant('ask' as const), which, email }),
      fc.record({ kind: fc.constant('confirm' as const), which }),
      fc.record({ kind: fc.constant('changed' as const), which, email }),
      fc.record({ kind: fc.constant('change' as const), which, email, final: fc.boolean() }),
      fc.record({ kind: fc.constant('stop' as const), which, email }),
      fc.record({ kind: fc.constant('recover' as const), which }),
    );
    const round = fc.record({
      steps: fc.array(step, { minLength: 1, maxLength: 4 }),
      passMs: fc.constantFrom(0, 0, hourMs, dayMs, 7 * dayMs + hourMs / 2, 9 * dayMs),
    });
    const pauses = fc.array(fc.nat({ max: 3 }), { minLength: 8, maxLength: 32 });
    await fc.assert(
      fc.asyncProperty(fc.array(round, { maxLength: 8 }), pauses, async (rounds, waits) => {
        let turn = 0;
        const world = createWorld(() => waits[turn++ % waits.length] ?? 0);
        for (const { steps, passMs } of rounds) {
          const there = await world.all();
          const done = steps.map(async (one, process) => {
            if (one.kind === 'register') return await world.register(one.email, process);
            const account = there[one.which % Math.max(there.length, 1)];
            if (!account) return;
            const { accountId: id, emailChange } = account;
            if (one.kind === 'prove') await world.prove(id, process);
            if (one.kind === 'ask') await world.ask(id, one.email, process);
            if (one.kind === 'confirm') await world.confirm(id, emailChange?.email ?? '', process);
            if (one.kind === 'change') await world.change(id, one.email, one.final, process);
            if (one.kind === 'stop') await world.stop(id, one.email, process);
            if (one.kind === 'recover') await world.recover(id, process);
            if (one.kind !== 'changed') return;
            await world.ask(id, one.email, process);
            await world.confirm(id, one.email, process);
          });
          await Promise.all(done.map((promise) => codeOf(promise)));
          await assertOneAccountEach(world);
          world.time.now += passMs;
        }
      }),
      { numRuns: 150 },
    );
  }).timeout(180_000);
});
