/**
 * Money comes in by a chain and by Lightning. Requests are repeated; reports come late, twice and in any
 * order. The chain forgets its newest block and takes it up again, its node lags behind, and processes die at
 * any append. After everything that the watcher did not take was reported once more to a process that lives, each
 * receipt that is proven outside is in a wallet, once, and nothing else is.
 */

import { createHash, randomUUID } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { createCommandHandler } from '../../commands/handling/handle.ts';
import { assignTransfer } from '../../commands/payments/assign-transfer.ts';
import { createIntake } from '../../commands/payments/intake.ts';
import { createSettleLightning } from '../../commands/payments/lightning.ts';
import { payerDid } from '../../commands/payments/payer-account.ts';
import {
  type Authorization,
  type Fate,
  type Rail,
  RailUnavailable,
} from '../../commands/payments/rails.ts';
import { createTakeReceived, type Received } from '../../commands/payments/received.ts';
import { createTopUps, type TopUpMethod } from '../../commands/payments/top-ups.ts';
import { openWallet, walletAggregate } from '../../commands/wallets/wallet.ts';
import { isAppError } from '../../contract/errors.ts';
import { decodeEvent } from '../../events/envelope.ts';
import { type EventStore, StoreUnavailable } from '../../events/event-store.ts';
import { type ChainTransfer, paymentIdOf, receiptIdOf } from '../../events/payment.ts';
import type { WalletEvent } from '../../events/wallet.ts';
import { uuidv5 } from '../../ground/uuid.ts';
import {
  addBooked,
  type Booked,
  nothingBooked,
  paymentBookings,
  walletBookings,
} from '../../projections/ledger/bookings.ts';
import { digest } from '../support/digest.ts';
import { createMemoryDataKeys } from '../support/memory-data-keys.ts';
import { createMemoryEventStore } from '../support/memory-event-store.ts';
import { payerAccounts } from '../support/payer-accounts.ts';

const network = 'eip155:84532';
const asset = `0x${'a'.repeat(40)}`;
const payTo = `0x${'b'.repeat(40)}`;
const account = 'acct_top_up';
const now = Date.parse('2026-11-03T09:00:00.000Z');
const hex = (text: string): string => createHash('sha256').update(text).digest('hex');
type Fault = 'none' | 'dies before' | 'dies after';
/** A step; `n` names a payment, a transfer or an invoice, `fault` when its process dies. */
type Step = {
  what:
    | ('pay' | 'front-run' | 'transfer' | 'watch' | 'finish' | 'ask' | 'invoice' | 'settle')
    | ('assign' | 'other amount' | 'watch with lag')
    | ('forget' | 'come back' | 'lag' | 'confirm' | 'wait');
  n: number;
  twice: boolean;
  fault: Fault;
  /** The append at which it dies. */
  at: number;
};

const step: fc.Arbitrary<Step> = fc.record({
  what: fc.constantFrom<Step['what']>(
    ...(['pay', 'pay', 'front-run', 'transfer', 'watch', 'finish'] as const),
    ...(['ask', 'invoice', 'settle', 'forget', 'lag', 'confirm', 'wait'] as const),
    ...(['come back', 'wait', 'confirm', 'confirm', 'assign'] as const),
    ...(['other amount', 'watch with lag'] as const),
  ),
  n: fc.nat({ max: 3 }),
  twice: fc.boolean(),
  fault: fc.constantFrom<Fault>('none', 'none', 'dies before', 'dies after'),
  at: fc.nat({ max: 6 }),
});

/** Steps of two payments while the chain cannot make up its mind. */
const forgetful: fc.Arbitrary<Step> = fc.record({
  what: fc.constantFrom<Step['what']>(
    ...(['pay', 'front-run', 'forget', 'come back', 'wait', 'confirm', 'finish', 'watch'] as const),
    ...(['other amount', 'watch with lag'] as const),
  ),
  n: fc.nat({ max: 1 }),
  twice: fc.boolean(),
  fault: fc.constantFrom<Fault>('none', 'none', 'dies before', 'dies after'),
  at: fc.nat({ max: 6 }),
});

