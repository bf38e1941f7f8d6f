/** The price of a letter in whole cents, as its events keep it. */
import type { LetterPrice } from '../../events/letter.ts';
import { centsOf, microOfCents } from '../../money/amounts.ts';
import { sum } from '../../money/buckets.ts';
import { type Charge, chargeInCents, splitCharge } from '../../money/charge.ts';
import type { GivenDiscount } from '../../money/discount.ts';
import type { PricedLetter } from './price-letter.ts';

const discountInCents = ({ amountMicro, ...discount }: GivenDiscount) => ({
  ...discount,
  amountCents: centsOf(amountMicro),
});

/** The discount that a price was made with. */
export const discountIn = ({ discount }: LetterPrice): GivenDiscount | undefined => {
  if (!discount) return undefined;
  const { amountCents, ...rest } = discount;
  return { ...rest, amountMicro: microOfCents(amountCents) };
};

/** @throws RangeError if the charge is not for this price */
export const priceOf = (priced: PricedLetter, charge: Charge): LetterPrice => {
  const {
    postageMicro,
    printMicro,
    surchargeMicro,
    subtotalMicro,
    local,
    pricingVersion,
    discount,
  } = priced.subtotal;
  if (sum(charge.subtotal) !== subtotalMicro) {
    throw new RangeError(`priced ${subtotalMicro}, charged for ${sum(charge.subtotal)}`);
  }
  return {
    postageCents: centsOf(postageMicro),
    printCents: centsOf(printMicro),
    surchargeCents: centsOf(surchargeMicro),
    charge: chargeInCents(charge),
    pricingVersion,
    ...(discount ? { discount: discountInCents(discount) } : {}),
    local: { currency: local.currency, postageCents: Number(local.postageCents), rate: local.rate },
  };
};

/** A draft is priced as if it were paid from fiat. Its final price is decided when it is sent. */
export const draftPrice = (priced: PricedLetter): LetterPrice =>
  priceOf(priced, splitCharge(priced.subtotal.subtotalMicro, 0n));

/** Priced by the lines of a price that was agreed to, whatever the table says today. */
export const pricedBy = (priced: PricedLetter, price: LetterPrice): PricedLetter => {
  const postageMicro = microOfCents(price.postageCents);
  const printMicro = microOfCents(price.printCents);
  const surchargeMicro = microOfCents(price.surchargeCents);
  const { postageCents, ...local } = price.local;
  const { discount: _, ...today } = priced.subtotal;
  const discount = discountIn(price);
  const subtotal = {
    ...today,
    ...(discount ? { discount } : {}),
    postageMicro,
    printMicro,
    surchargeMicro,
    pricingVersion: price.pricingVersion,
    subtotalMicro: postageMicro + printMicro + surchargeMicro,
    local: { ...today.local, ...local, postageCents: BigInt(postageCents) },
  };
  return { ...priced, subtotal };
};
