import { randomUUID } from 'node:crypto';
import type { CommandHandler } from '../commands/handling/handle.ts';
import { eraseLetter, letterAggregate } from '../commands/letters/letter.ts';
import { createIsOrdered } from '../commands/payments/order.ts';
import { type Clock, toTimestamp } from '../ground/clock.ts';
import { dayMs } from '../ground/day.ts';
import type { LetterOver } from '../projections/letters/query.ts';
import { workOnDue } from './work-on-due.ts';

/**
 * Erases letters that have been over for `retentionDays`; keys, documents and copies follow as they do a
 * deletion (erase-letters). A row may lag behind the log, so a letter goes only if its stream ends where
 * the row does: a draft that was touched meanwhile stays, and of several processes one erases. A draft whose payer may
 * still pay stays, too.
 */
export const createRetainLetters =
  (ports: {
    handler: CommandHandler;
    clock: Clock;
    retentionDays: number;
    /** The longest over first, behind the letter `after`. */
    lettersOver(until: string, limit: number, after?: LetterOver): Promise<LetterOver[]>;
    /** Gets how many letters of a round could not be erased. */
    failed?(letters: number): void;
    stopping?: AbortSignal;
  }) =>
  /** One round. Returns how many letters it erased. */
  async (): Promise<number> => {
    const until = toTimestamp(ports.clock() - ports.retentionDays * dayMs);
    const isOrdered = createIsOrdered(ports);
    const { changed, failures } = await workOnDue<LetterOver>(
      (limit, after) => ports.lettersOver(until, limit, after),
      async ({ letterId, version, isDraft }) => {
        if (isDraft && (await isOrdered(letterId))) return false;
        const context = { commandId: randomUUID(), actor: 'reactor:retain-letters' };
        const { events } = await ports.handler.handle(
          letterAggregate,
          letterId,
          context,
          (letter, at) =>
            at === version ? eraseLetter(letter, { type: 'EraseLetter', reason: 'retention' }) : [],
        );
        return events.length > 0;
      },
      ports.stopping,
    );
    ports.failed?.(failures.length);
    if (failures.length > 0) throw failures[0];
    return changed;
  };
