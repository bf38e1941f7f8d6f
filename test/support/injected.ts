/** Counts the faults that tests inject, by kind: `npm run test:faults` shows them. */
const counts = new Map<string, number>();

/** Says that a test injects a fault now. `kind`: what happens, in words for people. */
export const injected = (kind: string): void => {
  counts.set(kind, (counts.get(kind) ?? 0) + 1);
};

/** The faults injected since the last call. */
export const takeInjected = (): Record<string, number> => {
  const taken = Object.fromEntries(counts);
  counts.clear();
  return taken;
};
