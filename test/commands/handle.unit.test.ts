import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { accountAggregate } from '../../commands/accounts/account.ts';
import { createFolder } from '../../commands/handling/fold.ts';
import { type CommandHandler, createCommandHandler } from '../../commands/handling/handle.ts';
import { letterAggregate } from '../../commands/letters/letter.ts';
import { draftLetter } from '../../commands/letters/letter-drafts.ts';
import { creditFunds } from '../../commands/wallets/credits.ts';
import { reserveFunds } from '../../commands/wallets/reserve-funds.ts';
import { settleReservation } from '../../commands/wallets/settle-reservation.ts';
import type { Wallet } from '../../commands/wallets/state.ts';
import { openWallet, walletAggregate } from '../../commands/wallets/wallet.ts';
import { type AccountEvent, accountStream } from '../../events/account.ts';
import { decodeEvent, eventHash } from '../../events/envelope.ts';
import { DuplicateEventId, type EventStore, StoreUnavailable } from '../../events/event-store.ts';
import { type LetterEvent, letterStream } from '../../events/letter.ts';
import { letterPurpose, type WalletEvent, walletStream } from '../../events/wallet.ts';
import { uuidv5 } from '../../ground/uuid.ts';
import { rejectionOf } from '../support/decider-spec.ts';
import { createGate, withAppend } from '../support/faulty-store.ts';
import { drafted, samplePersonal, sampleTerms } from '../support/letter-samples.ts';
import { createMemoryDataKeys } from '../support/memory-data-keys.ts';
import { createMemoryEventStore } from '../support/memory-event-store.ts';

const account = 'acct_1';
const clock = (): number => Date.parse('2026-03-01T12:00:00.000Z');
const context = (commandId: string = randomUUID()) => ({ commandId, actor: 'operator' });

/** Shared, as processes share their database. */
const dataKeys = createMemoryDataKeys();

const handlerOver = (store: EventStore, periodHint?: (id: string) => Promise<number>) =>
  createCommandHandler({ store, dataKeys, clock, periodHint });

/** Resolves when a handler has finished what follows from its answers. */
const idle = async (handler: CommandHandler): Promise<void> => {
  while (handler.busy() > 0) await new Promise((resolve) => setImmediate(resolve));
};

const credit = (handler: CommandHandler, cents: bigint, creditId: string = randomUUID()) =>
  handler.handle(walletAggregate, account, context(), (wallet) => [
    ...openWallet(wallet, { type: 'OpenWallet', accountId: account, test: false }),
    ...creditFunds(wallet, {
      type: 'CreditFunds',
      receipt: { method: 'operator', id: creditId },
      bucket: 'fiat',
      amountMicro: cents * 10_000n,
    }),
  ]);

/** Reserves 100 cents and 5 % for a letter. */
const reserve = (handler: CommandHandler, letterId: string, attemptId = `a-${letterId}`) =>
  handler.handle(walletAggregate, account, context(), (wallet) =>
    reserveFunds(wallet, {
      type: 'ReserveFunds',
      purpose: letterPurpose(letterId),
      attemptId,
      subtotalMicro: 1_000_000n,
    }),
  );

const release = (handler: CommandHandler, letterId: string) =>
  handler.handle(walletAggregate, account, context(), (wallet) =>
    settleReservation(wallet, {
      type: 'SettleReservation',
      purpose: letterPurpose(letterId),
      target: { state: 'over' },
    }),
  );

const walletIn = async (store: EventStore): Promise<Wallet> =>
  (await handlerOver(store).load(walletAggregate, account)).state;

const availableCents = async (store: EventStore): Promise<bigint> =>
  (await walletIn(store)).available.fiat / 10_000n;

const counting = (store: EventStore) => {
  const calls = { count: 0 };
  const counted = withAppend(store, (next, ...call) => {
    calls.count++;
    return next(...call);
  });
  return { store: counted, calls };
};

const times = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

