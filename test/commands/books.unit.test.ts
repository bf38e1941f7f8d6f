import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { createFolder } from '../../commands/handling/fold.ts';
import { type CommandHandler, createCommandHandler } from '../../commands/handling/handle.ts';
import { successor } from '../../commands/wallets/books.ts';
import { creditFunds } from '../../commands/wallets/credits.ts';
import { evolve, initialState, type Wallet } from '../../commands/wallets/state.ts';
import { openWallet, walletAggregate } from '../../commands/wallets/wallet.ts';
import { decodeEvent, encodeEvent, openPersonal } from '../../events/envelope.ts';
import { type EventStore, type EventToAppend, StoreUnavailable } from '../../events/event-store.ts';
import { type Held, policyLimits } from '../../events/policy.ts';
import { letterPurpose, type WalletEvent, walletStream } from '../../events/wallet.ts';
import { defaultLimits } from '../../limits/table.ts';
import { withAppend } from '../support/faulty-store.ts';
import { createMemoryDataKeys } from '../support/memory-data-keys.ts';
import { createMemoryEventStore } from '../support/memory-event-store.ts';

const at = '2026-03-01T12:00:00.000Z';
const account = 'acct_1';
const closing: WalletEvent = { type: 'WalletPeriodClosed', data: { nextPeriod: 1 } };
const opened: WalletEvent = {
  type: 'WalletOpened',
  data: { accountId: account, test: false, remembersRefunds: true },
};
const credited = (id: string): WalletEvent => ({
  type: 'FundsCredited',
  data: { receipt: { method: 'operator', id }, bucket: 'fiat', amountMicro: 10 ** 12 },
});
const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const long = (name: string, length: number): string => name.padEnd(length, 'x');
const fold = (state: Wallet, events: WalletEvent[]): Wallet =>
  events.reduce((wallet, event) => evolve(wallet, event, at), state);

const heldBy = (policies: number, rules: number): Held => ({
  needs: times(policies, (policy) => ({
    policy: long(`key_${policy}`, 64),
    rules: times(rules, (rule) => long(`rule-${rule}`, 64)),
    quorum: 2,
    approvers: times(policyLimits.approvers, (one) => long(`email:${one}`, 64)),
  })),
  expiresInHours: 72,
});

type Letter = {
  /** How many letters are like this one. */
  copies: number;
  attempts: number;
  policies: number;
  rules: number;
  counts: number;
  alerts: number;
  isCaptured: boolean;
};

const letterEvents = (letter: Letter, id: string): WalletEvent[] => {
  const purpose = letterPurpose(id);
  const { attempts, policies, rules, counts, alerts, isCaptured } = letter;
  const amounts = { cryptoMicro: 0, fiatMicro: 1_050_000 };
  const commission = { commissionCryptoMicro: 0, commissionFiatMicro: 50_000 };
  const held = policies > 0 ? { held: heldBy(policies, rules) } : {};
  const reserved = times(
    attempts,
    (index): WalletEvent => ({
      type: 'FundsReserved',
      data: { purpose, attemptId: long(`${index}-`, 64), ...amounts, ...commission, ...held },
    }),
  );
  const count = times(counts, (index) => ({
    counter: index + 1,
    since: Date.parse(at),
    amountMicro: 1_050_000,
    letters: 1,
  }));
  const counted: WalletEvent[] =
    counts > 0
      ? [{ type: 'LetterCounted', data: { purpose, attemptId: long('0-', 64), counts: count } }]
      : [];
  const alerted = times(
    alerts,
    (index): WalletEvent => ({
      type: 'AlertRaised',
      data: {
        purpose,
        subject: long(`key_${index}`, 64),
        alert: 'rule',
        country: 'DE',
        rule: long(`rule-${index}`, 64),
      },
    }),
  );
  const whole = { cryptoMicro: 0, fiatMicro: attempts * 1_050_000 };
  const captured: WalletEvent[] = isCaptured
    ? [{ type: 'FundsCaptured', data: { purpose, ...whole, ...commission } }]
    : [];
  return [...reserved, ...counted, ...alerted, ...captured];
};

type PolicySize = { recipients: number; texts: number };

const rulesOf = ({ recipients, texts }: PolicySize, firstCounter: number) =>
  times(policyLimits.rules, (rule) => ({
    id: long(`rule-${rule}`, 64),
    effect: 'allow' as const,
    when: {
      recipients: times(1 + recipients, (one) => long(`${one}`, 43)),
      intents: times(1 + texts, (one) => long(`${one}`, 64)),
    },
    limit: { amountCents: 1_000_000, per: 'day' as const },
    ...(firstCounter > 0 ? { counter: firstCounter + rule } : {}),
  }));

