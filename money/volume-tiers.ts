/** Discounts on printing in a volume contract, by the letters of a period. */

/** `to` is included; null: no end. Hundredths of a percent. */
export type VolumeTier = { from: number; to: number | null; basisPoints: number };

/** The smallest volume that a contract is made for. */
export const leastUnits = 51;

/** CHOICE: beyond, a number is taken for a mistake. */
export const mostUnits = 10_000_000;

/** Contracts keep the tiers that they were made with: a change here is for new ones. */
export const volumeTiers: readonly VolumeTier[] = [
  { from: leastUnits, to: 250, basisPoints: 1_000 },
  { from: 251, to: 1_000, basisPoints: 2_000 },
  { from: 1_001, to: null, basisPoints: 3_000 },
];

/**
 * The tier of a contract: committed letters count at once, letters really sent as soon as they are more.
 * @throws RangeError for tiers that begin above the committed number
 */
export const tierOf = <T extends VolumeTier>(
  tiers: readonly T[],
  { committedUnits, units }: { committedUnits: number; units: number },
): T => {
  const volume = Math.max(committedUnits, units);
  const tier = tiers.findLast(({ from }) => from <= volume);
  if (!tier) throw new RangeError(`no tier for ${volume} units`);
  return tier;
};
