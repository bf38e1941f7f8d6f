/** How long to wait between tries. */
type Backoff = {
  /** After the first failure; each further failure doubles it. */
  firstMs: number;
  /** The longest pause. */
  mostMs: number;
  /** The share of each pause that is left to chance, 0 to 1, so that callers spread. Absent: 0. */
  jitter?: number;
};

/**
 * The pause after a number of failures in a row; the first failure is number 1.
 * @param random from 0 up to 1
 */
export const backoffMs = (
  failures: number,
  { firstMs, mostMs, jitter = 0 }: Backoff,
  random: () => number = Math.random,
): number => {
  const full = Math.min(mostMs, firstMs * 2 ** Math.max(0, failures - 1));
  return jitter === 0 ? full : full * (1 - jitter * random());
};

/** Counts the failures of one task and gives the pause after each. */
export const createBackoff = (backoff: Backoff, random?: () => number) => {
  let failures = 0;
  return {
    /** Counts a failure; ms to wait before the next try. */
    nextMs: (): number => backoffMs(++failures, backoff, random),
    /** A try succeeded: the next failure is the first. */
    reset(): void {
      failures = 0;
    },
  };
};