const approvals = {
  quorum: 2 as const,
  approvers: times(policyLimits.approvers, (one) => long(`email:${one}`, 49)),
  expiresInHours: 72,
};
const emails = Object.fromEntries(approvals.approvers.map((one) => [one, long('boss@', 320)]));

/** A policy of which all is used, with a change that has its first approval. */
const policyEvents = (size: PolicySize, index: number): WalletEvent[] => {
  const subject = long(`key_${index}`, 64);
  const firstCounter = 1 + index * policyLimits.rules;
  const version = firstCounter + policyLimits.rules;
  const policy = {
    subject,
    version,
    timeZone: 'UTC',
    rules: rulesOf(size, firstCounter),
    approvals,
  };
  const used = times(policyLimits.rules, (rule) => ({
    counter: firstCounter + rule,
    slots: times(30, (slot) => ({
      since: Date.parse(at) + slot,
      amountMicro: 10 ** 15,
      letters: 10 ** 9,
    })),
    alerted: { since: Date.parse(at), percent: 80 as const },
  }));
  const approvalId = long(`apc_${index}`, 64);
  return [
    { type: 'PolicySet', data: policy, personal: { emails } },
    { type: 'PoliciesCarriedForward', data: { changes: version, used } },
    ...times(
      40,
      (country): WalletEvent => ({
        type: 'AlertRaised',
        data: {
          purpose: letterPurpose('L'),
          subject,
          alert: 'new_country',
          country: `${String.fromCharCode(65 + (country % 26))}${country % 10}`,
        },
      }),
    ),
    {
      type: 'PolicyChangeRequested',
      data: {
        approvalId,
        subject,
        baseVersion: version,
        timeZone: 'UTC',
        rules: rulesOf(size, 0),
        approvals,
        commitment: long('c', 43),
        quorum: 2,
        approvers: approvals.approvers,
        expiresAt: '2027-03-01T12:00:00.000Z',
        requester: { own: [subject], line: [subject] },
      },
      personal: { emails },
    },
    {
      type: 'PolicyChangeApproved',
      data: {
        approvalId,
        subject,
        approver: long('email:', 49),
        credential: { own: [subject], line: [subject] },
      },
    },
  ];
};

const content = fc.record({
  letters: fc.array(
    fc.oneof(
      fc.record({
        copies: fc.integer({ min: 1, max: 600 }),
        attempts: fc.integer({ min: 1, max: 3 }),
        policies: fc.integer({ min: 0, max: 2 }),
        rules: fc.integer({ min: 1, max: 3 }),
        counts: fc.integer({ min: 0, max: 3 }),
        alerts: fc.integer({ min: 0, max: 2 }),
        isCaptured: fc.boolean(),
      }),
      fc.record({
        copies: fc.constant(1),
        attempts: fc.integer({ min: 1, max: 200 }),
        policies: fc.integer({ min: 0, max: policyLimits.policies }),
        rules: fc.integer({ min: 1, max: policyLimits.rules }),
        counts: fc.integer({ min: 0, max: 500 }),
        alerts: fc.integer({ min: 0, max: 1_000 }),
        isCaptured: fc.boolean(),
      }),
    ),
    { maxLength: 4 },
  ),
  receipts: fc.integer({ min: 0, max: 3_000 }),
  refunds: fc.integer({ min: 0, max: 4_000 }),
  policies: fc.array(
    fc.record({
      recipients: fc.integer({ min: 0, max: 199 }),
      texts: fc.integer({ min: 0, max: 30 }),
    }),
    { maxLength: 3 },
  ),
  frozen: fc.integer({ min: 0, max: 500 }),
});

const walletWith = (held: {
  letters: Letter[];
  receipts: number;
  refunds: number;
  policies: PolicySize[];
  frozen: number;
}): Wallet =>
  fold(initialState(), [
    opened,
    ...times(held.receipts, (index) => credited(long(`r-${index}-`, 128))),
    ...times(
      held.refunds,
      (index): WalletEvent => ({
        type: 'FundsRefunded',
        data: { purpose: letterPurpose(long(`gone-${index}-`, 64)), cryptoMicro: 0, fiatMicro: 1 },
      }),
    ),
    ...held.policies.flatMap(policyEvents),
    ...times(
      held.frozen,
      (index): WalletEvent => ({
        type: 'SpendingFrozen',
        data: { subject: long(`ucan:${index}`, 160) },
      }),
    ),
    ...held.letters.flatMap((letter, kind) =>
      times(letter.copies, (copy) => letterEvents(letter, long(`${kind}-${copy}-`, 64))).flat(),
    ),
  ]);

