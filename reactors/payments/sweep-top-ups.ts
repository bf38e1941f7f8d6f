/**
 * Asks about pending top-ups, so that events during an interruption are not missed: some at a time, each in
 * its turn, even the oldest. A top-up that cannot be settled holds up no other.
 */
import { RailUnavailable } from '../../commands/payments/rails.ts';
import { messageOf } from '../../ground/message-of.ts';

const atOnce = 200;

export const createSweepTopUps = (ports: {
  /** Those after an id, in the order of ids. */
  waitedFor: (after: string | undefined, limit: number) => Promise<string[]>;
  settle: (topUpId: string) => Promise<void>;
}) => {
  const { waitedFor, settle } = ports;
  let after: string | undefined;
  /** @throws RailUnavailable; Error for those that could not be settled, after the others were */
  return async (): Promise<void> => {
    const ids = await waitedFor(after, atOnce);
    const failed: string[] = [];
    for (const id of ids) {
      await settle(id).catch((error: unknown) => {
        if (error instanceof RailUnavailable) throw error;
        failed.push(`${id}: ${messageOf(error)}`);
      });
    }
    after = ids.length < atOnce ? undefined : ids.at(-1);
    if (failed.length > 0) throw new Error(`top-up ${failed.join('; top-up ')}`);
  };
};