/** Paid, forgotten until it is charged back, there again. */
const thereAgain: readonly Step['what'][] = [
  ...(['pay', 'forget', 'wait', 'wait', 'confirm', 'come back', 'finish'] as const),
];

/** A store whose process dies at an append: nothing is answered from then on. */
const dying = (store: EventStore, { fault, at }: Pick<Step, 'fault' | 'at'>): EventStore => {
  let appends = 0;
  let dead = false;
  return {
    ...store,
    async append(...call) {
      const due = fault !== 'none' && appends++ === at;
      if (due && fault === 'dies before') dead = true;
      if (dead) throw new StoreUnavailable('test');
      const appended = await store.append(...call);
      if (due) dead = true;
      if (dead) throw new StoreUnavailable('test');
      return appended;
    },
  };
};

/** The truth outside: what the chain and the Lightning node have. */
const createOutside = () => {
  const transfers: Received[] = [];
  const invoices = new Map<string, bigint>();
  /** Nonces by receipt, of whatever a block once had. */
  const nonces = new Map<string, string>();
  let mined = 1;
  const move = (payer: string, nonce: string | undefined, amountMicro: number): ChainTransfer => {
    mined += 1;
    const block = mined;
    const transaction = `0x${hex(`transaction ${block}`)}`;
    const transfer = { network, asset, transaction, logIndex: 0, block, amountMicro };
    transfers.push({ transfer, payTo, payer, nonce });
    if (nonce !== undefined) nonces.set(receiptIdOf(transfer), nonce);
    return transfer;
  };
  // The watcher takes what cannot be forgotten any more.
  let sure = 0;
  const watched = (n: number) => {
    const seen = transfers.at(-1 - n);
    if (seen) sure = Math.max(sure, seen.transfer.block);
    return seen;
  };
  /** Receipts whose block the watcher has read. It reads each once. */
  const read = new Set<string>();
  const forgotten: typeof transfers = [];
  const forget = (): void => {
    const last = transfers.at(-1);
    if (last?.nonce === undefined || last.transfer.block <= sure) return;
    transfers.pop();
    forgotten.push(last);
  };
  const used = (payer: string, nonce: string) =>
    transfers.find((one) => one.payer === payer && one.nonce === nonce);
  /** The branch with the block that was forgotten last is the longest again. */
  const comeBack = (): void => {
    const back = forgotten.pop();
    if (back?.nonce !== undefined && !used(back.payer, back.nonce)) transfers.push(back);
  };
  const head = () => mined;
  return { transfers, invoices, nonces, move, watched, read, forget, comeBack, used, head };
};

const authorizationOf = (n: number): Authorization => ({
  payer: `0x${hex(`payer ${n % 2}`).slice(0, 40)}`,
  payTo,
  amountMicro: BigInt(1_000_000 + n),
  validAfter: 0n,
  validBefore: BigInt(now / 1_000 + 300),
  nonce: `0x${hex(`nonce ${n}`)}`,
  signature: `0x${'ab'.repeat(65)}`,
});