/** Everything that a wallet holds, in an order of its own. */
const shown = ({ reservations, receipts, refunded, guards, available }: Wallet): string =>
  JSON.stringify(
    {
      available,
      reservations: [...reservations].sort(),
      receipts: [...receipts],
      refunded: [...refunded],
      changes: guards.changes,
      policies: [...guards.policies],
      emails: [...guards.emails],
      usage: [...guards.usage],
      seen: [...guards.seen],
      frozen: [...guards.frozen],
      changesAsked: [...guards.changesAsked],
      askedAt: guards.askedAt,
    },
    (_, value: unknown) => {
      if (typeof value === 'bigint') return `${value}`;
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
      return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
    },
  );

const { key } = createMemoryDataKeys().draft('wallet-acct_1');

const storedBytes = (event: WalletEvent): number => {
  const place = { stream: walletStream(account, 1), version: 1n, prev: 'p'.repeat(43) };
  const cause = { id: randomUUID(), at, command: randomUUID(), actor: 'reactor:books' };
  const { data, metadata } = encodeEvent(event, place, cause, key).event;
  return Buffer.byteLength(data) + Buffer.byteLength(metadata);
};

describe('the opening of the next period of a wallet', () => {
  it('has events that every store takes and gives the state that was closed, whatever the wallet holds', function () {
    this.timeout(180_000);
    fc.assert(
      fc.property(content, (held) => {
        const state = evolve(walletWith(held), closing, at);
        const { opening } = successor(state) ?? { opening: [] };
        for (const event of opening) {
          expect(storedBytes(event), event.type).to.be.at.most(defaultLimits.eventBytes);
        }
        expect(shown(fold(initialState(), opening)) === shown(state), 'the same state').to.equal(
          true,
        );
      }),
      { numRuns: 20 },
    );
  });

  it('carries every commitment that a letter uses', () => {
    const purpose = letterPurpose('L');
    const reserved = times(
      1_300,
      (index): WalletEvent => ({
        type: 'FundsReserved',
        data: {
          purpose,
          attemptId: `${index}`,
          cryptoMicro: 0,
          fiatMicro: 1,
          commissionCryptoMicro: 0,
          commissionFiatMicro: 0,
          commitmentId: `${index}`,
        },
      }),
    );
    const state = evolve(fold(initialState(), [opened, credited('c'), ...reserved]), closing, at);
    const { opening } = successor(state) ?? { opening: [] };
    for (const event of opening) storedBytes(event);
    expect(fold(initialState(), opening).reservations.get('letter-L')?.attempts).to.have.length(
      1_300,
    );
  });
});

const context = () => ({ commandId: randomUUID(), actor: 'operator' });

const credit = (handler: CommandHandler, id: string) =>
  handler.handle(walletAggregate, account, context(), (wallet) => [
    ...openWallet(wallet, { type: 'OpenWallet', accountId: account, test: false }),
    ...creditFunds(wallet, {
      type: 'CreditFunds',
      receipt: { method: 'operator', id },
      bucket: 'fiat',
      amountMicro: 1n,
    }),
  ]);

const plain = { copies: 1, attempts: 1, policies: 0, rules: 0, counts: 0, alerts: 0 };

/** A wallet with these events whose books were closed by a process that did not get any further. */
const closedWallet = async (events: WalletEvent[]) => {
  const store = createMemoryEventStore();
  const ports = { store, dataKeys: createMemoryDataKeys(), clock: () => Date.parse(at) };
  const folder = createFolder(ports);
  const empty = await folder.read(walletAggregate, account);
  await folder.write(walletAggregate, account, empty, [
    { context: context(), events: [opened, credited('first'), ...events, closing] },
  ]);
  /** Another process on the log, which may be given another store. */
  const handler = (over: EventStore = store, periodHint?: () => Promise<number>): CommandHandler =>
    createCommandHandler({ ...ports, store: over, periodHint });
  return { store, folder, handler };
};

describe('a wallet whose letters needed approvals', () => {
  it('goes on after its books were closed, also where that locked it before', async () => {
    const letter = { ...plain, policies: 1, rules: 2, isCaptured: true };
    const { handler, store } = await closedWallet(
      times(900, (n) => letterEvents(letter, `L-${n}`)).flat(),
    );
    const { events, state } = await credit(handler(), 'last');
    expect(events).to.have.length(1);
    expect(state.period).to.equal(1);
    expect(state.reservations.size).to.equal(900);
    expect(state.reservations.get('letter-L-7')?.attempts[0]?.held?.needs).to.have.length(1);
    expect(await store.readStream(walletStream(account, 1))).to.have.length.above(2);
  });
});

