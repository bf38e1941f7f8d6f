import type { CountryCode, PageFormat } from './types.ts';

export type Country = {
  code: CountryCode;
  /** English short name, as printed in upper case on an item from abroad. */
  name: string;
  currency: 'USD' | 'EUR' | 'GBP' | 'CAD';
  pageFormat: PageFormat;
  /** IANA name of the zone the operator's cut-off times and working days are reckoned in. */
  timeZone: string;
  /** The operator of the universal postal service. */
  operator: string;
};

/** Facts about each country as a whole. Rates, address rules and holidays have files of their own. */
export const countries: Record<CountryCode, Country> = {
  US: {
    code: 'US',
    name: 'United States',
    currency: 'USD',
    pageFormat: 'Letter',
    timeZone: 'America/New_York',
    operator: 'USPS',
  },
  FR: {
    code: 'FR',
    name: 'France',
    currency: 'EUR',
    pageFormat: 'A4',
    timeZone: 'Europe/Paris',
    operator: 'La Poste',
  },
  GB: {
    code: 'GB',
    name: 'United Kingdom',
    currency: 'GBP',
    pageFormat: 'A4',
    timeZone: 'Europe/London',
    operator: 'Royal Mail',
  },
  CA: {
    code: 'CA',
    name: 'Canada',
    currency: 'CAD',
    pageFormat: 'Letter',
    timeZone: 'America/Toronto',
    operator: 'Canada Post',
  },
  DE: {
    code: 'DE',
    name: 'Germany',
    currency: 'EUR',
    pageFormat: 'A4',
    timeZone: 'Europe/Berlin',
    operator: 'Deutsche Post',
  },
};

/** Places with a code of their own in ISO 3166, to which letters go as to the country of their post. */
export const placesWithin =
  'Addresses in Puerto Rico and other US territories have US, those in Monaco and overseas France FR, and those in Jersey, Guernsey and the Isle of Man GB.';

/** The name of a country in a language. */
export const countryIn = (language: string, country: string): string =>
  new Intl.DisplayNames(language, { type: 'region' }).of(country) ??
  countries[country as CountryCode].name;
