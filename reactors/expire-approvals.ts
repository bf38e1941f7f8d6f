import { randomUUID } from 'node:crypto';
import type { CommandHandler } from '../commands/handling/handle.ts';
import { expireApproval } from '../commands/letters/decide-approval.ts';
import { letterAggregate } from '../commands/letters/letter.ts';
import { isDiscountOver } from '../commands/negotiation/discount-end.ts';
import { StoreUnavailable } from '../events/event-store.ts';
import { type Clock, toTimestamp } from '../ground/clock.ts';

/** Of a page: its commands run side by side. */
const batch = 200;

/**
 * Ends approvals whose time is over, or whose letter has the discount of a contract that ended before: their letters
 * stay drafts, and the money goes back.
 */
export const createExpireApprovals = (ports: {
  handler: CommandHandler;
  clock: Clock;
  /** The longest overdue first, without the first `skipped`. */
  approvalsDue(
    now: string,
    limit: number,
    skipped: number,
  ): Promise<{ approvalId: string; letterId: string }[]>;
}) => {
  const end = async (due: { approvalId: string; letterId: string }) => {
    const { handler, clock } = ports;
    const { approvalId, letterId } = due;
    const context = { commandId: randomUUID(), actor: 'reactor:expire-approvals' };
    const { state } = await handler.load(letterAggregate, letterId);
    const isOver = state.status !== 'none' && (await isDiscountOver(handler, state, clock()));
    return handler.handle(letterAggregate, letterId, context, (letter, _, at) =>
      expireApproval(letter, { approvalId, isOver }, at),
    );
  };

  /**
   * One round. Returns how many it ended. A page with failures is followed by the next page: otherwise approvals that
   * always fail would hold up all others.
   */
  return async (): Promise<number> => {
    const now = toTimestamp(ports.clock());
    const failures: unknown[] = [];
    let ended = 0;
    for (let skipped = 0; ; skipped += batch) {
      const due = await ports.approvalsDue(now, batch, skipped);
      const outcomes = await Promise.allSettled(due.map(end));
      const failed = outcomes.flatMap((outcome) =>
        outcome.status === 'rejected' ? [outcome.reason as unknown] : [],
      );
      failures.push(...failed);
      ended += outcomes.filter(
        (outcome) => outcome.status === 'fulfilled' && outcome.value.events.length > 0,
      ).length;
      const isAway = failed.some((reason) => reason instanceof StoreUnavailable);
      if (failed.length === 0 || isAway || due.length < batch) break;
    }
    if (failures.length > 0) throw failures[0];
    return ended;
  };
};
