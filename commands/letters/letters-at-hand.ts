import type { LetterEvent } from '../../events/letter.ts';
import type { CommandContext } from '../handling/fold.ts';
import type { CommandHandler } from '../handling/handle.ts';
import { bytesOf, type Letter, letterAggregate } from './letter.ts';

/**
 * Letters that take one step after the other: each is folded once, and only what was appended since is
 * read again.
 */
export const createLettersAtHand = (handler: CommandHandler) => {
  const aggregate = { ...letterAggregate, cachedBytes: bytesOf, derivesIds: false };
  return {
    /** Decides on the letter and appends what was decided. @throws as CommandHandler.handle */
    handle: (
      letterId: string,
      context: CommandContext,
      decide: (letter: Letter) => LetterEvent[],
    ) => handler.handle(aggregate, letterId, context, decide),
    /** The letter as it is now. */
    load: async (letterId: string): Promise<Letter> =>
      (await handler.load(aggregate, letterId)).state,
  };
};

export type LettersAtHand = ReturnType<typeof createLettersAtHand>;
