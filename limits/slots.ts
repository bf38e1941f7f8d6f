/** Slots for work of this process. Each party has its own: an account, a print partner, or one party for all. */
export type Slots = {
  /** Takes a slot of a party. False: all are taken. */
  take(party?: string): boolean;
  /** Gives a slot back that `take` took. */
  giveBack(party?: string): void;
  /** Works on a slot as soon as one is free, in the order of the calls. */
  whenFree<T>(work: () => Promise<T>, party?: string): Promise<T>;
};

type Party = { running: number; waiting: (() => void)[] };

/** @param each how many slots each party has */
export const createSlots = (each: number): Slots => {
  const parties = new Map<string, Party>();

  const partyAt = (name: string): Party => {
    const known = parties.get(name) ?? { running: 0, waiting: [] };
    parties.set(name, known);
    return known;
  };

  const take = (name = ''): boolean => {
    const party = partyAt(name);
    if (party.running >= each) return false;
    party.running++;
    return true;
  };

  const giveBack = (name = ''): void => {
    const party = partyAt(name);
    // The slot goes straight to the next in turn, so that no newcomer takes it first.
    const next = party.waiting.shift();
    if (next) next();
    else if (--party.running === 0) parties.delete(name);
  };

  return {
    take,
    giveBack,
    async whenFree(work, name = '') {
      if (!take(name)) {
        await new Promise<void>((resolve) => partyAt(name).waiting.push(resolve));
      }
      try {
        return await work();
      } finally {
        giveBack(name);
      }
    },
  };
};
