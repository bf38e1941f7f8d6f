/** Chooses which waiting caller gets the next turn. */
import { accountOf, type Group, type Party, type Waiter } from './turn-groups.ts';

export type Choice<S> = {
  /** Whether a waiter of the party may have one more slot. */
  mayStart(group: Group<S>, party: Party<S>, brief: boolean): boolean;
  /** Callers in debt come after all others of their standing. */
  isIndebted(waiter: Waiter<S>): boolean;
};

/** The waiter of a party whose account had its turn longest ago, of those that may run. */
const firstOf = <S>(
  group: Group<S>,
  party: Party<S>,
  { mayStart }: Choice<S>,
): Waiter<S> | undefined => {
  let first: Waiter<S> | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const waiter of party.waiting) {
    const last = party.lastTurnOf.get(accountOf(waiter)) ?? 0;
    if (last >= least || !mayStart(group, party, waiter.brief)) continue;
    [first, least] = [waiter, last];
  }
  return first;
};

/** The least busy party comes first, then the one whose turn is longest ago; callers in debt come last. */
const nextIn = <S>(group: Group<S>, choice: Choice<S>): Waiter<S> | undefined => {
  let chosen: Waiter<S> | undefined;
  let least = { isIndebted: true, running: Number.POSITIVE_INFINITY };
  for (const party of group.parties.values()) {
    const first = firstOf(group, party, choice);
    if (first === undefined) continue;
    const rank = { isIndebted: choice.isIndebted(first), running: party.running.all };
    const isBefore =
      rank.isIndebted === least.isIndebted ? rank.running < least.running : least.isIndebted;
    if (isBefore) [chosen, least] = [first, rank];
  }
  return chosen;
};

/**
 * The waiter whose turn it is: of the standing that used the least weighted time.
 * @param virtualTime weighted time of the last turn, at which a standing that was away begins
 */
export const chooseNext = <S>(
  groups: readonly Group<S>[],
  virtualTime: number,
  choice: Choice<S>,
): { group: Group<S>; waiter: Waiter<S> } | undefined => {
  let next: { group: Group<S>; waiter: Waiter<S>; from: number } | undefined;
  for (const group of groups) {
    const waiter = group.waiting === 0 ? undefined : nextIn(group, choice);
    const from = Math.max(group.used, virtualTime);
    if (waiter && (next === undefined || from < next.from)) next = { group, waiter, from };
  }
  return next;
};
