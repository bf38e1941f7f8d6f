/** Something of which many have a part at the same time. */
export type FairShares = {
  /** Gives `who` so much more; `false`, and nothing, when that is more than its share. */
  take(who: string, amount: number): boolean;
  giveBack(who: string, amount: number): void;
  /** Works with a part of 1. Where that is more than the share of `who`, it throws what `refusal` makes. */
  ifFree<T>(work: () => Promise<T>, refusal: () => Error, who: string): Promise<T>;
};

/**
 * FairShares `total` between clients. A client may take more only while it holds less than what is left: about half
 * when alone, and 1/(n + 1) with n others, so that there is always room for the next one. Unused shares are not
 * reserved.
 */
export const createFairShares = (total: number): FairShares => {
  const taken = new Map<string, number>();
  let left = total;

  const take = (who: string, amount: number): boolean => {
    const own = taken.get(who) ?? 0;
    if (own >= left || amount > left) return false;
    taken.set(who, own + amount);
    left -= amount;
    return true;
  };

  const giveBack = (who: string, amount: number): void => {
    const own = (taken.get(who) ?? 0) - amount;
    if (own > 0) taken.set(who, own);
    else taken.delete(who);
    left += amount;
  };

  return {
    take,
    giveBack,
    async ifFree(work, refusal, who) {
      if (!take(who, 1)) throw refusal();
      try {
        return await work();
      } finally {
        giveBack(who, 1);
      }
    },
  };
};
