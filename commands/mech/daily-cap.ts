/**
 * Requests that the mech took on a day. The stream itself decides, so that the cap holds across processes.
 */

import { type MechDayEvent, mechDayStream } from '../../events/mech.ts';
import { dayMs } from '../../ground/day.ts';
import { type PersistentMap, persistentMap } from '../../ground/persistent-map.ts';
import { limitError } from '../../limits/limit-error.ts';
import type { Aggregate } from '../handling/aggregate.ts';
import type { Claim } from './request.ts';

/** Letters of a day, and what all of its requests cost, in wei. */
export type MechCaps = { letters: number; wei: bigint };

type MechDay = { counted: PersistentMap<string, MechCaps>; sum: MechCaps };

export const initialState = (): MechDay => ({
  counted: persistentMap(),
  sum: { letters: 0, wei: 0n },
});

const add = (a: MechCaps, b: MechCaps, sign: 1 | -1): MechCaps => ({
  letters: a.letters + sign * b.letters,
  wei: a.wei + BigInt(sign) * b.wei,
});

export const evolve = (state: MechDay, event: MechDayEvent): MechDay => {
  const { requestKey } = event.data;
  if (event.type === 'MechRequestCounted') {
    const one = { letters: event.data.letters, wei: BigInt(event.data.priceWei) };
    return { counted: state.counted.with(requestKey, one), sum: add(state.sum, one, 1) };
  }
  const one = state.counted.get(requestKey) ?? { letters: 0, wei: 0n };
  return { counted: state.counted.without(requestKey), sum: add(state.sum, one, -1) };
};

const secondsLeft = (day: string, nowMs: number): number =>
  Math.max(1, Math.ceil((Date.parse(`${day}T00:00:00Z`) + dayMs - nowMs) / 1_000));

/** Counts it once. @throws AppError mech_cap_reached */
export const countRequest = (
  state: MechDay,
  { requestKey, accountId, test, action, priceWei, day }: Claim,
  { caps, nowMs }: { caps: MechCaps; nowMs: number },
): MechDayEvent[] => {
  if (state.counted.has(requestKey)) return [];
  const letters = action === 'send' ? 1 : 0;
  const after = add(state.sum, { letters, wei: BigInt(priceWei) }, 1);
  if (after.letters > caps.letters || after.wei > caps.wei) {
    const seconds = secondsLeft(day, nowMs);
    throw limitError(
      'mechLettersPerDay',
      `The mech has reached its limit for these requests today. You were not charged. Repeat the request in ${seconds} s.`,
      { headers: { 'Retry-After': String(seconds) } },
    );
  }
  const data = { requestKey, accountId, test, day, letters, priceWei };
  return [{ type: 'MechRequestCounted', data }];
};

export const uncountRequest = (
  state: MechDay,
  { requestKey, accountId, test, day }: Claim,
): MechDayEvent[] =>
  state.counted.has(requestKey)
    ? [{ type: 'MechRequestUncounted', data: { requestKey, accountId, test, day } }]
    : [];

export const mechDayAggregate: Aggregate<MechDay, MechDayEvent> = {
  stream: mechDayStream,
  initialState,
  evolve,
  // An estimate: each request takes 300 bytes with its key.
  cachedBytes: ({ counted }) => 500 + 300 * counted.size,
};
