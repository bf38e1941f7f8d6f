import { randomUUID } from 'node:crypto';
import type { CommandHandler } from '../commands/handling/handle.ts';
import { expireApproval } from '../commands/letters/decide-approval.ts';
import { letterAggregate } from '../commands/letters/letter.ts';
import { type Clock, toTimestamp } from '../ground/clock.ts';

/** Of one round: its commands run side by side. */
const batch = 200;

/** Ends approvals whose time is over: their letters stay drafts, and the money goes back. */
export const createExpireApprovals =
  (ports: {
    handler: CommandHandler;
    clock: Clock;
    /** The longest overdue first. */
    approvalsDue(now: string, limit: number): Promise<{ approvalId: string; letterId: string }[]>;
  }) =>
  /** One round. Returns how many it ended. */
  async (): Promise<number> => {
    const now = toTimestamp(ports.clock());
    const due = await ports.approvalsDue(now, batch);
    const outcomes = await Promise.all(
      due.map(({ letterId, approvalId }) => {
        const context = { commandId: randomUUID(), actor: 'reactor:expire-approvals' };
        return ports.handler.handle(letterAggregate, letterId, context, (letter, _, at) =>
          expireApproval(letter, { approvalId }, at),
        );
      }),
    );
    return outcomes.filter(({ events }) => events.length > 0).length;
  };