const createWorld = async () => {
  const store = createMemoryEventStore();
  const dataKeys = createMemoryDataKeys();
  const outside = createOutside();
  let later = 0;
  const clock = () => now + later;
  const lightningId = (n: number): string => uuidv5('0b6c6a52-7d5c-5a3e-9d55-2f8d9b1c7e11', `${n}`);

  /** As if the service ran on the same data, until it dies. */
  const process = (faults: Pick<Step, 'fault' | 'at'>, lags = false) => {
    const handler = createCommandHandler({ store: dying(store, faults), dataKeys, clock });
    const payers = payerAccounts(handler, clock);
    const rail: Rail = {
      network,
      asset,
      payTo,
      head: async () => outside.head(),
      isSigned: async () => true,
      gasOf: () => undefined,
      balanceOf: async () => 1_000_000_000n,
      async verify({ payer, nonce, validBefore }: Authorization) {
        if (clock() / 1_000 >= Number(validBefore)) return 'expired' as const;
        return outside.used(payer, nonce) ? ('used' as const) : undefined;
      },
      async settle({ payer, nonce, amountMicro, validBefore }: Authorization) {
        const before = outside.used(payer, nonce);
        if (before) return { state: 'refused' as const, fault: 'used' as const };
        if (clock() / 1_000 >= Number(validBefore))
          return { state: 'refused' as const, fault: 'expired' as const };
        const { transaction } = outside.move(payer, nonce, Number(amountMicro));
        return { state: 'sent' as const, transaction };
      },
      async fateOf({ payer, nonce, amountMicro }): Promise<Fate> {
        const found = lags ? undefined : outside.used(payer, nonce);
        if (!found) return { state: 'unused' };
        if (BigInt(found.transfer.amountMicro) !== amountMicro) return { state: 'cancelled' };
        return { state: 'paid', transfer: found.transfer, ours: true, feeWei: 21_000n };
      },
    };
    const method: TopUpMethod = {
      method: 'lightning',
      payableMs: 900_000,
      open: async ({ topUpId }) => ({
        terms: {
          method: 'lightning',
          paymentHash: hex(topUpId),
          amountSat: 1_000,
          rate: { value: '100000', source: 'test', at: '2026-11-03T09:00:00.000Z' },
        },
        handed: '',
        expiresAt: '2026-11-03T09:15:00.000Z',
      }),
    };
    const topUps = createTopUps({ handler, clock, methods: [method] });
    const settle = createSettleLightning({
      topUps,
      node: {
        async stateOf(hash) {
          const paidMsat = outside.invoices.get(hash);
          return paidMsat === undefined ? { state: 'open' } : { state: 'settled', paidMsat };
        },
      },
    });
    const holds = {
      hold: async () => ({ held: 'now' as const, aheadMicro: 0n }),
      giveBack: async () => {},
    };
    const intake = createIntake({ handler, rail, payers, holds, clock });
    const take = createTakeReceived({
      handler,
      intake,
      payers,
      topUps,
      byAmount: async () => undefined,
      current: rail,
    });
    return { handler, intake, take, topUps, settle };
  };
  await process({ fault: 'none', at: 0 }).handler.handle(
    walletAggregate,
    account,
    { commandId: uuidv5('0b6c6a52-7d5c-5a3e-9d55-2f8d9b1c7e11', 'open'), actor: 'test' },
    (wallet) => openWallet(wallet, { type: 'OpenWallet', accountId: account, test: false }),
  );
  const wait = (ms: number): void => {
    later += ms;
  };
  return { store, outside, process, lightningId, wait, isOld: () => later >= 400_000 };
};

type World = Awaited<ReturnType<typeof createWorld>>;
type Process = ReturnType<World['process']>;

const idOf = ({ payer, nonce }: Authorization): string =>
  paymentIdOf({ network, asset, payer, nonce });

const ask = ({ topUps }: Process, { lightningId }: World, n: number) =>
  topUps.request(
    'lightning',
    { accountId: account, amountMicro: 1_000_000n, currency: 'USD' },
    { commandId: lightningId(n), actor: 'test', requestHash: digest('ask') },
  );

const topUpIdOf = (world: World, n: number): string => uuidv5(world.lightningId(n), 'topup');

/** The watcher reads a block. One that it could not take is read again. */
const watch = async ({ outside }: World, process: Process, n: number): Promise<void> => {
  const seen = outside.watched(n);
  if (!seen) return;
  await process.take(seen);
  outside.read.add(receiptIdOf(seen.transfer));
};

