import type { MicroUsd } from './amounts.ts';

/** Discount of a volume contract on the printing of a letter. Hundredths of a percent. */
export type Discount = { contractId: string; basisPoints: number };

/** A discount, and the amount that it took off. Prices with it are already reduced. */
export type GivenDiscount = Discount & { amountMicro: MicroUsd };

/** The discount of a letter that was paid with or without one. `fixedMicro`: its amount, once its period is over. */
export type KeptDiscount = { discount: Discount | undefined; fixedMicro?: MicroUsd };

/** Of a price for printing, rounded half-up to whole cents. */
export const discountOn = (printMicro: MicroUsd, { basisPoints }: Discount): MicroUsd =>
  ((printMicro * BigInt(basisPoints) + 50_000_000n) / 100_000_000n) * 10_000n;

/** The current discount of an account. Postage, surcharge and the rate of commission stay as they are. */
export type DiscountOf = (accountId: string) => Promise<Discount | undefined>;
