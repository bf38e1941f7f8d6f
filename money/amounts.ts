/** Integer cents of a currency. Money in memory is never a float. */
export type Cents = bigint;

/** Integer cents as the JSON number that the API shows: two decimals, exact up to 10¹³. */
export const centsToNumber = (cents: bigint | number): number => Number(cents) / 100;

/** Micro-USD as a JSON number; whole cents print two decimals, fractions of a cent up to six. */
export const microToNumber = (micro: bigint): number => Number(micro) / 1_000_000;

/**
 * A JSON number in USD as integer cents, exactly.
 * `undefined` if it is not a whole number of cents or too large.
 */
export const numberToCents = (amount: number): bigint | undefined => {
  const cents = Math.round(amount * 100);
  return Number.isSafeInteger(cents) && cents / 100 === amount ? BigInt(cents) : undefined;
};