const run = async (world: World, process: Process, { what, n }: Step): Promise<unknown> => {
  const { outside } = world;
  const authorization = authorizationOf(n);
  const { payer, nonce, amountMicro } = authorization;
  switch (what) {
    case 'pay':
      return process.intake.take(authorization, {
        operation: 'send_letter',
        requestHash: digest('letter'),
        repeatable: true,
      });
    case 'front-run':
      return outside.used(payer, nonce) ?? outside.move(payer, nonce, Number(amountMicro));
    case 'transfer':
      return outside.move(payer, undefined, 5_000_000 + n);
    case 'other amount':
      return outside.used(payer, nonce) ?? outside.move(payer, nonce, Number(amountMicro) + 10);
    case 'watch':
      return watch(world, process, n);
    case 'watch with lag':
      return watch(world, world.process({ fault: 'none', at: 0 }, true), n);
    case 'assign': {
      const seen = outside.watched(n);
      if (!seen) return undefined;
      const context = () => ({ commandId: randomUUID(), actor: 'operator' });
      return assignTransfer(process.handler, { accountId: account, received: seen }, context);
    }
    case 'forget':
      return outside.forget();
    case 'come back':
      return outside.comeBack();
    case 'wait':
      return world.wait(200_000);
    case 'lag':
      return world.process({ fault: 'none', at: 0 }, true).intake.finish(idOf(authorization));
    case 'confirm':
      return process.intake.confirm(idOf(authorization), 1, world.isOld());
    case 'finish':
      return process.intake.finish(idOf(authorization));
    case 'ask':
      return ask(process, world, n);
    case 'invoice': {
      // Nobody pays an invoice before it was handed out.
      const topUp = await process.topUps.load(topUpIdOf(world, n));
      if (topUp.asked.terms.method !== 'lightning') return undefined;
      return outside.invoices.set(topUp.asked.terms.paymentHash, BigInt(1_000 + n) * 1_000n);
    }
    case 'settle':
      return process.settle(topUpIdOf(world, n));
  }
};

/** Errors that a caller may get; any other error is a defect. */
const expected = (error: unknown): void => {
  if (isAppError(error) || error instanceof StoreUnavailable) return;
  if (error instanceof RailUnavailable) return;
  throw error;
};

/** Reports everything outside once more, to a process that lives. */
const recover = async (world: World): Promise<void> => {
  const alive = world.process({ fault: 'none', at: 0 });
  for (const n of [0, 1, 2, 3]) await alive.intake.finish(idOf(authorizationOf(n)));
  world.wait(1_000_000);
  for (const received of world.outside.transfers) {
    if (!world.outside.read.has(receiptIdOf(received.transfer))) await alive.take(received);
  }
  for (const n of [0, 1, 2, 3]) {
    await alive.intake.finish(idOf(authorizationOf(n)));
    await alive.intake.confirm(idOf(authorizationOf(n)), 0, true);
    await alive.settle(topUpIdOf(world, n)).catch(expected);
  }
};

const eventsOf = async ({ store }: World) =>
  (await store.readAll({ after: 0n, limit: 100_000 })).map(decodeEvent);

/** Runs all steps, reports everything once more, and compares wallets and books with the outside. */
const expectOwned = async (steps: Step[]): Promise<WalletEvent[]> => {
  const world = await createWorld();
  for (const one of steps) {
    const process = world.process(one);
    const runs = one.twice
      ? [run(world, process, one), run(world, process, one)]
      : [run(world, process, one)];
    for (const result of await Promise.allSettled(runs)) {
      if (result.status === 'rejected') expected(result.reason);
    }
  }
  await recover(world);
  await recover(world);

  const events = await eventsOf(world);
  // An authorization that was forgotten and sent again has another receipt and the same nonce.
  const owed = (receiptId: string): string => {
    // Money that was taken back and came again has the same receipt.
    const [id = ''] = receiptId.split(':again:');
    return world.outside.nonces.get(id) ?? id;
  };
  const chargedBack = events.flatMap((event) =>
    event.type === 'FundsChargedBack' ? [(event.data as { creditId: string }).creditId] : [],
  );
  const kept = events.flatMap((event) => {
    if (event.type !== 'FundsCredited') return [];
    const { id } = (event.data as { receipt: { id: string } }).receipt;
    return chargedBack.includes(id) ? [] : [owed(id)];
  });
  const proven = [
    ...world.outside.transfers.map(({ transfer }) => owed(receiptIdOf(transfer))),
    ...world.outside.invoices.keys(),
  ];
  expect(kept).to.have.members(proven);

  let total: Booked = nothingBooked;
  const balances = new Map<string, Booked>();
  for (const event of events) {
    const bookings = event.stream.startsWith('wallet-')
      ? walletBookings(event as typeof event & WalletEvent, false)
      : event.stream.startsWith('payment-')
        ? paymentBookings(event as typeof event & Parameters<typeof paymentBookings>[0])
        : new Map<string, Booked>();
    const own = [...bookings.values()].reduce(addBooked, nothingBooked);
    expect(own, event.type).to.deep.equal(nothingBooked);
    for (const [name, change] of bookings) {
      balances.set(name, addBooked(balances.get(name) ?? nothingBooked, change));
    }
    total = addBooked(total, own);
  }
  expect(total).to.deep.equal(nothingBooked);
  for (const [name, { crypto, fiat }] of balances) {
    if (name.startsWith('available:')) expect(crypto >= 0n && fiat >= 0n, name).to.equal(true);
  }
  const onChain = world.outside.transfers.reduce(
    (sum, { transfer }) => sum + BigInt(transfer.amountMicro),
    0n,
  );
  expect(balances.get('unclaimed')?.crypto ?? 0n, 'has no owner').to.equal(0n);
  expect(-(balances.get('usdc_onchain')?.crypto ?? 0n)).to.equal(onChain);
  return events.filter((event) => event.stream.startsWith('wallet-')) as ((typeof events)[number] &
    WalletEvent)[];
};

