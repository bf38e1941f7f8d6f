/** Faults that a walk over the log found. */
type Finding = { position: bigint; detail: string };

export type Findings = {
  add(position: bigint, detail: string): void;
  /** All there are, also those that are not kept. */
  readonly total: number;
  /** In the order of the log; at most `kept`. */
  list(): Finding[];
};

/** Keeps the findings with the lowest positions. */
export const createFindings = (kept = 20): Findings => {
  const found: Finding[] = [];
  let total = 0;
  const sort = (): void => {
    found.sort((a, b) => (a.position < b.position ? -1 : a.position > b.position ? 1 : 0));
  };
  return {
    add(position, detail) {
      total++;
      found.push({ position, detail });
      if (found.length <= 4 * kept) return;
      sort();
      found.length = kept;
    },
    get total() {
      return total;
    },
    list() {
      sort();
      return found.slice(0, kept);
    },
  };
};
