export type BoundedMap<K, V> = {
  get(key: K): V | undefined;
  has(key: K): boolean;
  /** Keeps the value, and drops the least recently used ones while all together exceed the limit. */
  set(key: K, value: V): void;
  /** Whether it was there. */
  delete(key: K): boolean;
  clear(): void;
  readonly size: number;
  /** Of all that is kept, in the unit of the limit. */
  readonly weight: number;
};

/**
 * A cache that stays within a limit of entries, or of the units that `weigh` counts (bytes, characters). A
 * value is weighed once, when it is set. A value that alone exceeds the limit is not kept.
 */
export const createBoundedMap = <K, V>(
  limit: number,
  weigh: (value: V, key: K) => number = () => 1,
): BoundedMap<K, V> => {
  const entries = new Map<K, { value: V; weight: number; used: boolean }>();
  let total = 0;

  const remove = (key: K): boolean => {
    total -= entries.get(key)?.weight ?? 0;
    return entries.delete(key);
  };

  return {
    get(key) {
      const entry = entries.get(key);
      if (!entry) return undefined;
      entry.used = true;
      return entry.value;
    },
    has: (key) => entries.has(key),
    set(key, value) {
      remove(key);
      const weight = weigh(value, key);
      if (weight > limit) return;
      entries.set(key, { value, weight, used: false });
      total += weight;
      if (total <= limit) return;
      for (const [oldest, entry] of entries) {
        if (total <= limit) break;
        if (entry.used) {
          // A second chance, behind all others.
          entries.delete(oldest);
          entries.set(oldest, { ...entry, used: false });
        } else remove(oldest);
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
