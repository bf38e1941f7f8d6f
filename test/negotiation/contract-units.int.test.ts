import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import {
  endPeriod,
  settlePeriod,
  volumeContractAggregate,
} from '../../commands/negotiation/volume-contract.ts';
import { creditFunds } from '../../commands/wallets/credits.ts';
import { packedReservations } from '../../commands/wallets/reservations.ts';
import { walletAggregate } from '../../commands/wallets/wallet.ts';
import { type AnyEvent, decodeEvent } from '../../events/envelope.ts';
import { StoreUnavailable } from '../../events/event-store.ts';
import { letterIdIn } from '../../events/letter.ts';
import { amountsIn } from '../../events/wallet.ts';
import { createDiscounts } from '../../infra/readers/discounts.ts';
import { sum } from '../../money/buckets.ts';
import { commissionOn } from '../../money/charge.ts';
import { presentContract } from '../../presenters/contract.ts';
import { until } from '../support/client.ts';
import { type ContractWorld, openContractWorld } from '../support/contract-world.ts';
import { rejectionOf } from '../support/decider-spec.ts';
import { withAppend } from '../support/faulty-store.ts';
import { seeded } from '../support/seeded.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
let opened = 0;

/** Two accounts that nothing was done with. */
const openAccounts = async (world: ContractWorld): Promise<string[]> => {
  const accounts = [`acct_${++opened}`, `acct_${++opened}`];
  for (const accountId of accounts) await world.openWallet(accountId);
  return accounts;
};

/** All that is in the log of some accounts. */
const eventsOf = async ({ store }: ContractWorld, accounts: string[]): Promise<AnyEvent[]> => {
  const events = (await store.readAll({ after: 0n as never, limit: 100_000 })).map(decodeEvent);
  const letters = new Set(
    events.flatMap((one) =>
      one.type === 'LetterQueued' && accounts.includes(one.data.terms.accountId)
        ? [one.stream]
        : [],
    ),
  );
  const own = (event: AnyEvent): boolean =>
    letters.has(event.stream) ||
    accounts.some((id) => [`volume-contract-${id}`, `wallet-${id}-0`].includes(event.stream));
  return events.filter(own);
};

type Priced = Extract<AnyEvent, { type: 'LetterQueued' | 'LetterUpdated' }>;

/** The discount of a letter, as its last change left it. */
const discountIn = (events: AnyEvent[], stream: string) =>
  events.findLast(
    (one): one is Priced =>
      one.stream === stream && (one.type === 'LetterQueued' || one.type === 'LetterUpdated'),
  )?.data.terms.price.discount;

type Recounted = Map<string, { units: number; discountMicro: number }>;

/** Counts the log as the guide says it, period by period, from the beginning each time. */
const recount = (events: AnyEvent[]): { periods: Recounted; unitsOf: Map<string, string> } => {
  const created = events.filter((one) => one.type === 'VolumeContractCreated');
  const endOf = (contractId: string, number: number): bigint =>
    events.find(
      (one) =>
        one.type === 'VolumeContractPeriodEnded' &&
        one.data.contractId === contractId &&
        one.data.number === number,
    )?.position ?? 1n << 60n;
  const periods: Recounted = new Map();
  const unitsOf = new Map<string, string>();
  for (const { data, position } of created) {
    data.periods.forEach((_, n) => {
      periods.set(`${data.contractId}-${n + 1}`, { units: 0, discountMicro: 0 });
    });
    for (const queued of events) {
      if (queued.type !== 'LetterQueued' || queued.data.terms.accountId !== data.accountId)
        continue;
      const { at } = queued.metadata;
      if (queued.position < position || at < (data.periods[0]?.startsAt ?? '')) continue;
      const n = data.periods.findIndex(
        ({ endsAt }, index) => at < endsAt && queued.position < endOf(data.contractId, index + 1),
      );
      if (n < 0) continue;
      const positionOf = (...types: string[]): bigint =>
        events.find((one) => one.stream === queued.stream && types.includes(one.type))?.position ??
        1n << 61n;
      const gone = positionOf('LetterCancelled', 'LetterFailed');
      const end = endOf(data.contractId, n + 1);
      const letterId = letterIdIn(queued.stream);
      expect(unitsOf.has(letterId), 'a letter counts in one period').to.equal(false);
      const key = `${data.contractId}-${n + 1}`;
      unitsOf.set(letterId, key);
      const discount = discountIn(events, queued.stream);
      const period = periods.get(key) ?? { units: 0, discountMicro: 0 };
      if (gone > end && discount?.contractId === data.contractId)
        period.discountMicro += discount.amountCents * 10_000;
      const start = events.find(
        ({ stream, type }) => stream === queued.stream && type === 'LetterProcessingStarted',
      );
      const isClosed = end < 1n << 60n;
      if (start && start.position > end) {
        const m = data.periods.findIndex(
          ({ endsAt }, index) =>
            start.metadata.at < endsAt && start.position < endOf(data.contractId, index + 1),
        );
        const later = periods.get(`${data.contractId}-${m + 1}`);
        if (later && gone > endOf(data.contractId, m + 1)) later.units += 1;
      } else if (gone > end && (start || !isClosed)) period.units += 1;
    }
  }
  return { periods, unitsOf };
};

