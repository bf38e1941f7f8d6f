import { centsOf, type MicroUsd, microOfCents } from './amounts.ts';
import { type Amounts, add, type Bucket, inBucket, nothing, sum } from './buckets.ts';
import type { GivenDiscount } from './discount.ts';

/**
 * Price of a letter before commission, each line a whole number of cents. `printMicro` already has `discount`
 * subtracted.
 */
export type PriceLines = {
  postageMicro: MicroUsd;
  printMicro: MicroUsd;
  surchargeMicro: MicroUsd;
  discount?: GivenDiscount;
};

/** Hundredths of a percent, by what pays. */
export const commissionBasisPoints = { crypto: 250n, fiat: 500n } as const;

/**
 * Commission on a subtotal, rounded half-up to cents.
 * @throws RangeError for a negative subtotal
 */
export function commissionOn(subtotal: MicroUsd, basisPoints: bigint): MicroUsd {
  if (subtotal < 0n) throw new RangeError(`subtotal ${subtotal} is negative`);
  return ((subtotal * basisPoints + 50_000_000n) / 100_000_000n) * 10_000n;
}

/** The share of each bucket of the wallet, in whole cents: its part of the price, and commission on that. */
export type Charge = { subtotal: Amounts; commission: Amounts };

const chargeOn = (subtotal: Amounts): Charge => ({
  subtotal,
  commission: {
    crypto: commissionOn(subtotal.crypto, commissionBasisPoints.crypto),
    fiat: commissionOn(subtotal.fiat, commissionBasisPoints.fiat),
  },
});

/** A subtotal that is paid from one bucket alone. */
export const chargeBy = (bucket: Bucket, subtotal: MicroUsd): Charge =>
  chargeOn(inBucket(bucket, subtotal));

export const noCharge: Charge = { subtotal: nothing, commission: nothing };

/** The amounts that a charge takes from each bucket, commission included. */
export const amountsOf = ({ subtotal, commission }: Charge): Amounts => add(subtotal, commission);

/** Everything that is charged. */
export const totalOf = (charge: Charge): MicroUsd => sum(amountsOf(charge));

/**
 * Splits a subtotal over the buckets, crypto first. Crypto that covers the whole price pays all
 * of it; otherwise it pays the largest whole number of cents `p ≤ available / 1.025` and its commission, and fiat
 * pays the rest (whether fiat can is the wallet's question). Crypto is spent in whole cents and never
 * beyond what is available.
 * @param subtotal in whole cents
 */
export function splitCharge(subtotal: MicroUsd, cryptoAvailable: MicroUsd): Charge {
  const wholly = chargeOn({ crypto: subtotal, fiat: 0n });
  if (totalOf(wholly) <= cryptoAvailable) return wholly;
  const availableCents = cryptoAvailable > 0n ? cryptoAvailable / 10_000n : 0n;
  // p × 1.025 ≤ available, a whole number of cents, so p and its rounded commission fit as well.
  const crypto = ((availableCents * 10_000n) / (10_000n + commissionBasisPoints.crypto)) * 10_000n;
  return chargeOn({ crypto, fiat: subtotal - crypto });
}

/** Two charges for one letter. */
export const addCharges = (a: Charge, b: Charge): Charge => ({
  subtotal: add(a.subtotal, b.subtotal),
  commission: add(a.commission, b.commission),
});

const smaller = (a: MicroUsd, b: MicroUsd): MicroUsd => (a < b ? a : b);

/**
 * The charge after the price fell: the fiat part falls first, since it carries the higher commission.
 * The difference of each bucket is what is given back to it. Commission that was rounded in parts may
 * be less than commission on their sum: never more of it than was taken, since only what is held can
 * be settled.
 * @throws RangeError if the new subtotal is higher
 */
export function reduceCharge(charge: Charge, subtotal: MicroUsd): Charge {
  const reduction = sum(charge.subtotal) - subtotal;
  if (reduction < 0n) throw new RangeError(`subtotal ${subtotal} is not a reduction`);
  if (reduction === 0n) return charge;
  const fiat = charge.subtotal.fiat > reduction ? charge.subtotal.fiat - reduction : 0n;
  const reduced = chargeOn({ crypto: subtotal - fiat, fiat });
  return {
    subtotal: reduced.subtotal,
    commission: {
      crypto: smaller(reduced.commission.crypto, charge.commission.crypto),
      fiat: smaller(reduced.commission.fiat, charge.commission.fiat),
    },
  };
}

/** A charge as events of letters keep it: whole cents. */
type ChargeInCents = {
  subtotalCryptoCents: number;
  commissionCryptoCents: number;
  subtotalFiatCents: number;
  commissionFiatCents: number;
};

export const chargeInCents = ({ subtotal, commission }: Charge): ChargeInCents => ({
  subtotalCryptoCents: centsOf(subtotal.crypto),
  commissionCryptoCents: centsOf(commission.crypto),
  subtotalFiatCents: centsOf(subtotal.fiat),
  commissionFiatCents: centsOf(commission.fiat),
});

export const chargeOfCents = (charge: ChargeInCents): Charge => ({
  subtotal: {
    crypto: microOfCents(charge.subtotalCryptoCents),
    fiat: microOfCents(charge.subtotalFiatCents),
  },
  commission: {
    crypto: microOfCents(charge.commissionCryptoCents),
    fiat: microOfCents(charge.commissionFiatCents),
  },
});
