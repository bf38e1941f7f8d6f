/**
 * For who keeps what others may change: `assert` looks again when the last look began `ms` or longer ago.
 * Whoever asks meanwhile shares the look that is under way.
 */
export const createFreshness = (look: () => Promise<void>, ms: number) => {
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  let looking: Promise<void> | undefined;

  const lookNow = async (): Promise<void> => {
    const beganMs = performance.now();
    await look();
    lookedAtMs = beganMs;
  };

  return {
    async assert(): Promise<void> {
      if (performance.now() - lookedAtMs < ms) return;
      looking ??= lookNow().finally(() => {
        looking = undefined;
      });
      await looking;
    },
    /** The next one who asks looks again. */
    forget(): void {
      lookedAtMs = Number.NEGATIVE_INFINITY;
    },
  };
};
