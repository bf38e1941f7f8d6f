/** The price of a letter that uses a commitment. */
import { AppError } from '../../contract/errors.ts';
import { numberOf } from '../../ground/plural.ts';
import { countries } from '../../postal/countries.ts';
import { handoverDate } from '../../postal/delivery-window.ts';
import { postage, type RateTable } from '../../postal/rates.ts';
import { allServices } from '../../postal/services.ts';
import type { CountryCode, Intent, ServiceId } from '../../postal/types.ts';
import type { AgreedPrice } from '../preparation/agreed-price.ts';
import { pricedBy } from '../preparation/letter-charge.ts';
import type { LetterInput } from '../preparation/letter-input.ts';
import type { PricedLetter } from '../preparation/price-letter.ts';
import { fitWarnings } from '../preparation/service-fit.ts';
import { type AgreedOffer, assertHolds } from './commitment.ts';

const mismatch = (differences: (string | false)[]): void => {
  const found = differences.filter((one) => one !== false);
  if (found.length === 0) return;
  throw new AppError(
    'commitment_mismatch',
    `The commitment is for another letter: ${found.join('; ')}. Send that letter, or ask for an offer for this one: POST /api/anp/offer.`,
  );
};

/** @throws AppError commitment_mismatch */
const assertFor = (agreed: AgreedOffer, input: LetterInput): void => {
  const { country, service, intent, color, duplex } = agreed;
  const { service: wanted = service, intent: meant = intent } = input;
  mismatch([
    country !== input.to.country && `to_country is ${input.to.country} instead of ${country}`,
    service !== wanted && `service is ${wanted} instead of ${service}`,
    intent !== meant && `intent is ${meant} instead of ${intent}`,
    color !== input.color && `color is ${input.color} instead of ${color}`,
    duplex !== input.duplex && `duplex is ${input.duplex} instead of ${duplex}`,
  ]);
};

/**
 * Whether the letter is to be posted under another tariff than the offer was made for. The time between offer
 * and send does not count.
 */
const isOfOtherTariff = (
  agreed: AgreedOffer,
  priced: PricedLetter,
  input: LetterInput,
  rates: RateTable,
): boolean => {
  const { sendDate, acceptedAt } = agreed;
  if (sendDate === undefined || (sendDate ?? undefined) === input.sendDate) return false;
  const country = agreed.country as CountryCode;
  const { service, sheets, subtotal } = priced;
  const from = sendDate === null ? acceptedAt : `${sendDate}T12:00:00Z`;
  const on = handoverDate(country, Date.parse(from));
  const offered = postage({ service, sheets, format: countries[country].pageFormat, on }, rates);
  return offered?.row.validFrom !== subtotal.row.validFrom;
};

/**
 * The locked price, for the letter that it was offered for. Fewer pages are fine, at the same price.
 * @param now RFC 3339
 * @throws AppError commitment_expired
 */
export const agreedByCommitment = (agreed: AgreedOffer, now: string): AgreedPrice => {
  assertHolds(agreed, now);
  const service = agreed.service as ServiceId;
  const intent = agreed.intent as Intent;
  return {
    service,
    intent,
    wasOffered: true,
    aboutIntent: fitWarnings({ service, intent, sheets: 1 }, allServices),
    assertFor: (input) => assertFor(agreed, input),
    priceOf(priced, input, { rates }) {
      const { pages, sendDate } = agreed;
      mismatch([
        priced.pages > pages &&
          `it has ${numberOf(priced.pages, 'page')} and the offer was for ${pages}`,
        isOfOtherTariff(agreed, priced, input, rates) &&
          `its send_date (${input.sendDate ?? 'none'}) is under another tariff than that of the offer (${sendDate ?? 'none'})`,
      ]);
      return pricedBy(priced, agreed.price);
    },
  };
};
