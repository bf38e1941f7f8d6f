import { AppError } from '../contract/errors.ts';
import { type AnyOperation, operation } from '../contract/operation.ts';
import type { Clock } from '../ground/clock.ts';
import { Type } from '../ground/type.ts';
import { placesWithin } from '../postal/countries.ts';
import { handoverDate } from '../postal/delivery-window.ts';
import type { PriceList } from '../postal/pricing.ts';
import { countriesOf } from '../postal/services.ts';
import type { CountryCode } from '../postal/types.ts';
import { Catalogue, presentCatalogue } from '../presenters/catalogue.ts';

export const catalogueOperations = ({
  clock,
  prices,
}: {
  clock: Clock;
  /** As they are now. */
  prices: () => PriceList;
}): AnyOperation[] => [
  operation({
    name: 'list_services',
    method: 'GET',
    path: '/api/services/{country}',
    tag: 'Catalogue',
    summary: 'Postal services of a country',
    description:
      'Each service has its operator, delivery time, tracking, proof and lowest price. The answer also lists the intent classes and the services that meet each of them.',
    access: 'read',
    permit: { about: 'account' },
    payable: true,
    input: { params: Type.Object({ country: Type.String({ minLength: 1, maxLength: 40 }) }) },
    responses: { 200: { description: 'Services and intent classes', schema: Catalogue } },
    errors: ['country_not_supported'],
    handle({ params }) {
      const code = params.country.toUpperCase() as CountryCode;
      const countries = countriesOf(prices().services);
      if (!countries.includes(code)) {
        throw new AppError(
          'country_not_supported',
          `Letters go to ${countries.join(', ')}. Use one of these codes. ${placesWithin}`,
          { extra: { countries } },
        );
      }
      return { body: presentCatalogue(code, handoverDate(code, clock()), prices()) };
    },
  }),
];
