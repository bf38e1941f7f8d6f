import { randomUUID } from 'node:crypto';
import type { CommandHandler } from '../commands/handling/handle.ts';
import { expireApproval } from '../commands/letters/decide-approval.ts';
import { letterAggregate } from '../commands/letters/letter.ts';
import { isDiscountOver } from '../commands/negotiation/discount-end.ts';
import { type Clock, toTimestamp } from '../ground/clock.ts';

/** Of one round: its commands run side by side. */
const batch = 200;

/**
 * Ends approvals whose time is over, or whose letter has the discount of a contract that ended before: their letters
 * stay drafts, and the money goes back.
 */
export const createExpireApprovals =
  (ports: {
    handler: CommandHandler;
    clock: Clock;
    /** The longest overdue first. */
    approvalsDue(now: string, limit: number): Promise<{ approvalId: string; letterId: string }[]>;
  }) =>
  /** One round. Returns how many it ended. */
  async (): Promise<number> => {
    const { handler, clock } = ports;
    const now = toTimestamp(clock());
    const due = await ports.approvalsDue(now, batch);
    const outcomes = await Promise.all(
      due.map(async ({ letterId, approvalId }) => {
        const context = { commandId: randomUUID(), actor: 'reactor:expire-approvals' };
        const { state } = await handler.load(letterAggregate, letterId);
        const isOver = state.status !== 'none' && (await isDiscountOver(handler, state, clock()));
        return handler.handle(letterAggregate, letterId, context, (letter, _, at) =>
          expireApproval(letter, { approvalId, isOver }, at),
        );
      }),
    );
    return outcomes.filter(({ events }) => events.length > 0).length;
  };
