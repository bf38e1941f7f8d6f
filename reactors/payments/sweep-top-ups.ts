/**
 * Asks about pending top-ups, so that events during an interruption are not missed: some at a time, each in
 * its turn, even the oldest. A top-up that cannot be settled holds up no other.
 */
import { RailUnavailable } from '../../commands/payments/rails.ts';
import { messageOf } from '../../ground/message-of.ts';

const atOnce = 200;

/** Settles each top-up in its turn. Returns those that could not be settled. @throws RailUnavailable */
export const settleEach = async (
  topUpIds: Iterable<string>,
  settle: (topUpId: string) => Promise<void>,
): Promise<string[]> => {
  const failed: string[] = [];
  for (const id of topUpIds) {
    await settle(id).catch((error: unknown) => {
      if (error instanceof RailUnavailable) throw error;
      failed.push(`${id}: ${messageOf(error)}`);
    });
  }
  return failed;
};

/** @throws Error that names the top-ups */
export const assertNoneFailed = (failed: readonly string[]): void => {
  if (failed.length > 0) throw new Error(`top-up ${failed.join('; top-up ')}`);
};

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
    const failed = await settleEach(ids, settle);
    after = ids.length < atOnce ? undefined : ids.at(-1);
    assertNoneFailed(failed);
  };
};
