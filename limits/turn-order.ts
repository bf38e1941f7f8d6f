/** Decides whose turn it is among those that wait for a slot, and who gives up a place in a full queue. */
import { type Choice, chooseNext } from './choose-next.ts';
import { displacedBy } from './displace.ts';
import { mayStartIn } from './may-start.ts';
import { partyOf, type Turn } from './turn.ts';
import {
  accountOf,
  addWaiter,
  countRunning,
  emptyGroups,
  forgetIdleParty,
  type Group,
  groupOf,
  moveToEnd,
  partyIn,
  removeWaiter,
  type Waiter,
  weights,
} from './turn-groups.ts';

export type { Waiter } from './turn-groups.ts';

type TurnOrder<S> = {
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

/** The least that a turn costs its standing, so that brief work takes turns, too. */
const leastMs = 20;

/** Of one address that is busy all the time. */
const rememberedAccounts = 1_000;

export const createTurnOrder = <S>(options: {
  slots: number;
  briefSlots: number;
  isIndebted: (turn: Turn) => boolean;
}): TurnOrder<S> => {
  const groups = emptyGroups<S>();
  let longRunning = 0;
  let turns = 0;
  let virtualTime = 0;

  const choice: Choice<S> = {
    mayStart: (group, { running }, brief) =>
      mayStartIn(group, running, { brief, longRunning }, options),
    isIndebted: ({ turn }) => options.isIndebted(turn),
  };

  const begin = (group: Group<S>, waiter: Waiter<S>): void => {
    const { lastTurnOf } = partyIn(group, waiter.turn);
    countRunning(group, waiter, 1);
    if (!waiter.brief) longRunning++;
    if (lastTurnOf.size >= rememberedAccounts) lastTurnOf.clear();
    lastTurnOf.set(accountOf(waiter), ++turns);
    moveToEnd(group, waiter.turn);
    virtualTime = Math.max(group.used, virtualTime);
    group.used = virtualTime + leastMs / weights[group.standing];
  };

  return {
    join: (waiter) => addWaiter(groupOf(groups, waiter.turn), waiter),
    leave(waiter) {
      const group = groupOf(groups, waiter.turn);
      removeWaiter(group, waiter);
      forgetIdleParty(group, waiter.turn);
    },
    takeNext() {
      const next = chooseNext(groups, virtualTime, choice);
      if (next === undefined) return undefined;
      removeWaiter(next.group, next.waiter);
      begin(next.group, next.waiter);
      return next.waiter;
    },
    mayStart(turn, brief) {
      const group = groupOf(groups, turn);
      const { running } = group.parties.get(partyOf(turn)) ?? {};
      return mayStartIn(group, running, { brief, longRunning }, options);
    },
    ended(turn, brief, ms) {
      const group = groupOf(groups, turn);
      countRunning(group, { turn, brief }, -1);
      if (!brief) longRunning--;
      group.used += Math.max(0, ms - leastMs) / weights[group.standing];
      forgetIdleParty(group, turn);
    },
    displacedBy: (turn) => displacedBy(groups, turn),
    waiting: () => groups.reduce((sum, { waiting }) => sum + waiting, 0),
    all: () =>
      groups.flatMap(({ parties }) => [...parties.values()].flatMap(({ waiting }) => waiting)),
  };
};
