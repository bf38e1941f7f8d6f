import { randomUUID } from 'node:crypto';
import type { CommandHandler } from '../commands/handling/handle.ts';
import { cancelLetter, letterAggregate } from '../commands/letters/letter.ts';
import { createIsOrdered } from '../commands/payments/order.ts';
import { type Clock, toTimestamp } from '../ground/clock.ts';
import { dayMs } from '../ground/day.ts';
import type { LetterOver } from '../projections/letters/query.ts';
import { workOnDue } from './work-on-due.ts';

/** RFC 3339: last touched at `until` or before it, and after `since`. */
type Untouched = { since: string | undefined; until: string };

/**
 * Cancels drafts that nobody touched for `days`, which tells their account. Those that are due for erasure
 * are left to it: cancelled, they would be kept for as long again. A row may lag behind the log, so a draft
 * goes only if its stream ends where the row does. A draft whose payer may still pay stays.
 */
export const createExpireDrafts =
  (ports: {
    handler: CommandHandler;
    clock: Clock;
    days: number;
    /** Days after which letters are erased; absent: never. */
    retentionDays?: number | undefined;
    /** The longest untouched first, behind the letter `after`. */
    draftsOver(untouched: Untouched, limit: number, after?: LetterOver): Promise<LetterOver[]>;
    stopping?: AbortSignal;
  }) =>
  /** One round. Returns how many drafts it cancelled. */
  async (): Promise<number> => {
    const isOrdered = createIsOrdered(ports);
    const daysAgo = (days: number) => toTimestamp(ports.clock() - days * dayMs);
    const since = ports.retentionDays === undefined ? undefined : daysAgo(ports.retentionDays);
    const untouched = { since, until: daysAgo(ports.days) };
    const { changed, failures } = await workOnDue<LetterOver>(
      (limit, after) => ports.draftsOver(untouched, limit, after),
      async ({ letterId, version }) => {
        if (await isOrdered(letterId)) return false;
        const context = { commandId: randomUUID(), actor: 'reactor:expire-drafts' };
        const { events } = await ports.handler.handle(
          letterAggregate,
          letterId,
          context,
          (letter, at) => (at === version && letter.status === 'draft' ? cancelLetter(letter) : []),
        );
        return events.length > 0;
      },
      ports.stopping,
    );
    if (failures.length > 0) throw failures[0];
    return changed;
  };
