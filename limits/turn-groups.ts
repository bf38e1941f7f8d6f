/** The callers that wait for a slot or run on one: by standing, and within a standing by party. */
import type { AppError } from '../contract/errors.ts';
import { partyOf, type Standing, type Turn } from './turn.ts';

export type Waiter<S> = {
  turn: Turn;
  brief: boolean;
  grant(slot: S): void;
  refuse(error: AppError): void;
};

/** How many slots are in use: `long` of them by work that is not brief. */
export type Running = { all: number; long: number };

export type Party<S> = {
  waiting: Waiter<S>[];
  running: Running;
  /** By account, as a number that grows with every turn. */
  lastTurnOf: Map<string, number>;
};

export type Group<S> = {
  standing: Standing;
  /** In the order of their last turn. */
  parties: Map<string, Party<S>>;
  running: Running;
  waiting: number;
  /** Weighted time that it has used (start-time fair queueing). */
  used: number;
};

/** CHOICE: how much of the time each standing gets while all of them wait. */
export const weights: Record<Standing, number> = { service: 4, funded: 4, confirmed: 2, free: 1 };

const standings = ['service', 'funded', 'confirmed', 'free'] as const;

export const emptyGroups = <S>(): Group<S>[] =>
  standings.map((standing) => ({
    standing,
    parties: new Map(),
    running: { all: 0, long: 0 },
    waiting: 0,
    used: 0,
  }));

export const accountOf = ({ turn }: { turn: Turn }): string => turn.account ?? '';

export const groupOf = <S>(groups: readonly Group<S>[], { standing }: Turn): Group<S> =>
  groups.find((group) => group.standing === standing) as Group<S>;

/** The party of a turn; a new one if it is unknown. */
export const partyIn = <S>(group: Group<S>, turn: Turn): Party<S> => {
  const key = partyOf(turn);
  const known = group.parties.get(key);
  if (known) return known;
  const fresh: Party<S> = { waiting: [], running: { all: 0, long: 0 }, lastTurnOf: new Map() };
  group.parties.set(key, fresh);
  return fresh;
};

/** Forgets a party that neither waits nor runs. */
export const forgetIdleParty = <S>(group: Group<S>, turn: Turn): void => {
  const party = group.parties.get(partyOf(turn));
  if (party?.running.all === 0 && party.waiting.length === 0) group.parties.delete(partyOf(turn));
};

/** Puts a party behind all others of its standing. */
export const moveToEnd = <S>(group: Group<S>, turn: Turn): void => {
  const party = partyIn(group, turn);
  group.parties.delete(partyOf(turn));
  group.parties.set(partyOf(turn), party);
};

export const addWaiter = <S>(group: Group<S>, waiter: Waiter<S>): void => {
  partyIn(group, waiter.turn).waiting.push(waiter);
  group.waiting++;
};

export const removeWaiter = <S>(group: Group<S>, waiter: Waiter<S>): void => {
  const { waiting } = partyIn(group, waiter.turn);
  const at = waiting.indexOf(waiter);
  if (at < 0) return;
  waiting.splice(at, 1);
  group.waiting--;
};

/** @param by 1 where work begins, -1 where it ends */
export const countRunning = <S>(
  group: Group<S>,
  { turn, brief }: Pick<Waiter<S>, 'turn' | 'brief'>,
  by: 1 | -1,
): void => {
  for (const running of [partyIn(group, turn).running, group.running]) {
    running.all += by;
    if (!brief) running.long += by;
  }
};
