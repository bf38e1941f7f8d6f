import { asPosition, type Position } from '../../../events/position.ts';

/** Answers that are remembered: more than can be under way at once. */
const maxAnswers = 1_024;

/**
 * Positions of the log that this process has seen. The server answers for existing events as it does for new
 * ones, with their position. Events are certainly new if their position lies behind every position known when
 * the call began and no other call had it in its answer.
 */
export const createSeenPositions = () => {
  let furthest: Position = 0n;
  const answers = new Set<bigint>();

  return {
    /** The furthest position known, `0n` while nothing is. */
    furthest: (): Position => furthest,
    /** The store gave it. */
    saw(position: bigint | undefined): void {
      if (position !== undefined && position > furthest) furthest = asPosition(position);
    },
    /** Whether an append was answered with it for the first time. Asked once of each answer. */
    isFirstAnswer(position: Position): boolean {
      if (position > furthest) furthest = position;
      if (answers.has(position)) return false;
      answers.add(position);
      for (const oldest of answers) {
        if (answers.size <= maxAnswers) break;
        answers.delete(oldest);
      }
      return true;
    },
  };
};

export type SeenPositions = ReturnType<typeof createSeenPositions>;
