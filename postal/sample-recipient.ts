import type { CountryCode } from './types.ts';

const recipients: Record<CountryCode, [name: string, line1: string, city: string, code: string]> = {
  US: ['Jane Sample', '350 5th Ave', 'New York', '10118'],
  FR: ['Camille Exemple', '10 rue de Rivoli', 'Paris', '75004'],
  GB: ['Alex Sample', '10 Downing Street', 'London', 'SW1A 2AA'],
  CA: ['Robin Sample', '111 Wellington St', 'Ottawa', 'K1A 0A9'],
  DE: ['Erika Mustermann', 'Heidestr. 17', 'Berlin', '10557'],
};

/** The recipient of a letter that samples of code send, in the last of the countries. */
export const sampleRecipient = (countries: readonly CountryCode[]) => {
  const country = countries.at(-1) ?? 'DE';
  const [name, line1, city, postalCode] = recipients[country];
  return {
    to_name: name,
    to_line1: line1,
    to_city: city,
    to_postal_code: postalCode,
    to_country: country,
  };
};
