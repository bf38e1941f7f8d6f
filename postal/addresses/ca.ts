/**
 * Canada. Layout, upper case and the first letter of each province: Canada Post Addressing
 * Guidelines; the letters also in Google libaddressinput `data/CA`. As of 2026.
 */
import { asDigit, type CountryRules, regionAliases } from './rules.ts';

const provinces: ReadonlyMap<string, string> = new Map([
  ['AB', 'Alberta'],
  ['BC', 'British Columbia'],
  ['MB', 'Manitoba'],
  ['NB', 'New Brunswick'],
  ['NL', 'Newfoundland and Labrador'],
  ['NS', 'Nova Scotia'],
  ['NT', 'Northwest Territories'],
  ['NU', 'Nunavut'],
  ['ON', 'Ontario'],
  ['PE', 'Prince Edward Island'],
  ['QC', 'Quebec'],
  ['SK', 'Saskatchewan'],
  ['YT', 'Yukon'],
]);

/** French names, shorter names, former codes, and abbreviations. */
const furtherNames = [
  ['Colombie-Britannique', 'BC'],
  ['Nouveau-Brunswick', 'NB'],
  ['Terre-Neuve-et-Labrador', 'NL'],
  ['Newfoundland', 'NL'],
  ['Newfoundland & Labrador', 'NL'],
  ['Terre-Neuve', 'NL'],
  ['Nouvelle-Écosse', 'NS'],
  ['Territoires du Nord-Ouest', 'NT'],
  ['Île-du-Prince-Édouard', 'PE'],
  ['Yukon Territory', 'YT'],
  ['PQ', 'QC'],
  ['NF', 'NL'],
  ['PEI', 'PE'],
  ['Alta', 'AB'],
  ['Man', 'MB'],
  ['Nfld', 'NL'],
  ['NWT', 'NT'],
  ['Ont', 'ON'],
  ['Que', 'QC'],
  ['Sask', 'SK'],
] as const;

const provinceByLetter: ReadonlyMap<string, string> = new Map([
  ['A', 'NL'],
  ['B', 'NS'],
  ['C', 'PE'],
  ['E', 'NB'],
  ['G', 'QC'],
  ['H', 'QC'],
  ['J', 'QC'],
  ['K', 'ON'],
  ['L', 'ON'],
  ['M', 'ON'],
  ['N', 'ON'],
  ['P', 'ON'],
  ['R', 'MB'],
  ['S', 'SK'],
  ['T', 'AB'],
  ['V', 'BC'],
  ['Y', 'YT'],
]);

/** X is shared by the two territories: the first three characters decide. */
const territoryByArea: ReadonlyMap<string, string> = new Map([
  ['X0A', 'NU'],
  ['X0B', 'NU'],
  ['X0C', 'NU'],
  ['X0E', 'NT'],
  ['X0G', 'NT'],
  ['X1A', 'NT'],
]);

/** The offices of the federal government have K1A on both banks of the Ottawa River, in Ontario and in Quebec. */
const federalArea = 'K1A';
/** Gatineau and the towns that it took in. */
const federalTownInQuebec = /^(?:GATINEAU|HULL|AYLMER|BUCKINGHAM|MASSON-ANGERS)\b/;

function provinceOfPostalCode(postalCode: string, city = ''): string | undefined {
  if (postalCode.startsWith(federalArea) && federalTownInQuebec.test(city)) return 'QC';
  return provinceByLetter.get(postalCode.charAt(0)) ?? territoryByArea.get(postalCode.slice(0, 3));
}

const codeShape = /^([ABCEGHJKLMNPRSTVXY]\d[ABCEGHJ-NPRSTV-Z])[ -]?(\d[ABCEGHJ-NPRSTV-Z]\d)$/i;
const separators = /[ -]/g;

function canonicalPostalCode(text: string): string | undefined {
  const match = codeShape.exec(text);
  return match === null ? undefined : `${match[1]} ${match[2]}`.toUpperCase();
}

export const ca: CountryRules = {
  country: 'CA',
  maxLineLength: 40,
  maxLineSource: 'Canada Post Addressing Guidelines',
  postalCodeName:
    'a Canadian postal code (letter digit letter, digit letter digit, without D F I O Q U, nor W Z in front)',
  canonicalPostalCode,
  unassignedReason(postalCode) {
    if (provinceOfPostalCode(postalCode) !== undefined) return undefined;
    return 'of the codes with X, Canada Post has assigned X0A to X0C, X0E, X0G and X1A only';
  },
  suggestPostalCode(text) {
    const compact = text.toUpperCase().replace(separators, '');
    if (compact.length !== 6) return undefined;
    const read = Array.from(compact, (character, index) =>
      index % 2 === 1 ? asDigit(character) : character,
    ).join('');
    return canonicalPostalCode(read);
  },
  regions: {
    kind: 'Canadian province or territory',
    names: provinces,
    aliases: regionAliases(provinces, furtherNames),
    ofPostalCode: provinceOfPostalCode,
    isFurtherOf: (province, postalCode, city) =>
      postalCode.startsWith(federalArea) &&
      (province === 'ON' || (province === 'QC' && city !== 'OTTAWA')),
  },
  upperCase: new Set(['name', 'company', 'line1', 'line2', 'city']),
  punctuation: {
    pattern: /#/,
    fields: new Set(['line1', 'line2']),
    advice:
      'put the unit in front of the street number with a hyphen, as in 10-123 MAIN ST, or write UNIT or APT (Canada Post Addressing Guidelines)',
  },
  companyFirst: false,
  supplementFirst: false,
  townLines: (address) => [
    `${[address.city, address.state].filter(Boolean).join(' ')}  ${address.postalCode}`,
  ],
};