describe('commands on one stream', () => {
  it('are folded into few appends', async () => {
    const { store, calls } = counting(createMemoryEventStore());
    const handler = handlerOver(store);
    await credit(handler, 100_000n);
    calls.count = 0;
    await Promise.all(times(200).map((n) => reserve(handler, `L${n}`)));
    expect(calls.count).to.be.at.most(3);
    expect((await walletIn(store)).reservations.size).to.equal(200);
    expect(handler.busy()).to.equal(0);
  });

  it('are refused one by one: 200 sends with funds for 100 give exactly 100', async () => {
    const store = createMemoryEventStore();
    const handler = handlerOver(store);
    await credit(handler, 105n * 100n);
    const outcomes = await Promise.all(
      times(200).map((n) => rejectionOf(reserve(handler, `L${n}`))),
    );
    expect(outcomes.filter((code) => code === undefined)).to.have.length(100);
    expect(outcomes.filter((code) => code === 'insufficient_funds')).to.have.length(100);
    expect(await availableCents(store)).to.equal(0n);
  });

  it('leave their neighbours alone when one of them is refused', async () => {
    const store = createMemoryEventStore();
    const handler = handlerOver(store);
    await credit(handler, 210n);
    const refused = handler.handle(walletAggregate, account, context(), (wallet) =>
      reserveFunds(wallet, {
        type: 'ReserveFunds',
        purpose: letterPurpose('dear'),
        attemptId: 'a',
        subtotalMicro: 999_990_000n,
      }),
    );
    const outcomes = await Promise.all([
      rejectionOf(reserve(handler, 'L1')),
      rejectionOf(refused),
      rejectionOf(reserve(handler, 'L2')),
    ]);
    expect(outcomes).to.deep.equal([undefined, 'insufficient_funds', undefined]);
  });

  it('leave their neighbours alone when one of them makes an event that cannot be stored', async () => {
    const store = createMemoryEventStore();
    const handler = handlerOver(store);
    await credit(handler, 1_000n);
    const broken = handler.handle(walletAggregate, account, context(), (): WalletEvent[] => [
      {
        type: 'FundsReleased',
        data: { purpose: letterPurpose('L'), cryptoMicro: 0.5, fiatMicro: 0 },
      },
    ]);
    // The state is never harmed by an event that did not come to be.
    const outcomes = await Promise.allSettled([
      reserve(handler, 'L1'),
      broken,
      reserve(handler, 'L2'),
    ]);
    expect(outcomes.map(({ status }) => status)).to.deep.equal([
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    expect(await availableCents(store)).to.equal(790n);
  });

  it('are told apart when another one comes under the id of one that was obeyed', async () => {
    const store = createMemoryEventStore();
    const commandId = randomUUID();
    const erase = (reason: 'deleted' | 'retention') =>
      handlerOver(store).handle(letterAggregate, 'L', context(commandId), () => [
        { type: 'LetterErased' as const, data: { reason } },
      ]);
    await handlerOver(store).handle(letterAggregate, 'L', context(), () => [drafted()]);
    await erase('deleted');
    const [again] = await Promise.allSettled([erase('retention')]);
    expect((again as PromiseRejectedResult).reason).to.be.instanceOf(DuplicateEventId);
    expect(await store.readAll({ after: 0n })).to.have.length(2);
  });

  it('find the state of the commands before them', async () => {
    const handler = handlerOver(createMemoryEventStore());
    const [first, second, third] = await Promise.all([
      credit(handler, 105n, 'c'),
      credit(handler, 105n, 'c'),
      reserve(handler, 'L'),
    ]);
    expect(first.events).to.have.length(2);
    expect(second.events).to.deep.equal([]);
    expect(third.events).to.have.length(1);
  });

  it('write nothing more when they are repeated', async () => {
    const store = createMemoryEventStore();
    const handler = handlerOver(store);
    await credit(handler, 500n, 'c');
    await reserve(handler, 'L');
    const head = await store.head();
    await credit(handler, 500n, 'c');
    await reserve(handlerOver(store), 'L');
    expect(await store.head()).to.equal(head);
  });
});

describe('two processes on one wallet', () => {
  it('lose nothing: what was answered is in the log, what was refused is not', async () => {
    const store = createMemoryEventStore();
    const handlers = [handlerOver(store), handlerOver(store)];
    await credit(handlers[0] as CommandHandler, 105n * 60n);
    const outcomes = await Promise.all(
      times(100).map(async (n) => {
        const handler = handlers[n % 2] as CommandHandler;
        // They arrive one after the other, so that the two meet many times.
        for (let turn = 0; turn < n / 2; turn++) await Promise.resolve();
        return { letter: `L${n}`, code: await rejectionOf(reserve(handler, `L${n}`)) };
      }),
    );
    const wallet = await walletIn(store);
    const paid = outcomes.filter(({ code }) => code === undefined).map(({ letter }) => letter);
    expect([...wallet.reservations.keys()].sort()).to.deep.equal(
      paid.map((id) => `letter-${id}`).sort(),
    );
    const refusals = new Set(outcomes.map(({ code }) => code));
    expect([...refusals].every((code) => !code || code === 'insufficient_funds')).to.equal(true);
    expect(paid).to.have.length(60);
    expect(wallet.available.fiat).to.equal(0n);
  });

  it('keep the chain whole when both obey the same command at the same moment', async () => {
    const store = createMemoryEventStore();
    let tick = 0;
    const moving = () => createCommandHandler({ store, dataKeys, clock: () => clock() + ++tick });
    const [here, there] = [moving(), moving()];
    await credit(here, 500n, 'c');
    const both = context();
    const same = (handler: CommandHandler) =>
      handler.handle(walletAggregate, account, both, (wallet) =>
        reserveFunds(wallet, {
          type: 'ReserveFunds',
          purpose: letterPurpose('L'),
          attemptId: 'a',
          subtotalMicro: 1_000_000n,
        }),
      );
    const outcomes = await Promise.all([same(here), same(there)]);
    expect(outcomes.filter(({ events }) => events.length > 0)).to.have.length(1);
    await reserve(there, 'L1');
    await reserve(here, 'L2');
    expect((await walletIn(store)).reservations.size).to.equal(3);
  });

  it('do not refuse out of a stale cache', async () => {
    const store = createMemoryEventStore();
    const [here, there] = [handlerOver(store), handlerOver(store)];
    await credit(here, 1n);
    expect(await rejectionOf(reserve(here, 'L'))).to.equal('insufficient_funds');
    await credit(there, 104n);
    expect(await rejectionOf(reserve(here, 'L'))).to.equal(undefined);
  });

  it('do not spend twice out of a stale cache', async () => {
    const store = createMemoryEventStore();
    const [here, there] = [handlerOver(store), handlerOver(store)];
    await credit(here, 105n);
    await reserve(there, 'L1');
    expect(await rejectionOf(reserve(here, 'L2'))).to.equal('insufficient_funds');
    expect((await reserve(here, 'L1')).events).to.deep.equal([]);
  });

  it('give up with a conflict when others win every time, and write nothing', async () => {
    const inner = createMemoryEventStore();
    const rival = handlerOver(inner);
    await credit(rival, 1_000n);
    const store = withAppend(inner, async (next, ...call) => {
      await credit(rival, 1n);
      return next(...call);
    });
    expect(await rejectionOf(reserve(handlerOver(store), 'L'))).to.equal('conflict');
    expect((await walletIn(inner)).reservations.size).to.equal(0);
  });
});

describe('a stream in memory', () => {
  const emails = { 'email:boss': 'boss@example.org' };
  const policySet: WalletEvent = {
    type: 'PolicySet',
    data: {
      subject: 'key_1',
      version: 1,
      timeZone: 'UTC',
      rules: [{ id: 'all', effect: 'allow', when: {} }],
    },
    personal: { emails },
  };
  const forgetting = async (subject: string | undefined): Promise<void> => {
    const store = createMemoryEventStore();
    const keys = createMemoryDataKeys();
    const handler = createCommandHandler({ store, dataKeys: keys, clock });
    await credit(handler, 1n);
    await handler.handle(walletAggregate, account, context(), () => [policySet]);
    const known = async () => {
      const { state } = await handler.handle(walletAggregate, account, context(), () => []);
      return state.guards.emails.get('key_1');
    };
    expect(await known()).to.deep.equal(emails);
    await keys.erase(accountStream(account));
    handler.forget(subject);
    expect(await known()).to.equal(undefined);
    expect((await handler.load(walletAggregate, account)).state.available.fiat).to.equal(10_000n);
  };

  it('no longer has personal data once its key was erased', () =>
    forgetting(accountStream(account)));

  it('no longer has personal data once its key may have been erased', () => forgetting(undefined));

  it('does not get personal data that were read before its key was erased', async () => {
    const store = createMemoryEventStore();
    const keys = createMemoryDataKeys();
    const writer = createCommandHandler({ store, dataKeys: keys, clock });
    await writer.handle(walletAggregate, account, context(), () => [policySet]);
    const { promise: opened, resolve: open } = Promise.withResolvers<void>();
    const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
    const slowKeys: typeof keys = {
      ...keys,
      async get(subject) {
        const key = await keys.get(subject);
        ask();
        await opened;
        return key;
      },
    };
    const handler = createCommandHandler({ store, dataKeys: slowKeys, clock });
    const early = handler.load(walletAggregate, account);
    await asked;
    await keys.erase(accountStream(account));
    handler.forget(accountStream(account));
    open();
    expect((await early).state.guards.emails.get('key_1')).to.deep.equal(emails);
    const { state } = await handler.load(walletAggregate, account);
    expect(state.guards.emails.get('key_1')).to.equal(undefined);
  });
});

describe('a new stream', () => {
  const draft = (handler: CommandHandler, letterId: string) =>
    handler.handle(
      letterAggregate,
      letterId,
      context(),
      (letter) =>
        draftLetter(letter, {
          type: 'DraftLetter',
          terms: sampleTerms(),
          personal: samplePersonal(),
          holdReason: 'requested',
          requestHash: 'r'.repeat(43),
        }),
      { assumeNew: true },
    );

  it('is written without being read', async () => {
    const inner = createMemoryEventStore();
    let reads = 0;
    const store: EventStore = {
      ...inner,
      readStream(...call) {
        reads++;
        return inner.readStream(...call);
      },
    };
    const { version } = await draft(handlerOver(store), 'L');
    expect({ version, reads }).to.deep.equal({ version: 0n, reads: 0 });
  });

  it('is read after all when it is not new', async () => {
    const store = createMemoryEventStore();
    await draft(handlerOver(store), 'L');
    const again = await draft(handlerOver(store), 'L');
    expect(again).to.deep.include({ events: [], version: 0n });
    expect(await store.readStream(letterStream('L'))).to.have.length(1);
  });

  it('is made by one of many', async () => {
    const store = createMemoryEventStore();
    const outcomes = await Promise.all(times(20).map(() => draft(handlerOver(store), 'L')));
    expect(outcomes.filter(({ events }) => events.length === 1)).to.have.length(1);
  });
});

describe('a stream that is read ahead', () => {
  const countingReads = (inner: EventStore) => {
    const reads = { count: 0, fail: false, tampered: false, from: [] as (bigint | undefined)[] };
    const store: EventStore = {
      ...inner,
      async readStream(stream, range) {
        reads.count++;
        reads.from.push(range?.from);
        await new Promise((resolve) => setImmediate(resolve));
        if (reads.fail) throw new StoreUnavailable('away');
        const events = await inner.readStream(stream, range);
        if (!reads.tampered) return events;
        return events.map((event) => ({
          ...event,
          metadata: event.metadata.replace(/"prev":"[^"]*"/, '"prev":"x"'),
        }));
      },
    };
    return { store, reads };
  };

  for (const isEarly of [true, false]) {
    it(`is not read again for a command that comes ${isEarly ? 'later' : 'meanwhile'}`, async () => {
      const inner = createMemoryEventStore();
      await credit(handlerOver(inner), 105n);
      const { store, reads } = countingReads(inner);
      const handler = handlerOver(store);
      handler.prefetch(walletAggregate, account);
      if (isEarly) for (let n = 0; n < 5; n++) await new Promise((next) => setImmediate(next));
      await reserve(handler, 'L1');
      handler.prefetch(walletAggregate, account);
      expect(reads.count).to.equal(1);
    });
  }

  it('is read from its end on when it is loaded, once it is in memory', async () => {
    const inner = createMemoryEventStore();
    await credit(handlerOver(inner), 1_050n);
    const { store, reads } = countingReads(inner);
    const handler = handlerOver(store);
    const reservationsIn = async () =>
      (await handler.load(walletAggregate, account)).state.reservations.size;
    expect(await reservationsIn()).to.equal(0);
    await reserve(handlerOver(inner), 'L1');
    await reserve(handler, 'L2');
    reads.from = [];
    expect(await reservationsIn()).to.equal(2);
    await reserve(handlerOver(inner), 'L3');
    expect(await reservationsIn()).to.equal(3);
    // The wallet has its opening, the credit and two reservations.
    expect(reads.from).to.deep.equal([4n, 4n]);
  });

  it('is read from its end on for all that is asked of an account with many events', async () => {
    const inner = createMemoryEventStore();
    const chosen = (language: 'de' | 'fr'): AccountEvent => ({
      type: 'LanguageChosen',
      data: { accountId: account, language },
    });
    const choose = (handler: CommandHandler, languages: ('de' | 'fr')[], command = context()) =>
      handler.handle(accountAggregate, account, command, () => languages.map(chosen));
    const register: AccountEvent = {
      type: 'AccountRegistered',
      data: { accountId: account, kind: 'agent', test: false, requestHash: 'r'.repeat(43) },
    };
    await handlerOver(inner).handle(accountAggregate, account, context(), () => [register]);
    await choose(
      handlerOver(inner),
      times(200).map(() => 'de'),
    );
    const { store, reads } = countingReads(inner);
    const handler = handlerOver(store);
    const load = async () => (await handler.load(accountAggregate, account)).state.language;
    expect(await load()).to.equal('de');
    reads.from = [];
    await choose(handlerOver(inner), ['fr']);
    expect(await load()).to.equal('fr');
    const command = context();
    await choose(handler, ['de'], command);
    expect(await load()).to.equal('de');
    expect(reads.from).to.deep.equal([201n, 203n]);
    // The ids of its events follow from the command, as those of an account with few events.
    const [last] = await inner.readStream(accountStream(account), { from: 202n });
    expect(last?.id).to.equal(uuidv5(command.commandId, `${accountStream(account)}:0`));
  });

  const updated: LetterEvent = {
    type: 'LetterUpdated',
    data: { terms: sampleTerms(), changed: ['metadata'] },
    personal: samplePersonal(),
  };

  it('is read from its end on for a letter that was changed often', async () => {
    const inner = createMemoryEventStore();
    const id = randomUUID();
    const change = (handler: CommandHandler, command = context()) =>
      handler.handle(letterAggregate, id, command, () => [updated]);
    await handlerOver(inner).handle(letterAggregate, id, context(), () => [drafted()]);
    for (let n = 0; n < 20; n++) await change(handlerOver(inner));
    const { store, reads } = countingReads(inner);
    const handler = handlerOver(store);
    await Promise.all(times(30).map(() => handler.load(letterAggregate, id)));
    expect(reads.from.filter((from) => from === 0n)).to.have.length(1);
    reads.from = [];
    const command = context();
    await change(handler, command);
    const { state } = await handler.load(letterAggregate, id);
    expect(state).to.include({ status: 'draft', updates: 21 });
    expect(reads.from).to.deep.equal([22n]);
    const [last] = await inner.readStream(letterStream(id), { from: 21n });
    expect(last?.id).to.equal(uuidv5(command.commandId, `${letterStream(id)}:0`));
  });

  it('has no content of a letter that was erased', async () => {
    const store = createMemoryEventStore();
    const id = randomUUID();
    const handler = handlerOver(store);
    const write = (event: LetterEvent) =>
      handler.handle(letterAggregate, id, context(), () => [event]);
    await write(drafted());
    for (let n = 0; n < 20; n++) await write(updated);
    await write({ type: 'LetterErased', data: { reason: 'retention' } });
    let inMemory: unknown;
    await handler.handle(letterAggregate, id, context(), (letter) => {
      inMemory ??= letter;
      return [];
    });
    expect(inMemory).to.include({ erased: true, personal: undefined });
  });

  it('is read as a whole when it is loaded after its state in memory proved wrong', async () => {
    const inner = createMemoryEventStore();
    await credit(handlerOver(inner), 1_050n);
    const { store, reads } = countingReads(inner);
    const handler = handlerOver(store);
    const load = () => handler.load(walletAggregate, account);
    await load();
    await reserve(handlerOver(inner), 'L1');
    reads.tampered = true;
    const error = await load().catch((thrown: unknown) => thrown);
    expect(String(error)).to.contain('broken hash link');
    reads.tampered = false;
    reads.from = [];
    expect((await load()).state.reservations.size).to.equal(1);
    expect(reads.from).to.deep.equal([0n]);
  });

  it('is read as a whole once for all who load it meanwhile', async () => {
    const inner = createMemoryEventStore();
    await credit(handlerOver(inner), 1_050n);
    const { store, reads } = countingReads(inner);
    const handler = handlerOver(store);
    await Promise.all(times(20).map(() => handler.load(walletAggregate, account)));
    expect(reads.from.filter((from) => from === 0n)).to.have.length(1);
  });

  it('is read again before a command is refused', async () => {
    const inner = createMemoryEventStore();
    await credit(handlerOver(inner), 1n);
    const handler = handlerOver(inner);
    handler.prefetch(walletAggregate, account);
    await credit(handlerOver(inner), 104n);
    await reserve(handler, 'L1');
    expect(await availableCents(inner)).to.equal(0n);
  });

  it('fails the command that waits for it, and no later one', async () => {
    const inner = createMemoryEventStore();
    await credit(handlerOver(inner), 105n);
    const { store, reads } = countingReads(inner);
    const handler = handlerOver(store);
    reads.fail = true;
    handler.prefetch(walletAggregate, account);
    const error = await reserve(handler, 'L1').catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(StoreUnavailable);
    reads.fail = false;
    await reserve(handler, 'L1');
    expect(await availableCents(inner)).to.equal(0n);
  });
});

describe('a stream that was tampered with', () => {
  it('is refused: a broken link is found', async () => {
    const inner = createMemoryEventStore();
    await credit(handlerOver(inner), 500n);
    const store: EventStore = {
      ...inner,
      readStream: async (...call) =>
        (await inner.readStream(...call)).map((event, index) =>
          index === 0 ? { ...event, data: event.data.replace('false', 'true') } : event,
        ),
    };
    const outcome = await Promise.allSettled([reserve(handlerOver(store), 'L')]);
    expect(String((outcome[0] as PromiseRejectedResult).reason)).to.match(
      /broken hash link in wallet-acct_1-0 at version 1/,
    );
    expect(await inner.readAll({ after: 0n })).to.have.length(2);
  });

  it('is linked from its first event to its last', async () => {
    const store = createMemoryEventStore();
    const handler = handlerOver(store);
    await Promise.all([credit(handler, 500n), reserve(handler, 'L1'), reserve(handler, 'L2')]);
    await release(handler, 'L1');
    let prev = '';
    const events = await store.readStream(walletStream(account, 0));
    for (const event of events) {
      expect(decodeEvent(event).metadata.prev).to.equal(prev);
      prev = eventHash(event);
    }
    expect(events).to.have.length(5);
  });
});

describe('a store that fails', () => {
  it('rejects what was in that append, and only that', async () => {
    const inner = createMemoryEventStore();
    const gate = createGate();
    let failing = false;
    const store = withAppend(inner, async (next, ...call) => {
      if (!failing) return next(...call);
      await gate.pass();
      failing = false;
      throw new StoreUnavailable('test');
    });
    const handler = handlerOver(store);
    await credit(handler, 1_000n);
    failing = true;
    const inAppend = Promise.allSettled([reserve(handler, 'L1'), reserve(handler, 'L2')]);
    await gate.reached;
    const after = reserve(handler, 'L3');
    gate.open();
    expect((await inAppend).map(({ status }) => status)).to.deep.equal(['rejected', 'rejected']);
    expect((await after).events).to.have.length(1);
    expect([...(await walletIn(inner)).reservations.keys()]).to.deep.equal(['letter-L3']);
  });

  it('leaves no wrong state behind when it stored what it did not answer', async () => {
    const inner = createMemoryEventStore();
    let losing = false;
    const store = withAppend(inner, async (next, ...call) => {
      const result = await next(...call);
      if (losing) throw new StoreUnavailable('the answer was lost');
      return result;
    });
    const handler = handlerOver(store);
    await credit(handler, 105n);
    losing = true;
    const [lost] = await Promise.allSettled([reserve(handler, 'L')]);
    expect(lost?.status).to.equal('rejected');
    losing = false;
    expect((await reserve(handler, 'L')).events).to.deep.equal([]);
    expect(await rejectionOf(reserve(handler, 'M'))).to.equal('insufficient_funds');
  });
});

describe('the books of a long wallet stream', () => {
  /** A wallet one event short of 10,000: half of its letters were cancelled, one is held. */
  const longWallet = async (store: EventStore): Promise<CommandHandler> => {
    const handler = handlerOver(store);
    await credit(handler, 1_000n, 'first');
    await reserve(handler, 'held');
    for (let batch = 0; batch < 10; batch++) {
      await Promise.all(
        times(batch === 9 ? 996 : 1_000).map((n) => credit(handler, 1n, `c-${batch}-${n}`)),
      );
    }
    expect(await store.readStream(walletStream(account, 1))).to.deep.equal([]);
    return handler;
  };

  it('are closed at 10,000 events, and nothing is lost or possible twice', async () => {
    const store = createMemoryEventStore();
    const handler = await longWallet(store);
    await credit(handler, 1n, 'last');
    await idle(handler);
    const closed = await store.readStream(walletStream(account, 0), { from: 10_000n });
    expect(closed.map(({ type }) => type)).to.deep.equal(['WalletPeriodClosed']);
    expect(await availableCents(store)).to.equal(1_000n - 105n + 9_996n + 1n);
    for (const one of [handler, handlerOver(store), handlerOver(store, async () => 1)]) {
      expect((await credit(one, 1n, 'first')).events).to.deep.equal([]);
      expect((await reserve(one, 'held')).events).to.deep.equal([]);
    }
    expect((await release(handlerOver(store), 'held')).events).to.have.length(1);
    const next = await store.readStream(walletStream(account, 1));
    expect(next.map(({ type }) => type)).to.deep.equal([
      'ReservationsCarriedForward',
      ...times(10).map(() => 'CreditsCarriedForward'),
      'WalletPeriodOpened',
      'FundsReleased',
    ]);
  });

  it('are opened by the next command when a crash came between closing and opening', async () => {
    const store = createMemoryEventStore();
    const handler = handlerOver(store);
    await credit(handler, 500n, 'first');
    await reserve(handler, 'held');
    const folder = createFolder({ store, dataKeys, clock });
    const folded = await folder.read(walletAggregate, account);
    const closing: WalletEvent = { type: 'WalletPeriodClosed', data: { nextPeriod: 1 } };
    await folder.write(walletAggregate, account, folded, [
      { context: context(), events: [closing] },
    ]);
    // A process with the old period in its cache and new ones continue at the same time.
    const racing = [handler, handlerOver(store), handlerOver(store)];
    await Promise.all(racing.map((one, n) => credit(one, 10n, `after-${n}`)));
    expect((await credit(handler, 500n, 'first')).events).to.deep.equal([]);
    expect(await availableCents(store)).to.equal(500n - 105n + 30n);
    const next = await store.readStream(walletStream(account, 1));
    expect(next.filter(({ type }) => type === 'WalletPeriodOpened')).to.have.length(1);
    expect((await walletIn(store)).reservations.get('letter-held')?.state).to.equal('held');
  });

  it('are found when the hint where to look is wrong', async () => {
    const store = createMemoryEventStore();
    await credit(handlerOver(store), 500n, 'first');
    const misled = handlerOver(store, async () => 7);
    expect((await credit(misled, 1n, 'first')).events).to.deep.equal([]);
  });
});

describe('books that are kept open', () => {
  it('are not looked at with every command', async () => {
    const { books } = walletAggregate;
    if (!books) throw new Error('wallets close their books');
    const looks: bigint[] = [];
    const aggregate: typeof walletAggregate = {
      ...walletAggregate,
      books: {
        ...books,
        close(_state, _period, eventCount) {
          looks.push(eventCount);
          return [];
        },
        nextLook: (_state, eventCount) => eventCount + 10n,
      },
    };
    const handler = handlerOver(createMemoryEventStore());
    const open = { type: 'OpenWallet', accountId: account, test: false } as const;
    for (let n = 0; n < 30; n++) {
      await handler.handle(aggregate, account, context(), (wallet) => [
        ...openWallet(wallet, open),
        ...creditFunds(wallet, {
          type: 'CreditFunds',
          receipt: { method: 'operator', id: randomUUID() },
          bucket: 'fiat',
          amountMicro: 1n,
        }),
      ]);
    }
    await idle(handler);
    expect(looks).to.deep.equal([2n, 12n, 22n]);
  });
});

describe('wallets that know many letters', () => {
  it('stay in memory: 500,000 letters of 1,000 accounts', async function () {
    this.timeout(180_000);
    const store = createMemoryEventStore();
    let reads = 0;
    const handler = handlerOver({
      ...store,
      readStream: (...asked) => {
        reads += 1;
        return store.readStream(...asked);
      },
    });
    const reserved = (letterId: string) => ({
      purpose: letterPurpose(letterId),
      attempts: [
        {
          attemptId: randomUUID(),
          cryptoMicro: 0,
          fiatMicro: 1_050_000,
          commissionCryptoMicro: 0,
          commissionFiatMicro: 50_000,
        },
      ],
      state: 'held' as const,
      since: new Date(clock()).toISOString(),
      cryptoMicro: 0,
      fiatMicro: 1_050_000,
    });
    const accounts = times(1_000).map((n) => `acct_${n}`);
    for (const accountId of accounts) {
      await handler.handle(walletAggregate, accountId, context(), (wallet) => [
        ...openWallet(wallet, { type: 'OpenWallet', accountId, test: false }),
        {
          type: 'ReservationsCarriedForward',
          data: { reservations: times(500).map(() => reserved(randomUUID())) },
        },
      ]);
    }
    await idle(handler);
    reads = 0;
    for (const accountId of accounts) {
      const { events } = await handler.handle(walletAggregate, accountId, context(), (wallet) =>
        creditFunds(wallet, {
          type: 'CreditFunds',
          receipt: { method: 'operator', id: randomUUID() },
          bucket: 'fiat',
          amountMicro: 10_000n,
        }),
      );
      expect(events).to.have.length(1);
    }
    expect(reads).to.equal(0);
  });
});
