/** What a letter costs, between the wallet (bigint cents) and the event (numbers). */
import type { LetterCharge, LetterPrice } from '../../events/letter.ts';
import { type Charge, reduceCharge, splitCharge } from '../../money/charge.ts';
import type { PricedLetter } from './price-letter.ts';

const toCents = (charge: Charge): LetterCharge => ({
  subtotalCryptoCents: Number(charge.subtotalCryptoCents),
  commissionCryptoCents: Number(charge.commissionCryptoCents),
  subtotalFiatCents: Number(charge.subtotalFiatCents),
  commissionFiatCents: Number(charge.commissionFiatCents),
});

export const fromCents = (charge: LetterCharge): Charge => ({
  subtotalCryptoCents: BigInt(charge.subtotalCryptoCents),
  commissionCryptoCents: BigInt(charge.commissionCryptoCents),
  subtotalFiatCents: BigInt(charge.subtotalFiatCents),
  commissionFiatCents: BigInt(charge.commissionFiatCents),
});

const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b);

/**
 * The charge after the price fell. Commission that was rounded in parts may be less than commission
 * on their sum: never more of it than was taken, since only what is held can be settled.
 */
export const lowerCharge = (before: Charge, subtotalCents: bigint): Charge => {
  const after = reduceCharge(before, subtotalCents);
  const { commissionCryptoCents, commissionFiatCents } = before;
  return {
    ...after,
    commissionCryptoCents: smaller(after.commissionCryptoCents, commissionCryptoCents),
    commissionFiatCents: smaller(after.commissionFiatCents, commissionFiatCents),
  };
};

/** What a charge takes from the wallet, commission included. */
export const totalOf = (charge: Charge): bigint =>
  charge.subtotalCryptoCents +
  charge.commissionCryptoCents +
  charge.subtotalFiatCents +
  charge.commissionFiatCents;

export const sumCharges = (a: Charge, b: Charge): Charge => ({
  subtotalCryptoCents: a.subtotalCryptoCents + b.subtotalCryptoCents,
  commissionCryptoCents: a.commissionCryptoCents + b.commissionCryptoCents,
  subtotalFiatCents: a.subtotalFiatCents + b.subtotalFiatCents,
  commissionFiatCents: a.commissionFiatCents + b.commissionFiatCents,
});

/** The price as the event keeps it. */
export const priceOf = (priced: PricedLetter, charge: Charge): LetterPrice => {
  const { postageCents, printCents, surchargeCents, local, pricingVersion } = priced.subtotal;
  return {
    postageCents: Number(postageCents),
    printCents: Number(printCents),
    surchargeCents: Number(surchargeCents),
    charge: toCents(charge),
    pricingVersion,
    local: { currency: local.currency, postageCents: Number(local.postageCents), rate: local.rate },
  };
};

/** A draft is priced as if it were paid from fiat; what it costs is decided when it is sent. */
export const draftPrice = (priced: PricedLetter): LetterPrice =>
  priceOf(priced, splitCharge(priced.subtotal.subtotalCents, 0n));
