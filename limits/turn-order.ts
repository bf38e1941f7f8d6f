/** Decides whose turn it is among those that wait for a slot, and who gives up a place in a full queue. */
import type { AppError } from '../contract/errors.ts';
import { partyOf, type Standing, type Turn } from './turn.ts';

export type Waiter<S> = {
  turn: Turn;
  brief: boolean;
  grant(slot: S): void;
  refuse(error: AppError): void;
};

export type TurnOrder<S> = {
  join(waiter: Waiter<S>): void;
  leave(waiter: Waiter<S>): void;
  /** Removes the waiter whose turn it is and counts it as running. */
  takeNext(): Waiter<S> | undefined;
  /** Whether a caller may have one more slot, if one is free. */
  mayStart(turn: Turn, brief: boolean): boolean;
  /** @param ms how long it ran */
  ended(turn: Turn, brief: boolean, ms: number): void;
  /** The waiter that gives up its place for a newcomer; undefined: the newcomer has no better claim. */
  displacedBy(turn: Turn): Waiter<S> | undefined;
  waiting(): number;
  all(): Waiter<S>[];
};

/** CHOICE: how much of the time each standing gets while all of them wait. */
export const weights: Record<Standing, number> = { service: 4, funded: 4, confirmed: 2, free: 1 };

/** What a turn costs its standing at least, so that brief work takes turns, too. */
const leastMs = 20;

/** Of one address that is busy all the time. */
const rememberedAccounts = 1_000;

type Running = { all: number; long: number };
type Party<S> = { waiting: Waiter<S>[]; running: Running; lastTurnOf: Map<string, number> };
type Group<S> = {
  standing: Standing;
  /** In the order of their last turn. */
  parties: Map<string, Party<S>>;
  running: Running;
  waiting: number;
  /** Weighted time that it has used (start-time fair queueing). */
  used: number;
};

const accountOf = ({ turn }: { turn: Turn }): string => turn.account ?? '';

const countOf = <T>(list: readonly T[], is: (one: T) => boolean): number => list.filter(is).length;