/** The counts of the read model. */
const countedIn = async (world: ContractWorld, accounts: string[]): Promise<Recounted> => {
  const rows = (await Promise.all(accounts.map(world.contractsOf))).flat();
  return new Map(
    rows.flatMap(({ contractId, doc }) =>
      doc.periods.map(({ number, units, discountMicro }) => [
        `${contractId}-${number}`,
        { units, discountMicro },
      ]),
    ),
  );
};

const settle = async (world: ContractWorld): Promise<void> => {
  do while (await world.project());
  while ((await world.closePeriods()) > 0);
};

/** The remaining charges for shortfalls, commission included, by period. */
const keptOf = (events: AnyEvent[]): Map<string, bigint> => {
  const kept = new Map<string, bigint>();
  for (const event of events) {
    if (event.type !== 'FundsCaptured' && event.type !== 'FundsRefunded') continue;
    const { purpose } = event.data;
    if (purpose.kind !== 'volume-contract') continue;
    const amount = sum(amountsIn(event.data));
    const before = kept.get(purpose.id) ?? 0n;
    kept.set(purpose.id, event.type === 'FundsCaptured' ? before + amount : before - amount);
  }
  return kept;
};

/** By period: discounts of letters that were cancelled or failed after its count was closed. */
const goneIn = (events: AnyEvent[], unitsOf: Map<string, string>): Map<string, bigint> => {
  const gone = new Map<string, bigint>();
  const ended = new Set<string>();
  const discounts = new Map<string, number>();
  for (const event of events) {
    if (event.type === 'VolumeContractPeriodEnded') {
      ended.add(`${event.data.contractId}-${event.data.number}`);
    }
    if (event.type === 'LetterQueued') {
      const discount = discountIn(events, event.stream);
      const period = unitsOf.get(letterIdIn(event.stream)) ?? '';
      const counts = discount && period.startsWith(`${discount.contractId}-`);
      discounts.set(event.stream, counts ? discount.amountCents * 10_000 : 0);
    }
    if (event.type !== 'LetterCancelled' && event.type !== 'LetterFailed') continue;
    const period = unitsOf.get(letterIdIn(event.stream)) ?? '';
    if (!ended.has(period)) continue;
    gone.set(period, (gone.get(period) ?? 0n) + BigInt(discounts.get(event.stream) ?? 0));
  }
  return gone;
};

/** The charges for shortfalls, by period; each once. */
const charged = (events: AnyEvent[]): Map<string, number> => {
  const amounts = new Map<string, number>();
  for (const event of events) {
    if (event.type !== 'FundsCaptured' || event.data.purpose.kind !== 'volume-contract') continue;
    const { id } = event.data.purpose;
    expect(amounts.has(id), `${id} is charged once`).to.equal(false);
    const { cryptoMicro, fiatMicro } = event.data;
    const commission = event.data.commissionCryptoMicro + event.data.commissionFiatMicro;
    amounts.set(id, cryptoMicro + fiatMicro - commission);
  }
  return amounts;
};

/** One round of a process whose appends are refused, or get no answer. */
const dyingRound = async (world: ContractWorld, random: () => number): Promise<void> => {
  const store = withAppend(world.store, async (next, ...call) => {
    const fate = random();
    if (fate < 0.3) throw new StoreUnavailable('it died before');
    const result = await next(...call);
    if (fate < 0.6) throw new StoreUnavailable('it died after');
    return result;
  });
  await world
    .process(0, store)
    .closePeriods()
    .catch((error: unknown) => {
      if (!(error instanceof StoreUnavailable)) throw error;
    });
};