describe('money from outside', () => {
  it(`is credited once for each receipt, whatever dies or repeats`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
        await expectOwned(steps);
      }),
      { numRuns: 300 },
    );
  }).timeout(180_000);

  it(`is credited while the chain has it, whatever it forgets and remembers`, async () => {
    const begun = thereAgain.map(
      (what): Step => ({ what, n: 0, twice: false, fault: 'none', at: 0 }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(forgetful, { maxLength: 20 }),
        fc.nat({ max: 7 }),
        async (steps, n) => {
          await expectOwned([...begun.slice(0, n), ...steps]);
        },
      ),
      { numRuns: 300 },
    );
  }).timeout(180_000);

  it('is credited again, once, when a block comes back that was forgotten and charged back', async () => {
    const steps = [...thereAgain, 'finish', 'watch', 'confirm', 'pay'] as const;
    const moves = await expectOwned(
      steps.map((what): Step => ({ what, n: 0, twice: true, fault: 'none', at: 0 })),
    );
    const money = ['FundsCredited', 'FundsChargedBack'];
    expect(moves.flatMap(({ type }) => (money.includes(type) ? [type] : []))).to.deep.equal([
      ...['FundsCredited', 'FundsChargedBack', 'FundsCredited'],
    ]);
  });

  const plain: Step = { what: 'wait', n: 0, twice: false, fault: 'none', at: 0 };
  const stepsOf = (list: readonly (Step['what'] | Partial<Step>)[]): Step[] =>
    list.map((one) => ({ ...plain, ...(typeof one === 'string' ? { what: one } : one) }));

  it('is not an operator’s to assign when a payment was mined again in a transaction of somebody else', async () => {
    const moves = await expectOwned(stepsOf(['pay', 'forget', 'front-run', 'assign']));
    expect(moves.filter(({ type }) => type === 'FundsCredited')).to.have.length(1);
  });

  it('is credited though its payment lapsed: its process died, and a node did not know of it', async () => {
    const dies = { what: 'pay', fault: 'dies before', at: 2 } as const;
    const moves = await expectOwned(stepsOf([dies, 'wait', 'wait', 'wait', 'lag']));
    expect(moves.filter(({ type }) => type === 'FundsCredited')).to.have.length(1);
  });

  it('is credited by the block that was read while a node did not know of it', async () => {
    const dies = { what: 'pay', fault: 'dies before', at: 1 } as const;
    const late = ['wait', 'wait', 'wait', 'lag'] as const;
    const moves = await expectOwned(stepsOf([dies, 'watch with lag', ...late]));
    expect(moves.filter(({ type }) => type === 'FundsCredited')).to.have.length(1);
  });

  it('is credited although its payer signed two amounts with one nonce and presented the other one', async () => {
    const dies = { what: 'pay', fault: 'dies before', at: 1 } as const;
    const moves = await expectOwned(stepsOf([dies, 'forget', 'other amount', 'watch', 'finish']));
    const credited = moves.filter(({ type }) => type === 'FundsCredited');
    expect(credited.map(({ data }) => data)).to.have.nested.property('[0].amountMicro', 1_000_010);
  });

  it('knows payers by the wallet that signed', () => {
    const { payer } = authorizationOf(0);
    expect(payerDid(network, payer)).to.equal(`did:pkh:${network}:${payer}`);
  });
});
