/** The postal services of a country, as callers see them. */
import type { Static } from 'typebox';
import { Type } from '../ground/type.ts';
import { decimalOf, microOfCents } from '../money/amounts.ts';
import { splitCharge, totalOf } from '../money/charge.ts';
import { countries } from '../postal/countries.ts';
import { intentClasses, servicesFor } from '../postal/intents.ts';
import { type PriceList, priceSubtotal } from '../postal/pricing.ts';
import { isEstimateOn } from '../postal/rates.ts';
import { proofLevels, type Service, servicesOf } from '../postal/services.ts';
import {
  type CountryCode,
  countryCodes,
  type Intent,
  intents,
  serviceIds,
} from '../postal/types.ts';
import { OneOf, Usd } from './common.ts';

const ServiceEntry = Type.Named('Service', {
  service: OneOf(serviceIds),
  name: Type.String({ description: "The operator's own name of the product." }),
  operator: Type.String(),
  tracking: OneOf(['none', 'sync', 'async']),
  proof_levels: Type.Array(OneOf(proofLevels)),
  proof_of_posting: Type.Boolean(),
  signature: Type.Boolean(),
  intents: Type.Array(OneOf(intents), { description: 'Intent classes that it meets.' }),
  sla_days: Type.Integer({ description: 'Business days from hand-over.' }),
  guaranteed: Type.Boolean({ description: 'Whether the operator guarantees them.' }),
  max_sheets: Type.Integer(),
  price_from: Type.Object({ total: Usd, currency: Type.Literal('USD') }),
  estimate: Type.Boolean({
    description:
      'Whether the postage in the price is an estimate: no published tariff contains it, or the tariff is a year old or older and may have been replaced. `rate_valid_from` shows its age.',
  }),
  rate_source: Type.String({ description: 'Source of the postage.' }),
  rate_valid_from: Type.String({
    format: 'date',
    description:
      'The day from which the postage is valid. Postal operators change it about once a year.',
  }),
});

export const Catalogue = Type.Named('Catalogue', {
  country: OneOf(countryCodes),
  name: Type.String(),
  currency: OneOf(['USD', 'EUR', 'GBP', 'CAD']),
  services: Type.Array(ServiceEntry),
  intents: Type.Array(
    Type.Object({
      intent: OneOf(intents),
      sla_days: Type.Integer(),
      use_case: Type.String(),
      proof: Type.String(),
      surcharge: Usd,
      services: Type.Array(OneOf(serviceIds)),
    }),
  ),
});

/** The price of one page on one sheet, paid from fiat, without a surcharge. */
const priceFrom = (service: Service, on: string, prices: PriceList) => {
  const subtotal = priceSubtotal(
    {
      service: service.id,
      intent: 'bulk_marketing',
      country: service.country,
      pages: 1,
      sheets: 1,
      color: false,
      duplex: true,
      format: countries[service.country].pageFormat,
      on,
    },
    prices,
  );
  if (!subtotal) throw new Error(`${service.id} has no rate for one sheet on ${on}`);
  return {
    price_from: {
      total: decimalOf(totalOf(splitCharge(subtotal.subtotalMicro, 0n))),
      currency: 'USD' as const,
    },
    estimate: isEstimateOn(subtotal.row, on),
    rate_source: subtotal.row.source,
    rate_valid_from: subtotal.row.validFrom,
  };
};

const presentService = (service: Service, on: string, prices: PriceList) => ({
  service: service.id,
  name: service.name,
  operator: service.operator,
  tracking: service.tracking,
  proof_levels: [...service.proofLevels],
  proof_of_posting: service.proofOfPosting,
  signature: service.signature,
  intents: intents.filter((intent) =>
    servicesFor(intent, service.country, prices.services).includes(service.id),
  ),
  sla_days: service.slaDays,
  guaranteed: service.guaranteed,
  max_sheets: service.maxSheets,
  ...priceFrom(service, on, prices),
});

const presentIntent = (intent: Intent, country: CountryCode, { services }: PriceList) => {
  const { slaDays, useCase, proof, surchargeCents } = intentClasses[intent];
  return {
    intent,
    sla_days: slaDays,
    use_case: useCase,
    proof,
    surcharge: decimalOf(microOfCents(surchargeCents)),
    services: [...servicesFor(intent, country, services)],
  };
};

/** @param on the day of posting, `YYYY-MM-DD`, whose prices are shown */
export const presentCatalogue = (
  country: CountryCode,
  on: string,
  prices: PriceList,
): Static<typeof Catalogue> => {
  const { name, currency } = countries[country];
  return {
    country,
    name,
    currency,
    services: servicesOf(country)
      .filter(({ id }) => prices.services.has(id))
      .map((service) => presentService(service, on, prices)),
    intents: intents.map((intent) => presentIntent(intent, country, prices)),
  };
};
