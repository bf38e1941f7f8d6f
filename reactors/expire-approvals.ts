import { randomUUID } from 'node:crypto';
import type { CommandHandler } from '../commands/handling/handle.ts';
import { expireApproval } from '../commands/letters/decide-approval.ts';
import { letterAggregate } from '../commands/letters/letter.ts';
import { isDiscountOver } from '../commands/negotiation/discount-end.ts';
import { type Clock, toTimestamp } from '../ground/clock.ts';
import type { ApprovalDue } from '../projections/approvals/query.ts';
import { workOnDue } from './work-on-due.ts';

/**
 * Ends approvals whose time is over, or whose letter has the discount of a contract that ended before: their letters
 * stay drafts, and the money goes back.
 */
export const createExpireApprovals = (ports: {
  handler: CommandHandler;
  clock: Clock;
  /** The longest due first, behind the approval `after`. */
  approvalsDue(now: string, limit: number, after?: ApprovalDue): Promise<ApprovalDue[]>;
}) => {
  const end = async ({ approvalId, letterId }: ApprovalDue): Promise<boolean> => {
    const { handler, clock } = ports;
    const context = { commandId: randomUUID(), actor: 'reactor:expire-approvals' };
    const { state } = await handler.load(letterAggregate, letterId);
    const isOver = state.status !== 'none' && (await isDiscountOver(handler, state, clock()));
    const { events } = await handler.handle(letterAggregate, letterId, context, (letter, _, at) =>
      expireApproval(letter, { approvalId, isOver }, at),
    );
    return events.length > 0;
  };

  /** One round. Returns how many it ended. */
  return async (): Promise<number> => {
    const now = toTimestamp(ports.clock());
    const { changed, failures } = await workOnDue<ApprovalDue>(
      (limit, after) => ports.approvalsDue(now, limit, after),
      end,
    );
    if (failures.length > 0) throw failures[0];
    return changed;
  };
};
