import { type DeliveryWindow, windowFrom } from '../postal/delivery-window.ts';
import type { CountryCode } from '../postal/types.ts';
import { type LetterDoc, postedAtOf } from '../projections/letters/query.ts';

/** The days between which the letter is expected: later than in its terms where it was posted later than planned. */
export const expectedDeliveryOf = (doc: LetterDoc): DeliveryWindow => {
  const { country, expectedDelivery: expected } = doc.terms;
  const { releaseAt } = doc;
  const postedAt = postedAtOf(doc);
  return windowFrom({ country: country as CountryCode, expected, releaseAt, postedAt });
};
