/** Work that several callers repeat for a while. */

export const p50 = (times: number[]): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;

/** Runs `work` by `callers` at once for `seconds`; `p50` of the time of each, in ms. */
export const during = async (
  callers: number,
  seconds: number,
  work: (caller: number) => Promise<void>,
): Promise<{ count: number; perSecond: number; p50: number }> => {
  const times: number[] = [];
  const began = performance.now();
  const until = began + seconds * 1_000;
  await Promise.all(
    Array.from({ length: callers }, async (_, caller) => {
      while (performance.now() < until) {
        const at = performance.now();
        await work(caller);
        times.push(performance.now() - at);
      }
    }),
  );
  const perSecond = (times.length * 1_000) / (performance.now() - began);
  return { count: times.length, perSecond, p50: p50(times) };
};
