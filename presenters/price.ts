/**
 * A price as callers see it, letter or quote: the lines add up to the total, in USD. A letter shows the
 * surcharge in `handling`, a quote in `print`.
 */
import { decimalOf, type MicroUsd, microOfCents } from '../money/amounts.ts';
import { sum } from '../money/buckets.ts';
import { type Charge, chargeOfCents, type PriceLines, totalOf } from '../money/charge.ts';
import type { GivenDiscount } from '../money/discount.ts';
import type { LetterDoc } from '../projections/letters/query.ts';

/** The price of a letter with its commission. */
export const totalMicroOf = (price: LetterDoc['terms']['price']): MicroUsd =>
  microOfCents(price.postageCents + price.printCents + price.surchargeCents) +
  sum(chargeOfCents(price.charge).commission);

const presentDiscount = ({ contractId, basisPoints, amountMicro }: GivenDiscount) => ({
  contract_id: contractId,
  rate: basisPoints / 10_000,
  amount: decimalOf(amountMicro),
});

/** The discount, if there is one. The lines are the amounts after it. */
const withDiscount = (discount: GivenDiscount | undefined) =>
  discount ? { discount: presentDiscount(discount) } : {};

export const presentPrice = (price: LetterDoc['terms']['price']) => {
  const commission = sum(chargeOfCents(price.charge).commission);
  return {
    postage: decimalOf(microOfCents(price.postageCents)),
    printing: decimalOf(microOfCents(price.printCents)),
    handling: decimalOf(microOfCents(price.surchargeCents) + commission),
    commission: decimalOf(commission),
    total: decimalOf(totalMicroOf(price)),
    currency: 'USD' as const,
    ...withDiscount(
      price.discount && {
        ...price.discount,
        amountMicro: microOfCents(price.discount.amountCents),
      },
    ),
  };
};

export const presentQuotePrice = (lines: PriceLines, charge: Charge) => ({
  postage: decimalOf(lines.postageMicro),
  print: decimalOf(lines.printMicro + lines.surchargeMicro),
  commission: decimalOf(sum(charge.commission)),
  total: decimalOf(totalOf(charge)),
  currency: 'USD' as const,
  ...withDiscount(lines.discount),
});
