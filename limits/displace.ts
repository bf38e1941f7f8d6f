/** Which caller gives up its place in a full queue. */
import type { Turn } from './turn.ts';
import { partyOf } from './turn.ts';
import { accountOf, type Group, groupOf, type Waiter, weights } from './turn-groups.ts';

const countOf = <T>(list: readonly T[], is: (one: T) => boolean): number => list.filter(is).length;

const share = (waiting: number, { standing }: Group<unknown>): number =>
  waiting / weights[standing];

const fullest = <S>(groups: readonly Group<S>[]): Group<S> =>
  groups.reduce((most, group) =>
    share(group.waiting, group) > share(most.waiting, most) ? group : most,
  );

/** The newest waiter of the party, and in it of the account, that has most of them. */
const newestOfGreediest = <S>(group: Group<S>): Waiter<S> | undefined => {
  const [party] = [...group.parties.values()].sort((a, b) => b.waiting.length - a.waiting.length);
  const { waiting = [] } = party ?? {};
  const mostOf = (one: Waiter<S>): number =>
    countOf(waiting, (other) => accountOf(other) === accountOf(one));
  return waiting.reduce<Waiter<S> | undefined>(
    (most, one) => (most === undefined || mostOf(one) >= mostOf(most) ? one : most),
    undefined,
  );
};

/** Within one standing, only a party or an account that waits more often than the newcomer gives way. */
const displacedWithin = <S>(group: Group<S>, turn: Turn): Waiter<S> | undefined => {
  const candidate = newestOfGreediest(group);
  if (candidate === undefined) return undefined;
  const waiting = group.parties.get(partyOf(turn))?.waiting ?? [];
  const theirs = group.parties.get(partyOf(candidate.turn))?.waiting ?? [];
  if (theirs.length > waiting.length + 1) return candidate;
  if (theirs !== waiting) return undefined;
  const has = (account: string): number => countOf(waiting, (one) => accountOf(one) === account);
  return has(accountOf(candidate)) > has(accountOf({ turn })) + 1 ? candidate : undefined;
};

/** The waiter that gives up its place for a newcomer; undefined: the newcomer has no better claim. */
export const displacedBy = <S>(groups: readonly Group<S>[], turn: Turn): Waiter<S> | undefined => {
  const own = groupOf(groups, turn);
  const group = fullest(groups);
  const isOverfull = share(group.waiting, group) > share(own.waiting + 1, own);
  return group !== own && isOverfull ? newestOfGreediest(group) : displacedWithin(own, turn);
};
