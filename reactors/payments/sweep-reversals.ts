/**
 * Lists refunds and disputes at the card provider, so that one whose notification was missed, or came between a
 * backup and the restore from it, is taken out of the wallet too.
 */

import { disputeDays, type Reversal } from '../../commands/payments/reversals.ts';
import type { Clock } from '../../ground/clock.ts';
import { dayMs } from '../../ground/day.ts';
import { assertNoneFailed, settleEach } from './sweep-top-ups.ts';

/**
 * How often everything is listed, because an older dispute may be won or lost and an older refund may fail. In between,
 * only new refunds and disputes are listed.
 */
const everythingMs = 6 * 3_600_000;
/** How far a listing overlaps the one before it, because clocks differ. */
const overlapMs = 3_600_000;

export const createSweepReversals = (ports: {
  clock: Clock;
  /** By the id of the top-up or order, which may be one of another system. */
  reversedSince: (sinceMs: number) => Promise<Map<string, Reversal[]>>;
  /** Whether all of them are in the books. */
  isBooked: (topUpId: string, reversals: readonly Reversal[]) => Promise<boolean>;
  /** Safe to repeat. */
  follow: (topUpId: string) => Promise<void>;
}) => {
  const { clock, reversedSince, isBooked, follow } = ports;
  /** Listed, but not settled yet. */
  const open = new Map<string, readonly Reversal[]>();
  let last: { atMs: number; everythingAtMs: number } | undefined;

  const look = async (): Promise<void> => {
    const now = clock();
    const recent = last && now - last.everythingAtMs < everythingMs ? last : undefined;
    const sinceMs = recent ? recent.atMs - overlapMs : now - disputeDays * dayMs;
    const reversed = await reversedSince(sinceMs);
    last = { atMs: now, everythingAtMs: recent?.everythingAtMs ?? now };
    for (const [topUpId, reversals] of reversed) {
      const before = recent ? (open.get(topUpId) ?? []) : [];
      open.set(topUpId, [...before, ...reversals]);
    }
  };

  /** @throws RailUnavailable; Error for those that could not be settled, after the others were */
  return async (): Promise<void> => {
    await look();
    const failed = await settleEach([...open.keys()], async (topUpId) => {
      if (!(await isBooked(topUpId, open.get(topUpId) ?? []))) await follow(topUpId);
      open.delete(topUpId);
    });
    assertNoneFailed(failed);
  };
};
