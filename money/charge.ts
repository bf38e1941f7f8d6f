import type { Cents } from './amounts.ts';

/** What a letter costs before commission, USD cents. */
export type PriceLines = { postageCents: Cents; printCents: Cents; surchargeCents: Cents };

/** Hundredths of a percent, by what pays. */
export const commissionBasisPoints = { crypto: 250n, fiat: 500n } as const;

/**
 * Commission on a subtotal, rounded half-up to cents. Both are cents and not negative.
 * @throws RangeError for a negative subtotal
 */
export function commissionCents(subtotalCents: Cents, basisPoints: bigint): Cents {
  if (subtotalCents < 0n) throw new RangeError(`subtotal ${subtotalCents} is negative`);
  return (subtotalCents * basisPoints + 5000n) / 10000n;
}

/** What each bucket of the wallet pays, USD cents: its part of the subtotal, and commission on that. */
export type Charge = {
  subtotalCryptoCents: Cents;
  commissionCryptoCents: Cents;
  subtotalFiatCents: Cents;
  commissionFiatCents: Cents;
};

const chargeOf = (subtotalCryptoCents: Cents, subtotalFiatCents: Cents): Charge => ({
  subtotalCryptoCents,
  commissionCryptoCents: commissionCents(subtotalCryptoCents, commissionBasisPoints.crypto),
  subtotalFiatCents,
  commissionFiatCents: commissionCents(subtotalFiatCents, commissionBasisPoints.fiat),
});

const microUsdPerCent = 10_000n;

/**
 * Splits a subtotal over the buckets, crypto first. Crypto that covers the whole price pays all of it;
 * else it pays the largest whole `p ≤ available / 1.025` and its commission, and fiat pays the rest
 * (whether fiat can is the wallet's question). Crypto is spent in whole cents and never beyond
 * what is available; a negative balance (charge-back) counts as none.
 * @param cryptoAvailableMicro micro-USD
 */
export function splitCharge(subtotalCents: Cents, cryptoAvailableMicro: bigint): Charge {
  const available = cryptoAvailableMicro > 0n ? cryptoAvailableMicro / microUsdPerCent : 0n;
  if (fits(subtotalCents, available)) return chargeOf(subtotalCents, 0n);
  // p × 1.025 ≤ available, a whole number of cents, so p and its rounded commission fit as well.
  const fromCrypto = (available * 10_000n) / (10_000n + commissionBasisPoints.crypto);
  return chargeOf(fromCrypto, subtotalCents - fromCrypto);
}

const fits = (subtotalCents: Cents, availableCents: Cents): boolean =>
  subtotalCents + commissionCents(subtotalCents, commissionBasisPoints.crypto) <= availableCents;

/** Everything that is charged, USD cents. */
export const chargeTotalCents = (charge: Charge): Cents =>
  charge.subtotalCryptoCents + chargeCommissionCents(charge) + charge.subtotalFiatCents;

const chargeCommissionCents = (charge: Charge): Cents =>
  charge.commissionCryptoCents + charge.commissionFiatCents;

/**
 * The charge after the price fell: the fiat part falls first, since it carries the higher commission.
 * The difference of each bucket is what is given back to it.
 * @throws RangeError if the new subtotal is higher
 */
export function reduceCharge(charge: Charge, newSubtotalCents: Cents): Charge {
  const reduction = charge.subtotalCryptoCents + charge.subtotalFiatCents - newSubtotalCents;
  if (reduction < 0n) throw new RangeError(`subtotal ${newSubtotalCents} is not a reduction`);
  if (reduction === 0n) return charge;
  const fiat = charge.subtotalFiatCents > reduction ? charge.subtotalFiatCents - reduction : 0n;
  return chargeOf(newSubtotalCents - fiat, fiat);
}

/** USD cents. `postage + printing + handling = total`; `commission` says how much of handling it is. */
export type LetterPrice = {
  postage: Cents;
  printing: Cents;
  handling: Cents;
  commission: Cents;
  total: Cents;
};

/**
 * A letter's price as it is shown: handling is surcharge and commission.
 * @throws RangeError if the charge is not for these lines
 */
export function presentPrice(lines: PriceLines, charge: Charge): LetterPrice {
  assertSameSubtotal(lines, charge);
  const commission = chargeCommissionCents(charge);
  return {
    postage: lines.postageCents,
    printing: lines.printCents,
    handling: lines.surchargeCents + commission,
    commission,
    total: chargeTotalCents(charge),
  };
}

/** USD cents. `postage + print + commission = total`. */
export type QuotePrice = { postage: Cents; print: Cents; commission: Cents; total: Cents };

/**
 * A quote's price as it is shown: print is printing and surcharge.
 * @throws RangeError if the charge is not for these lines
 */
export function presentQuote(lines: PriceLines, charge: Charge): QuotePrice {
  assertSameSubtotal(lines, charge);
  return {
    postage: lines.postageCents,
    print: lines.printCents + lines.surchargeCents,
    commission: chargeCommissionCents(charge),
    total: chargeTotalCents(charge),
  };
}

function assertSameSubtotal(lines: PriceLines, charge: Charge): void {
  const priced = lines.postageCents + lines.printCents + lines.surchargeCents;
  const charged = charge.subtotalCryptoCents + charge.subtotalFiatCents;
  if (priced !== charged) throw new RangeError(`priced ${priced}, charged for ${charged}`);
}