describe('an opening that is more than one append', () => {
  const letters = 6_000;
  const closed = () =>
    closedWallet(
      times(letters, (n) =>
        letterEvents({ ...plain, isCaptured: false }, long(`L-${n}-`, 36)),
      ).flat(),
    );
  const next = walletStream(account, 1);
  const bytesOf = (events: EventToAppend[]): number =>
    events.reduce(
      (sum, { data, metadata }) => sum + Buffer.byteLength(data) + Buffer.byteLength(metadata),
      0,
    );

  /** Everything is there once, and nothing was decided before it was. */
  const assertWhole = async (store: EventStore): Promise<void> => {
    const types = (await store.readStream(next)).map(({ type }) => type);
    const openedAt = types.indexOf('WalletPeriodOpened');
    expect(
      types.slice(0, openedAt).filter((type) => !type.endsWith('CarriedForward')),
    ).to.deep.equal([]);
    expect(new Set(types.slice(openedAt + 1))).to.deep.equal(new Set(['FundsCredited']));
    const { state } = await createCommandHandler({
      store,
      dataKeys: createMemoryDataKeys(),
      clock: () => Date.parse(at),
    }).load(walletAggregate, account);
    expect(state.period).to.equal(1);
    expect(state.reservations.size).to.equal(letters);
    expect(state.receipts.has('first')).to.equal(true);
  };

  it('is written in parts that every store takes', async () => {
    const { store, handler } = await closed();
    const sizes: number[] = [];
    const measured = withAppend(store, (append, ...call) => {
      sizes.push(bytesOf(call[2]));
      return append(...call);
    });
    await credit(handler(measured), 'last');
    expect(sizes).to.have.length.above(4);
    expect(Math.max(...sizes)).to.be.below(800_000);
    await assertWhole(store);
  });

  it('is completed by the next process, wherever the one before was killed', async () => {
    for (let appends = 0; appends < 6; appends++) {
      const { store, handler } = await closed();
      let left = appends;
      const dying = withAppend(store, async (append, ...call) => {
        if (left-- <= 0) throw new StoreUnavailable('killed');
        return append(...call);
      });
      const outcome = await credit(handler(dying), 'last').catch((error: unknown) => error);
      expect(String(outcome), `${appends}`).to.match(/killed/);
      for (const hint of [0, 1]) {
        const other = handler(store, async () => hint);
        expect((await credit(other, 'first')).events).to.deep.equal([]);
        expect((await credit(other, `after-${hint}`)).events).to.have.length(1);
      }
      await assertWhole(store);
    }
  });

  it('is written once when several processes do so at the same time', async () => {
    const { store, handler } = await closed();
    const racing = times(4, (n) =>
      credit(
        handler(store, async () => n % 2),
        `after-${n}`,
      ),
    );
    for (const { events } of await Promise.all(racing)) expect(events).to.have.length(1);
    await assertWhole(store);
  });

  it('is whole where an earlier version wrote it, in one append that begins with the period', async () => {
    const { store, folder, handler } = await closedWallet(
      letterEvents({ ...plain, isCaptured: false }, 'L'),
    );
    const inner = await store.readStream(walletStream(account, 0));
    const events = inner.map((event) => openPersonal(decodeEvent(event), undefined) as WalletEvent);
    const { opening } = successor(fold(initialState(), events)) ?? { opening: [] };
    const begun = opening.filter(({ type }) => type === 'WalletPeriodOpened');
    const rest = opening.filter(({ type }) => type !== 'WalletPeriodOpened');
    // Another version may carry more or less.
    const carried = rest.filter(({ type }) => type !== 'CreditsCarriedForward');
    const start = { period: 1, version: 'no-stream' as const, hash: '' };
    await folder.write(walletAggregate, account, start, [
      { context: context(), events: [...begun, ...carried] },
    ]);
    const { state } = await credit(handler(), 'last');
    expect(state.reservations.has('letter-L')).to.equal(true);
    expect((await store.readStream(next)).map(({ type }) => type)).to.deep.equal([
      'WalletPeriodOpened',
      'ReservationsCarriedForward',
      'FundsCredited',
    ]);
  });

  it('is not continued when it began with something else', async () => {
    const { folder, handler } = await closedWallet([]);
    const start = { period: 1, version: 'no-stream' as const, hash: '' };
    const other: WalletEvent = {
      type: 'CreditsCarriedForward',
      data: { receipts: [{ id: 'another', bucket: 'fiat', reversibleMicro: 1 }] },
    };
    await folder.write(walletAggregate, account, start, [{ context: context(), events: [other] }]);
    const outcome = await credit(handler(), 'last').catch((error: unknown) => error);
    expect(String(outcome)).to.match(/wallet-acct_1-1 does not begin with the opening/);
  });
});