export const createTurnOrder = <S>(options: {
  slots: number;
  briefSlots: number;
  isIndebted: (turn: Turn) => boolean;
}): TurnOrder<S> => {
  const { slots, briefSlots, isIndebted } = options;
  const longSlots = slots - briefSlots;
  const groups: Group<S>[] = (['service', 'funded', 'confirmed', 'free'] as const).map(
    (standing) => ({
      standing,
      parties: new Map(),
      running: { all: 0, long: 0 },
      waiting: 0,
      used: 0,
    }),
  );
  let longRunning = 0;
  let turns = 0;
  /** Weighted time at which the last turn was given: where a standing that was away begins. */
  let virtualTime = 0;

  const groupOf = ({ standing }: Turn): Group<S> =>
    groups.find((group) => group.standing === standing) as Group<S>;

  const partyIn = (group: Group<S>, turn: Turn): Party<S> => {
    const key = partyOf(turn);
    const known = group.parties.get(key);
    if (known) return known;
    const fresh: Party<S> = { waiting: [], running: { all: 0, long: 0 }, lastTurnOf: new Map() };
    group.parties.set(key, fresh);
    return fresh;
  };

  const tidy = (group: Group<S>, turn: Turn): void => {
    const party = group.parties.get(partyOf(turn));
    if (party?.running.all === 0 && party.waiting.length === 0) group.parties.delete(partyOf(turn));
  };

  /** Leaves slots to others, of those for long work as many. */
  const leaves = (left: number, { all, long }: Running, brief: boolean): boolean =>
    all < Math.max(1, slots - left) && (brief || long < Math.max(1, longSlots - left));

  const mayStartIn = (group: Group<S>, running: Running | undefined, brief: boolean): boolean => {
    if (!brief && longRunning >= longSlots) return false;
    if (group.standing === 'service') return true;
    if (group.standing !== 'free') return running === undefined || leaves(1, running, brief);
    // One address leaves a slot to the next, and all of them leave one to those who pay.
    const own = running ?? { all: 0, long: 0 };
    return leaves(1, group.running, brief) && leaves(2, own, brief);
  };

  /** The waiter of a party whose account had its turn longest ago, of those that may run. */
  const firstOf = (group: Group<S>, party: Party<S>): Waiter<S> | undefined => {
    let first: Waiter<S> | undefined;
    let least = Number.POSITIVE_INFINITY;
    for (const waiter of party.waiting) {
      const last = party.lastTurnOf.get(accountOf(waiter)) ?? 0;
      if (last >= least || !mayStartIn(group, party.running, waiter.brief)) continue;
      [first, least] = [waiter, last];
    }
    return first;
  };

  /** The least busy party comes first, then the one whose turn is longest ago. Callers in debt come last. */
  const nextIn = (group: Group<S>): Waiter<S> | undefined => {
    let chosen: Waiter<S> | undefined;
    let least = Number.POSITIVE_INFINITY;
    for (const party of group.parties.values()) {
      const first = firstOf(group, party);
      if (first === undefined) continue;
      const rank = party.running.all + (isIndebted(first.turn) ? slots : 0);
      if (rank < least) [chosen, least] = [first, rank];
    }
    return chosen;
  };

  const remove = (group: Group<S>, waiter: Waiter<S>): boolean => {
    const { waiting } = partyIn(group, waiter.turn);
    const at = waiting.indexOf(waiter);
    if (at >= 0) waiting.splice(at, 1);
    if (at >= 0) group.waiting--;
    return at >= 0;
  };

  const begin = (group: Group<S>, { turn, brief }: Waiter<S>): void => {
    const party = partyIn(group, turn);
    for (const running of [party.running, group.running]) {
      running.all++;
      if (!brief) running.long++;
    }
    if (!brief) longRunning++;
    if (party.lastTurnOf.size >= rememberedAccounts) party.lastTurnOf.clear();
    party.lastTurnOf.set(turn.account ?? '', ++turns);
    group.parties.delete(partyOf(turn));
    group.parties.set(partyOf(turn), party);
    group.used = Math.max(group.used, virtualTime);
    virtualTime = group.used;
    group.used += leastMs / weights[group.standing];
  };

  const fullest = (): Group<S> =>
    groups.reduce((most, group) =>
      group.waiting / weights[group.standing] > most.waiting / weights[most.standing]
        ? group
        : most,
    );

  /** The newest waiter of the party, and in it of the account, that has most of them. */
  const newestOfGreediest = (group: Group<S>): Waiter<S> | undefined => {
    const [party] = [...group.parties.values()].sort((a, b) => b.waiting.length - a.waiting.length);
    const { waiting = [] } = party ?? {};
    const mostOf = (one: Waiter<S>): number =>
      countOf(waiting, (other) => accountOf(other) === accountOf(one));
    return waiting.reduce<Waiter<S> | undefined>(
      (most, one) => (most === undefined || mostOf(one) >= mostOf(most) ? one : most),
      undefined,
    );
  };

  return {
    join(waiter) {
      const group = groupOf(waiter.turn);
      partyIn(group, waiter.turn).waiting.push(waiter);
      group.waiting++;
    },
    leave(waiter) {
      const group = groupOf(waiter.turn);
      remove(group, waiter);
      tidy(group, waiter.turn);
    },
    takeNext() {
      let next: { group: Group<S>; waiter: Waiter<S>; from: number } | undefined;
      for (const group of groups) {
        const waiter = group.waiting === 0 ? undefined : nextIn(group);
        const from = Math.max(group.used, virtualTime);
        if (waiter && (next === undefined || from < next.from)) next = { group, waiter, from };
      }
      if (next === undefined) return undefined;
      remove(next.group, next.waiter);
      begin(next.group, next.waiter);
      return next.waiter;
    },
    mayStart(turn, brief) {
      const group = groupOf(turn);
      return mayStartIn(group, group.parties.get(partyOf(turn))?.running, brief);
    },
    ended(turn, brief, ms) {
      const group = groupOf(turn);
      const party = partyIn(group, turn);
      for (const running of [party.running, group.running]) {
        running.all--;
        if (!brief) running.long--;
      }
      if (!brief) longRunning--;
      group.used += Math.max(0, ms - leastMs) / weights[group.standing];
      tidy(group, turn);
    },
    displacedBy(turn) {
      const own = groupOf(turn);
      const group = fullest();
      const claim = (own.waiting + 1) / weights[own.standing];
      if (group !== own && group.waiting / weights[group.standing] > claim) {
        return newestOfGreediest(group);
      }
      const candidate = newestOfGreediest(own);
      if (candidate === undefined) return undefined;
      const waiting = own.parties.get(partyOf(turn))?.waiting ?? [];
      const theirs = own.parties.get(partyOf(candidate.turn))?.waiting ?? [];
      if (theirs.length > waiting.length + 1) return candidate;
      if (theirs !== waiting) return undefined;
      const has = (account: string): number =>
        countOf(waiting, (one) => accountOf(one) === account);
      return has(accountOf(candidate)) > has(accountOf({ turn })) + 1 ? candidate : undefined;
    },
    waiting: () => groups.reduce((sum, { waiting }) => sum + waiting, 0),
    all: () =>
      groups.flatMap(({ parties }) => [...parties.values()].flatMap(({ waiting }) => waiting)),
  };
};
