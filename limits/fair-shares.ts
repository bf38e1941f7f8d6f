/** Something of which many have a part at the same time. */
export type FairShares = {
  /** Gives `who` so much more; `false`, and nothing, when that is more than its share. */
  take(who: string, amount: number): boolean;
  giveBack(who: string, amount: number): void;
};

/**
 * FairShares `total` between clients. A client may take more only while it holds less than what is left: about half
 * when alone, and 1/(n + 1) with n others, so that there is always room for the next one. Unused shares are not
 * reserved.
 */
export const createFairShares = (total: number): FairShares => {
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
