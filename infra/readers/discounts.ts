/**
 * Current discounts of accounts by their volume contracts. Kept in memory, since every letter asks for them.
 * Changes are read for all accounts at once, now and then. A contract that this process made counts at once.
 */
import type { VolumeContract } from '../../commands/negotiation/volume-contract.ts';
import type { ContractTerms } from '../../events/volume-contract.ts';
import { createBoundedMap } from '../../ground/bounded-map.ts';
import type { Clock } from '../../ground/clock.ts';
import { toTimestamp } from '../../ground/clock.ts';
import type { Db } from '../../ground/db.ts';
import { createFreshness } from '../../ground/freshness.ts';
import { singleFlightByKey } from '../../ground/single-flight.ts';
import type { Discount, DiscountOf } from '../../money/discount.ts';
import { tierOf } from '../../money/volume-tiers.ts';
import {
  activeContracts,
  contractsChangedAfter,
  contractsIn,
  lastContractChange,
  type PeriodDoc,
  periodAt,
  printedUnits,
} from '../../projections/contracts/query.ts';

/** A contract or a count of another process takes effect here after at most this long. */
const refreshMs = 400;
const maxKnown = 50_000;

type Counted = {
  terms: ContractTerms;
  periods: Pick<PeriodDoc, 'startsAt' | 'endsAt' | 'state' | 'units' | 'waiting'>[];
};

export type Discounts = {
  of: DiscountOf;
  /** A contract that was made in this process. */
  made(contract: VolumeContract): void;
  /** A period whose count this process closed before its time, as test contracts allow. */
  ended(contractId: string, number: number): void;
};

/** @param closed how many of its periods are closed, the first ones */
const withClosed = ({ periods }: Counted, closed: number): Counted['periods'] =>
  closed === 0
    ? periods
    : periods.map((period, n) => (n < closed ? { ...period, state: 'ended' as const } : period));

/** By the contract whose period it is. @param closed by contract: as above */
const discountAt = (
  contracts: Counted[],
  closed: { get(contractId: string): number | undefined },
  now: string,
): Discount | undefined => {
  for (const contract of contracts) {
    const { terms } = contract;
    const period = periodAt(withClosed(contract, closed.get(terms.contractId) ?? 0), now);
    if (!period) continue;
    const { contractId, committedUnits } = terms;
    const { basisPoints } = tierOf(terms.tiers, { committedUnits, units: printedUnits(period) });
    return { contractId, basisPoints };
  }
  return undefined;
};

export const createDiscounts = ({ db, clock }: { db: Db; clock: Clock }): Discounts => {
  const known = createBoundedMap<string, Counted[]>(maxKnown);
  /** Made here, until the read model has them. */
  const fresh = new Map<string, Counted>();
  /** Contracts with periods that were closed here, which the read model may not have yet, and how many. */
  const closed = createBoundedMap<string, number>(maxKnown);
  let seen: bigint | undefined;
  /** Changes when something is forgotten: an earlier read may be older. */
  let generation = 0;

  const cached = createFreshness(async () => {
    if (seen === undefined) {
      seen = await lastContractChange(db);
      return;
    }
    const { accountIds, position } = await contractsChangedAfter(db, seen);
    for (const id of accountIds) known.delete(id);
    if (accountIds.length > 0) generation++;
    seen = position;
  }, refreshMs);

  /**
   * Contracts of an account that were made here and have no row yet. A contract with a row counts by its
   * row alone, also when it ended before it was ever looked up: it is asked for before the active rows are.
   */
  const unreadOf = async (accountId: string): Promise<Counted[]> => {
    const own = [...fresh.values()].filter(({ terms }) => terms.accountId === accountId);
    if (own.length === 0) return own;
    const read = await contractsIn(
      db,
      own.map(({ terms }) => terms.contractId),
    );
    for (const id of read) fresh.delete(id);
    return own.filter(({ terms }) => !read.has(terms.contractId));
  };

  const share = singleFlightByKey<string, Counted[]>();

  const read = async (accountId: string): Promise<Counted[]> => {
    const before = generation;
    const unread = await unreadOf(accountId);
    const rows = await activeContracts(db, accountId);
    const contracts = rows.map(({ doc }): Counted => doc);
    const ids = new Set(contracts.map(({ terms }) => terms.contractId));
    const all = [...contracts, ...unread.filter(({ terms }) => !ids.has(terms.contractId))];
    if (before === generation) known.set(accountId, all);
    return all;
  };

  return {
    async of(accountId) {
      await cached.assert();
      // The generation keeps later callers from sharing a read that began before a change.
      const readNow = () => share(`${accountId} ${generation}`, () => read(accountId));
      const contracts = known.get(accountId) ?? (await readNow());
      return contracts.length === 0
        ? undefined
        : discountAt(contracts, closed, toTimestamp(clock()));
    },
    made({ terms, periods }) {
      const counted = periods.map(({ startsAt, endsAt }) => ({
        startsAt,
        endsAt,
        units: 0,
        state: 'open' as const,
      }));
      fresh.set(terms.contractId, { terms, periods: counted });
      known.delete(terms.accountId);
      generation++;
    },
    ended: (contractId, number) => closed.set(contractId, number),
  };
};