/** Lives by chance: sends, changes, cancellations, failures, ends of periods; processes that die at any append. */
const live = async (
  world: ContractWorld,
  accounts: string[],
  { seed, steps }: { seed: number; steps: number },
): Promise<void> => {
  const random = seeded(seed);
  const below = (n: number): number => Math.floor(random() * n);
  const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T;
  const letters: string[] = [];
  const acts: [weight: number, act: () => Promise<unknown>][] = [
    [30, async () => letters.push(await world.send(pick(accounts)))],
    // A process whose clock is behind, or that was frozen between deciding and appending.
    [
      6,
      async () => letters.push(await world.send(pick(accounts), world.process(below(9 * dayMs)))),
    ],
    [20, () => (letters.length > 0 ? rejectionOf(world.print(pick(letters))) : Promise.resolve())],
    [6, () => (letters.length > 0 ? rejectionOf(world.cancel(pick(letters))) : Promise.resolve())],
    [3, () => (letters.length > 0 ? rejectionOf(world.fail(pick(letters))) : Promise.resolve())],
    [
      10,
      () =>
        letters.length > 0
          ? rejectionOf(world.change(pick(letters), below(300)))
          : Promise.resolve(),
    ],
    [5, () => rejectionOf(world.make(pick(accounts), { count: 1 + below(3) }))],
    [20, () => world.project(1 + below(20))],
    [12, () => dyingRound(world, random)],
    [6, () => Promise.all([world.closePeriods(), world.process().closePeriods()])],
    [12, async () => (world.time.now += below(5 * dayMs))],
  ];
  const weighted = acts.flatMap(([weight, act]) => Array.from({ length: weight }, () => act));
  for (let step = 0; step < steps; step++) await pick(weighted)();
};

/**
 * Periods end while letters change. A change is decided before time goes on, and stored after it: that takes less time than
 * the days of grace.
 */
const changeWhilePeriodsEnd = async (
  world: ContractWorld,
  accounts: string[],
  seed: number,
): Promise<void> => {
  const random = seeded(seed);
  const queued = (await eventsOf(world, accounts)).filter(({ type }) => type === 'LetterQueued');
  for (let day = 0; day < 140; day += 4) {
    let goingOn: Promise<void> | undefined;
    const goOn = async (): Promise<void> => {
      world.time.now += 4 * dayMs;
      await settle(world);
    };
    const meanwhile = () => (goingOn ??= goOn());
    const some = queued.filter(() => random() < 0.2);
    await Promise.all(
      some.map(({ stream }) =>
        rejectionOf(world.change(letterIdIn(stream), Math.floor(random() * 300), meanwhile)),
      ),
    );
    await meanwhile();
  }
};

/** Some letters are cancelled or fail although their periods are billed, while processes die. */
const regret = async (world: ContractWorld, accounts: string[], seed: number): Promise<void> => {
  const random = seeded(seed);
  for (const event of await eventsOf(world, accounts)) {
    if (event.type !== 'LetterQueued' || random() < 0.4) continue;
    const letterId = letterIdIn(event.stream);
    await rejectionOf(random() < 0.5 ? world.cancel(letterId) : world.fail(letterId));
    if (random() < 0.5) await world.project();
    if (random() < 0.5) await dyingRound(world, random);
    if (random() < 0.3)
      await Promise.allSettled([world.closePeriods(), world.process().closePeriods()]);
  }
};

