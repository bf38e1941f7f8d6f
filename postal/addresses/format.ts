import { countries } from '../countries.ts';
import type { Address, CountryCode } from '../types.ts';
import { ca } from './ca.ts';
import { de } from './de.ts';
import { fr } from './fr.ts';
import { gb } from './gb.ts';
import type { CountryRules } from './rules.ts';
import { us } from './us.ts';

export const countryRules: Record<CountryCode, CountryRules> = {
  US: us,
  FR: fr,
  GB: gb,
  CA: ca,
  DE: de,
};

/**
 * The lines as printed on the envelope, in the order of the country, blank parts left out.
 * An item from abroad has the country as its last line, in English and upper case, and its town in
 * upper case. Expects a normalised address: it changes nothing else.
 */
export function formatAddressLines(
  address: Address,
  options: { international?: boolean } = {},
): string[] {
  const rules = countryRules[address.country];
  const { name, company = '' } = address;
  const lines = rules.companyFirst ? [company, name] : [name, company];
  lines.push(address.line1, address.line2 ?? '');
  if (options.international === true) {
    lines.push(...rules.townLines({ ...address, city: address.city.toUpperCase() }));
    lines.push(countries[address.country].name.toUpperCase());
  } else {
    lines.push(...rules.townLines(address));
  }
  return lines.map((line) => line.trim()).filter((line) => line !== '');
}
