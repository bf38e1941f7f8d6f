/** The time of JSON.parse for an object of 20,000 names, in ms: a good part of the cost of the most costly body. */
const parsingMs = (): number => {
  const text = `{${Array.from({ length: 20_000 }, (_, n) => `"k${n}":1`).join()}}`;
  const times = Array.from({ length: 10 }, () => {
    const begun = performance.now();
    JSON.parse(text);
    return performance.now() - begun;
  });
  return Math.min(...times);
};

/**
 * The bound that the service keeps for the CPU time of its main thread, whatever a request carries, in ms. CHOICE: 20, or
 * five times the time of parsing on a machine where that is more: the body that is parsed is also searched for names
 * that it has twice and for texts that cannot be stored, and checked against its schema.
 */
export const mostCpuMsNow = (): number => Math.max(20, Math.round(5 * parsingMs()));

/** The same as measured at the start. */
export const mostCpuMs = mostCpuMsNow();
