/** Something of which many have a part at the same time. */
export type Shares = {
  /** Gives `who` so much more; `false`, and nothing, when that is more than its share. */
  take(who: string, amount: number): boolean;
  giveBack(who: string, amount: number): void;
};

/**
 * Shares `total` out. Whoever has more than is left for all gets no more: alone one has about half, and
 * with n others 1/(n + 1), so that there is always something for who comes next. Nobody is promised a part
 * that he does not use.
 */
export const createShares = (total: number): Shares => {
  const taken = new Map<string, number>();
  let left = total;
  return {
    take(who, amount) {
      const own = taken.get(who) ?? 0;
      if (own >= left || amount > left) return false;
      taken.set(who, own + amount);
      left -= amount;
      return true;
    },
    giveBack(who, amount) {
      const own = (taken.get(who) ?? 0) - amount;
      if (own > 0) taken.set(who, own);
      else taken.delete(who);
      left += amount;
    },
  };
};
