import { randomUUID } from 'node:crypto';
import type { CommandHandler } from '../commands/handling/handle.ts';
import { eraseLetter, letterAggregate } from '../commands/letters/letter.ts';
import { type Clock, toTimestamp } from '../ground/clock.ts';
import { dayMs } from '../ground/day.ts';

/** A letter that its row says is over since long enough, as of this version of its stream. */
export type LetterOver = { letterId: string; version: bigint };

/** Of one round: its commands run side by side. */
const batch = 200;

/**
 * Erases letters that have been over for `retentionDays`; keys, documents and copies follow as they do a
 * deletion (erase-letters). A row may lag behind the log, so a letter goes only if its stream ends where
 * the row does: a draft that was touched meanwhile stays, and of several processes one erases.
 */
export const createRetainLetters =
  (ports: {
    handler: CommandHandler;
    clock: Clock;
    retentionDays: number;
    /** The longest over first. */
    lettersOver(until: string, limit: number): Promise<LetterOver[]>;
    /** Gets how many letters of a round could not be erased. */
    failed?(letters: number): void;
  }) =>
  /** One round. Returns how many letters it erased. */
  async (): Promise<number> => {
    const until = toTimestamp(ports.clock() - ports.retentionDays * dayMs);
    const over = await ports.lettersOver(until, batch);
    const outcomes = await Promise.allSettled(
      over.map(({ letterId, version }) => {
        const context = { commandId: randomUUID(), actor: 'reactor:retain-letters' };
        return ports.handler.handle(letterAggregate, letterId, context, (letter, at) =>
          at === version ? eraseLetter(letter, { type: 'EraseLetter', reason: 'retention' }) : [],
        );
      }),
    );
    // All have ended; what failed is over still and comes again.
    const failed = outcomes.filter((outcome) => outcome.status === 'rejected');
    ports.failed?.(failed.length);
    if (failed[0]) throw failed[0].reason;
    return outcomes.filter(
      (outcome) => outcome.status === 'fulfilled' && outcome.value.events.length > 0,
    ).length;
  };
