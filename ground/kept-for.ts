/**
 * The last output of `make`, for as many milliseconds from when its making began. Callers that come meanwhile
 * share it; a failure is not kept.
 */
export const keptFor = <T>(
  ms: number,
  make: () => Promise<T>,
  now: () => number = () => performance.now(),
): (() => Promise<T>) => {
  let kept: { output: Promise<T>; until: number } | undefined;
  return () => {
    if (kept && now() < kept.until) return kept.output;
    const fresh = { output: make(), until: now() + ms };
    kept = fresh;
    fresh.output.catch(() => {
      if (kept === fresh) kept = undefined;
    });
    return fresh.output;
  };
};
