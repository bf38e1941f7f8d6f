export type BoundedMap<K, V> = {
  /** What is asked for counts as used just now. */
  get(key: K): V | undefined;
  has(key: K): boolean;
  /** Keeps the value, and forgets what was used longest ago while all weigh more than the limit. */
  set(key: K, value: V): void;
  /** Whether it was there. */
  delete(key: K): boolean;
  clear(): void;
  readonly size: number;
  /** Of all that is kept, in the unit of the limit. */
  readonly weight: number;
};

/**
 * A cache that stays within a limit: of entries, or of whatever `weigh` counts (bytes, characters). A
 * value is weighed once, when it is set. What alone weighs more than the limit is not kept.
 */
export const createBoundedMap = <K, V>(
  limit: number,
  weigh: (value: V, key: K) => number = () => 1,
): BoundedMap<K, V> => {
  const entries = new Map<K, { value: V; weight: number }>();
  let total = 0;

  const remove = (key: K): boolean => {
    total -= entries.get(key)?.weight ?? 0;
    return entries.delete(key);
  };

  return {
    get(key) {
      const entry = entries.get(key);
      if (!entry) return undefined;
      entries.delete(key);
      entries.set(key, entry);
      return entry.value;
    },
    has: (key) => entries.has(key),
    set(key, value) {
      remove(key);
      const weight = weigh(value, key);
      entries.set(key, { value, weight });
      total += weight;
      for (const oldest of entries.keys()) {
        if (total <= limit) break;
        remove(oldest);
      }
    },
    delete: remove,
    clear() {
      entries.clear();
      total = 0;
    },
    get size() {
      return entries.size;
    },
    get weight() {
      return total;
    },
  };
};
