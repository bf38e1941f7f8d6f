/**
 * Lists refunds and disputes at the card provider, so that one whose notification was missed, or came between a
 * backup and the restore from it, is taken out of the wallet too.
 */
import { disputeDays, type Reversal } from '../../commands/payments/reversals.ts';
import type { Clock } from '../../ground/clock.ts';
import { assertNoneFailed, settleEach } from './sweep-top-ups.ts';

const dayMs = 86_400_000;

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
  /** @throws RailUnavailable; Error for those that could not be settled, after the others were */
  return async (): Promise<void> => {
    const reversed = await reversedSince(clock() - disputeDays * dayMs);
    const failed = await settleEach(reversed.keys(), async (topUpId) => {
      if (!(await isBooked(topUpId, reversed.get(topUpId) ?? []))) await follow(topUpId);
    });
    assertNoneFailed(failed);
  };
};
