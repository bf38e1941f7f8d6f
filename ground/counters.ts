export type Counters<K extends string> = {
  add(key: K): void;
  counts(): [K, number][];
};

/** Counts by a closed list of words, each from zero: a rule over them never loses its series. */
export const createCounters = <const K extends string>(keys: readonly K[]): Counters<K> => {
  const counts = new Map<K, number>(keys.map((key) => [key, 0]));
  return {
    add(key) {
      counts.set(key, (counts.get(key) ?? 0) + 1);
    },
    counts: () => [...counts],
  };
};
