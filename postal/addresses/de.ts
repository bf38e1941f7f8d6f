/**
 * Germany. Layout: Deutsche Post, Briefumschlag richtig beschriften, and DIN 5008. Postal codes run
 * from 01001 to 99998; the leading digits 00, 05, 43 and 62 are not assigned. Packstationen take parcels and thick
 * letters (Groß- and Maxibrief of 1 cm and more), no Standard- or Kompaktbrief (DHL, Packstation). As of 2026.
 */
import type { CountryRules } from './rules.ts';

const codeShape = /^(?:DE?[- ]?)?(\d{2}) ?(\d{3})$/i;
const fourDigits = /^\d{4}$/;
const unused = new Set(['00', '05', '43', '62']);

function unassignedReason(postalCode: string): string | undefined {
  const region = postalCode.slice(0, 2);
  if (unused.has(region)) return `no German postal code begins with ${region}`;
  if (postalCode >= '01001' && postalCode <= '99998') return undefined;
  return 'German postal codes run from 01001 to 99998';
}

export const de: CountryRules = {
  country: 'DE',
  maxLineLength: 40,
  maxLineSource: 'Deutsche Post, 100 mm of address zone',
  postalCodeName: 'a German postal code (5 digits)',
  canonicalPostalCode(text) {
    const match = codeShape.exec(text);
    return match === null ? undefined : `${match[1]}${match[2]}`;
  },
  unassignedReason,
  suggestPostalCode(text) {
    const padded = `0${text}`;
    return fourDigits.test(text) && unassignedReason(padded) === undefined ? padded : undefined;
  },
  upperCase: new Set(),
  parcelsOnly: {
    pattern: /\bpack-?station(?!\p{L})/iu,
    detail:
      '{field} is a Packstation, which takes parcels and returns letters; write the street or the Postfach of the recipient',
  },
  companyFirst: false,
  supplementFirst: true,
  townLines: (address) => [`${address.postalCode} ${address.city}`],
};