describe('the units of volume contracts', function () {
  this.timeout(180_000);
  let world: ContractWorld;

  before(async () => {
    world = await openContractWorld();
    await world.rebuild();
  });
  after(() => world.close());

  for (const seed of [1, 2]) {
    it(`are what a recount of the log finds, whoever dies when, and so are the bills (seed ${seed})`, async () => {
      const accounts = await openAccounts(world);
      await live(world, accounts, { seed, steps: 200 });
      await changeWhilePeriodsEnd(world, accounts, seed);
      world.time.now += 400 * dayMs;
      await settle(world);
      await regret(world, accounts, seed);
      await settle(world);
      const events = await eventsOf(world, accounts);
      const { periods, unitsOf } = recount(events);
      expect(await countedIn(world, accounts)).to.deep.equal(periods);
      const bills = charged(events);
      const [kept, gone] = [keptOf(events), goneIn(events, unitsOf)];
      let outcomes = 0;
      let returned = 0;
      for (const event of events) {
        if (
          event.type !== 'VolumeContractPeriodFulfilled' &&
          event.type !== 'VolumeContractPeriodBreached'
        )
          continue;
        outcomes++;
        const id = `${event.data.contractId}-${event.data.number}`;
        const found = periods.get(id);
        expect(event.data.units, id).to.equal(found?.units);
        const due = event.type === 'VolumeContractPeriodBreached' ? (found?.discountMicro ?? 0) : 0;
        expect(bills.get(id) ?? 0, id).to.equal(due);
        const left = due > 0 ? BigInt(due) - (gone.get(id) ?? 0n) : 0n;
        if (left < due) returned++;
        expect(kept.get(id) ?? 0n, id).to.equal(left + commissionOn(left, 500n));
      }
      expect(outcomes, 'every period is settled').to.equal(periods.size);
      expect(bills.size).to.be.greaterThan(0);
      expect(returned, 'periods of which something was given back').to.be.greaterThan(0);
      const before = await Promise.all(accounts.map(world.contractsOf));
      await world.rebuild();
      expect(await Promise.all(accounts.map(world.contractsOf))).to.deep.equal(before);
    });
  }

  it('are of the period in which a letter was accepted, to the millisecond', async () => {
    const [account = ''] = await openAccounts(world);
    const { contract } = await world.make(account, { count: 2 });
    const end = Date.parse(contract.periods[0]?.endsAt ?? '');
    world.time.now = end - 1;
    const last = await world.send(account);
    world.time.now = end;
    const first = await world.send(account);
    for (const letterId of [last, first]) await world.print(letterId);
    await settle(world);
    const [row] = await world.contractsOf(account);
    expect(row?.doc.periods.map(({ units }) => units)).to.deep.equal([1, 1]);
  });

  it('are counted of the period that is open where the count of theirs was closed before', async () => {
    const [account = ''] = await openAccounts(world);
    const { contract } = await world.make(account, { count: 2 });
    const end = Date.parse(contract.periods[0]?.endsAt ?? '');
    world.time.now = end + 8 * dayMs;
    await settle(world);
    await world.send(account, world.process(9 * dayMs));
    await settle(world);
    const [row] = await world.contractsOf(account);
    expect(row?.doc.periods.map(({ units, state }) => [units, state])).to.deep.equal([
      [0, 'breached'],
      [1, 'open'],
    ]);
  });

  /** Closes the books of a wallet as versions did that left shortfalls behind. */
  const closeAsBefore = async (accountId: string): Promise<void> => {
    const { books } = walletAggregate;
    const before: typeof walletAggregate = {
      ...walletAggregate,
      books: {
        close: (_state, period) => [
          { type: 'WalletPeriodClosed', data: { nextPeriod: period + 1 } },
        ],
        nextLook: (_state, eventCount) => eventCount,
        successor: (state) => books?.successor({ ...state, reservations: packedReservations() }),
        isOpen: ({ status }) => status === 'open',
      },
    };
    await world.process().handler.handle(before, accountId, world.context(), (wallet) =>
      creditFunds(wallet, {
        type: 'CreditFunds',
        receipt: { method: 'operator', id: randomUUID() },
        bucket: 'fiat',
        amountMicro: 1n,
      }),
    );
  };

  for (const returnedBefore of [0, 1]) {
    it(`are given back where earlier books forgot the bill, after ${returnedBefore} that were given back before`, async () => {
      const [account = ''] = await openAccounts(world);
      const { contract } = await world.make(account);
      const ids: string[] = [];
      for (let n = 0; n < 4; n++) ids.push(await world.send(account));
      for (const letterId of ids) await world.print(letterId);
      world.time.now = Date.parse(contract.periods[0]?.endsAt ?? '') + 8 * dayMs;
      await settle(world);
      /** The rest of the bill, over all periods of the wallet, and the number of repayments. */
      const bill = async () => {
        const all = (await world.store.readAll({ after: 0n as never, limit: 100_000 })).map(
          decodeEvent,
        );
        const own = all.filter(({ stream }) => stream.startsWith(`wallet-${account}-`));
        const refunds = own.filter(({ type }) => type === 'FundsRefunded').length;
        return { left: [...keptOf(own).values()][0], refunds };
      };
      const billMicro = (await world.contractsOf(account))[0]?.doc.periods[0]?.billMicro ?? 0;
      expect(billMicro).to.be.greaterThan(0);
      expect((await bill()).left).to.equal(
        BigInt(billMicro) + commissionOn(BigInt(billMicro), 500n),
      );
      const gone = ids.splice(0, returnedBefore);
      for (const letterId of gone) await world.fail(letterId);
      await settle(world);
      await closeAsBefore(account);
      world.time.now += 90 * dayMs;
      let failed = returnedBefore;
      for (const letterId of ids) {
        await world.fail(letterId);
        failed += 1;
        // Two processes at once, one of which dies on the way.
        while (await world.project());
        await dyingRound(world, seeded(failed));
        await Promise.allSettled([world.closePeriods(), world.process().closePeriods()]);
        await settle(world);
        const kept = BigInt((billMicro * (4 - failed)) / 4);
        const left = kept + commissionOn(kept, 500n);
        expect(await bill()).to.deep.equal({ left, refunds: failed });
      }
      await closeAsBefore(account);
      await settle(world);
      expect(await bill()).to.deep.equal({ left: 0n, refunds: 4 });
    });
  }

  it('are only those that are printed before the count is closed; others are of the period that is open then', async () => {
    const [account = ''] = await openAccounts(world);
    const { contract } = await world.make(account, { count: 2 });
    const ids: string[] = [];
    for (let n = 0; n < 51; n++) ids.push(await world.send(account));
    const [printed = '', late = '', ...never] = ids;
    await world.print(printed);
    world.time.now = Date.parse(contract.periods[0]?.endsAt ?? '') + 8 * dayMs;
    await settle(world);
    await world.print(late);
    for (const letterId of never) await world.cancel(letterId);
    await settle(world);
    const [row] = await world.contractsOf(account);
    expect(row?.doc.periods.map(({ units, state }) => [units, state])).to.deep.equal([
      [1, 'breached'],
      [1, 'open'],
    ]);
  });

  it('are those, too, that were due for production while the service was away for two periods', async () => {
    const [account = ''] = await openAccounts(world);
    const { contract } = await world.make(account, { count: 3 });
    const letterId = await world.send(account);
    world.time.now = Date.parse(contract.periods[1]?.endsAt ?? '') + 8 * dayMs;
    world.overdue.any = true;
    await settle(world);
    const periods = async () => (await world.contractsOf(account))[0]?.doc.periods;
    expect((await periods())?.map(({ state }) => state)).to.deep.equal(['open', 'open', 'open']);
    await world.print(letterId);
    world.overdue.any = false;
    await settle(world);
    expect((await periods())?.map(({ units, state }) => [units, state])).to.deep.equal([
      [1, 'breached'],
      [0, 'breached'],
      [0, 'open'],
    ]);
  });

  describe('have a discount that was locked before their contract ended', () => {
    /** A contract with one letter, after its end. `sendLocked`: a letter that uses a price from before. */
    const endedContract = async () => {
      const [account = ''] = await openAccounts(world);
      const { contract } = await world.make(account);
      await world.print(await world.send(account));
      const locked = await world.discounts.of(account);
      world.time.now = Date.parse(contract.periods[0]?.endsAt ?? '') + hourMs;
      const sendLocked = () => world.send(account, world, randomUUID(), locked);
      const { contractId } = contract.terms;
      const row = async () =>
        (await world.contractsOf(account)).find((one) => one.contractId === contractId);
      const period = async () => (await row())?.doc.periods[0];
      return { account, contractId, sendLocked, row, period };
    };
    const ofOne = 50_000;

    it('and are billed with its last period, and given back when they fail', async () => {
      const { account, sendLocked, row, period } = await endedContract();
      const letters = [await sendLocked(), await sendLocked(), await sendLocked()];
      await world.print(letters[0] as string);
      await world.cancel(letters[1] as string);
      await settle(world);
      expect(await period()).to.include({ units: 1, discountMicro: 3 * ofOne });
      world.time.now += 8 * dayMs;
      await settle(world);
      expect(await period()).to.include({ state: 'breached', billMicro: 3 * ofOne });
      await world.fail(letters[0] as string);
      await settle(world);
      expect(await period()).to.include({ goneMicro: ofOne, returnedMicro: ofOne });
      await sendLocked();
      await settle(world);
      expect(await period()).to.include({ units: 1, discountMicro: 3 * ofOne });
      const before = [await row(), await world.contractsOf(account)];
      await world.rebuild();
      expect([await row(), await world.contractsOf(account)]).to.deep.equal(before);
    });

    it('and are units of the contract that follows, without its discount', async () => {
      const { account, sendLocked, period } = await endedContract();
      const { contract } = await world.make(account);
      const letterId = await sendLocked();
      await world.print(letterId);
      await settle(world);
      const next = async () =>
        (await world.contractsOf(account)).find(
          ({ contractId }) => contractId === contract.terms.contractId,
        )?.doc.periods[0];
      expect(await period()).to.include({ units: 1, discountMicro: 2 * ofOne });
      expect(await next()).to.include({ units: 1, discountMicro: 0 });
      await world.fail(letterId);
      await settle(world);
      expect(await period()).to.include({ units: 1, discountMicro: ofOne });
      expect(await next()).to.include({ units: 0, discountMicro: 0 });
    });

    it('and are not given back where an earlier version did not bill them', async () => {
      const { account, contractId, sendLocked, period } = await endedContract();
      const letters = [await sendLocked(), await sendLocked()];
      world.time.now += 8 * dayMs;
      const of = { contractId, number: 1 };
      const decide = (how: Parameters<typeof world.handler.handle>[3]) =>
        world.handler.handle(volumeContractAggregate, account, world.context(), how as never);
      await decide((it) =>
        endPeriod(it as never, { type: 'EndPeriod', ...of, now: world.clock() }),
      );
      // Between the end of the count and its outcome.
      await world.fail(letters[0] as string);
      const counted = { units: 1, discountMicro: BigInt(ofOne) };
      await decide((it) => settlePeriod(it as never, { type: 'SettlePeriod', ...of, ...counted }));
      await world.fail(letters[1] as string);
      await settle(world);
      const settled = { state: 'breached', discountMicro: ofOne, billMicro: ofOne };
      expect(await period()).to.include({ ...settled, goneMicro: 0 });
      expect(await period()).not.to.have.property('returnedMicro');
    });
  });

  it('give the discount of a larger tier only once they are printed', async () => {
    const [account = ''] = await openAccounts(world);
    await world.make(account);
    const ids: string[] = [];
    for (let n = 0; n < 251; n++) ids.push(await world.send(account));
    await settle(world);
    const basisPoints = async () => (await createDiscounts(world).of(account))?.basisPoints;
    expect(await basisPoints()).to.equal(1_000);
    for (const letterId of ids) await world.print(letterId);
    await settle(world);
    expect(await basisPoints()).to.equal(2_000);
  });

  it('show the tier of the letters that were printed, also once the count is closed', async () => {
    const [account = ''] = await openAccounts(world);
    const { contract } = await world.make(account);
    const ids: string[] = [];
    for (let n = 0; n < 256; n++) ids.push(await world.send(account));
    for (const letterId of ids.slice(0, 251)) await world.print(letterId);
    const shown = async () => {
      await settle(world);
      const [record] = await world.contractsOf(account);
      if (!record) throw new Error('there is no contract');
      return presentContract({
        record,
        personal: undefined,
        now: new Date(world.clock()).toISOString(),
      });
    };
    expect((await shown()).current_tier.discount).to.equal(0.2);
    world.time.now = Date.parse(contract.periods[0]?.endsAt ?? '') + 8 * dayMs;
    expect(await shown()).to.deep.include({
      state: 'fulfilled',
      units_used: 251,
      current_tier: { from: 251, to: 1_000, discount: 0.2 },
    });
  });

  it('give no discount when the contract ended before anybody asked for one', async () => {
    const [account = ''] = await openAccounts(world);
    await world.make(account, { test: true });
    expect(await world.discounts.of(account)).to.include({ basisPoints: 1_000 });
    await world.handler.handle(volumeContractAggregate, account, world.context(), (contracts) => {
      const contractId = contracts.contracts[0]?.terms.contractId ?? '';
      return endPeriod(contracts, { type: 'EndPeriod', contractId, number: 1, now: 'whenever' });
    });
    await settle(world);
    await until(async () => (await world.discounts.of(account)) === undefined);
    expect(await createDiscounts(world).of(account)).to.equal(undefined);
  });

  it('are exact while 64 callers send for one account, and none of them waits for a count', async () => {
    const [account = ''] = await openAccounts(world);
    await world.make(account, { committedUnits: 300 });
    const before = (await eventsOf(world, [account])).length;
    const wanted = 640;
    const callers = Array.from({ length: 64 }, async () => {
      for (let n = 0; n < wanted / 64; n++) await world.send(account);
    });
    let sending = true;
    const counting = (async () => {
      while (sending) await world.project();
    })();
    await Promise.all(callers);
    sending = false;
    await counting;
    await settle(world);
    const [row] = await world.contractsOf(account);
    expect(row?.doc.periods[0]?.units).to.equal(wanted);
    expect((await eventsOf(world, [account])).length - before, 'a letter is one event').to.equal(
      wanted,
    );
    const { basisPoints } = (await world.discounts.of(account)) ?? {};
    expect(basisPoints).to.equal(2_000);
  });
});
