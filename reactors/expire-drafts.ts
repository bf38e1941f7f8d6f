import { randomUUID } from 'node:crypto';
import type { CommandHandler } from '../commands/handling/handle.ts';
import { cancelLetter, letterAggregate } from '../commands/letters/letter.ts';
import { type Clock, toTimestamp } from '../ground/clock.ts';
import { dayMs } from '../ground/day.ts';
import type { LetterOver } from './retain-letters.ts';

/** RFC 3339: last touched at `until` or before it, and after `since`. */
type Untouched = { since: string | undefined; until: string };

/** Of one round: its commands run side by side. */
const batch = 200;

/**
 * Cancels drafts that nobody touched for `days`, which tells their account. Those that are due for erasure
 * are left to it: cancelled, they would be kept for as long again. A row may lag behind the log, so a draft
 * goes only if its stream ends where the row does.
 */
export const createExpireDrafts =
  (ports: {
    handler: CommandHandler;
    clock: Clock;
    days: number;
    /** Days after which letters are erased; absent: never. */
    retentionDays?: number | undefined;
    /** The longest untouched first. */
    draftsOver(untouched: Untouched, limit: number): Promise<LetterOver[]>;
  }) =>
  /** One round. Returns how many drafts it cancelled. */
  async (): Promise<number> => {
    const daysAgo = (days: number) => toTimestamp(ports.clock() - days * dayMs);
    const since = ports.retentionDays === undefined ? undefined : daysAgo(ports.retentionDays);
    const over = await ports.draftsOver({ since, until: daysAgo(ports.days) }, batch);
    const outcomes = await Promise.all(
      over.map(({ letterId, version }) => {
        const context = { commandId: randomUUID(), actor: 'reactor:expire-drafts' };
        return ports.handler.handle(letterAggregate, letterId, context, (letter, at) =>
          at === version && letter.status === 'draft' ? cancelLetter(letter) : [],
        );
      }),
    );
    return outcomes.filter(({ events }) => events.length > 0).length;
  };
