import { singleFlight } from './single-flight.ts';

/**
 * For copies of data that others may change: `assert` looks again when the last look began `ms` or longer
 * ago. Calls that arrive during a look share it.
 */
export const createFreshness = (look: () => Promise<void>, ms: number) => {
  let lookedAtMs = Number.NEGATIVE_INFINITY;

  const lookNow = singleFlight(async (): Promise<void> => {
    const beganMs = performance.now();
    await look();
    lookedAtMs = beganMs;
  });

  return {
    async assert(): Promise<void> {
      if (performance.now() - lookedAtMs < ms) return;
      await lookNow();
    },
    /** The next call looks again. */
    forget(): void {
      lookedAtMs = Number.NEGATIVE_INFINITY;
    },
  };
};
