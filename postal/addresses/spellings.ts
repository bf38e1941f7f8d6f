/** Other spellings of the same words in an address: what the post abbreviates, and the names of its country. */
import type { CountryCode } from '../types.ts';

/**
 * An abbreviation and the words that it stands for, in capitals and without accents: USPS Publication 28 (appendices C1
 * and C2), Royal Mail, Canada Post and La Poste. Each stands for the same word anywhere in the line of a street. The list
 * leaves out the points of the compass: `12 E St` and `12 East St` are two streets.
 */
const abbreviations: readonly (readonly [string, ...string[]])[] = [
  ['ALL', 'ALLEE'],
  ['ALY', 'ALLEY'],
  ['APT', 'APARTMENT', 'APPARTEMENT', 'APP', 'APPT'],
  ['AV', 'AVENUE', 'AVE'],
  ['BAT', 'BATIMENT'],
  ['BLDG', 'BUILDING'],
  ['BLVD', 'BOULEVARD', 'BD', 'BVD', 'BOUL'],
  ['CH', 'CHEMIN', 'CHE'],
  ['CIR', 'CIRCLE'],
  ['CL', 'CLOSE'],
  ['CRES', 'CRESCENT'],
  ['CT', 'COURT'],
  ['DR', 'DRIVE'],
  ['EXPY', 'EXPRESSWAY'],
  ['FBG', 'FAUBOURG'],
  ['FL', 'FLOOR'],
  ['FWY', 'FREEWAY'],
  ['GDNS', 'GARDENS'],
  ['HTS', 'HEIGHTS'],
  ['HWY', 'HIGHWAY'],
  ['IMP', 'IMPASSE'],
  ['LN', 'LANE'],
  ['PKWY', 'PARKWAY'],
  ['PL', 'PLACE', 'PLATZ'],
  ['PLZ', 'PLAZA'],
  ['RD', 'ROAD'],
  ['RTE', 'ROUTE'],
  ['SQ', 'SQUARE'],
  ['ST', 'STREET', 'SAINT'],
  ['STE', 'SUITE', 'SAINTE'],
  ['TER', 'TERRACE'],
  ['TPKE', 'TURNPIKE'],
  ['TRL', 'TRAIL'],
];

const shortForms: ReadonlyMap<string, string> = new Map(
  abbreviations.flatMap(([short, ...words]) => words.map((word) => [word, short] as const)),
);

/** The words of a line in capitals, each as the post abbreviates it. */
export const abbreviated = (line: string): string =>
  line.replaceAll(/\p{L}+/gu, (word) => shortForms.get(word) ?? word);

/** How senders name the country behind the town: in English, as the country does, or by its code. */
export const countryNames: Readonly<Record<CountryCode, readonly string[]>> = {
  US: ['United States', 'United States of America', 'USA', 'US'],
  FR: ['France', 'FR'],
  GB: [
    'United Kingdom',
    'UK',
    'Great Britain',
    'England',
    'Scotland',
    'Wales',
    'Northern Ireland',
    'GB',
  ],
  CA: ['Canada', 'CA'],
  DE: ['Germany', 'Deutschland', 'DE'],
};
