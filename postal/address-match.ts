/** Whether the address in the window of a supplied document is the requested one. */
import { countryRules } from './addresses/format.ts';
import { abbreviated, countryNames } from './addresses/spellings.ts';
import type { Address } from './types.ts';

/** The address that the window must show. Each part may be written in any of its variants. */
export type ExpectedAddress = Record<
  'name' | 'line1' | 'postalCode' | 'city' | 'state' | 'country',
  string[]
>;

const parts = ['name', 'line1', 'postalCode', 'city'] as const;
const partNames = { name: 'name', line1: 'line', postalCode: 'postal code', city: 'city' } as const;

const plusFour = /^(\d{5})-\d{4}$/;
/** A ZIP Code without the four digits that only speed up its sorting. */
const withoutPlusFour = (postalCode: string): string => postalCode.replace(plusFour, '$1');

/** The code of a state or province, and its names. */
const namesOfState = ({ country, state }: Address): string[] => {
  const aliases = countryRules[country].regions?.aliases ?? new Map<string, string>();
  return [...aliases].flatMap(([name, code]) => (code === state ? [name] : []));
};

/** An address as it was given, and as it is printed. */
export const expectedAddress = (given: Address, printed: Address): ExpectedAddress => {
  const ways = (part: keyof ExpectedAddress): string[] => [
    ...new Set([given[part], printed[part]].filter((way) => way !== undefined)),
  ];
  const [name, line1, city] = [ways('name'), ways('line1'), ways('city')];
  const postalCode = [...new Set(ways('postalCode').flatMap((way) => [way, withoutPlusFour(way)]))];
  const state = [...ways('state'), ...namesOfState(printed)];
  return { name, line1, postalCode, city, state, country: [...countryNames[printed.country]] };
};

/** Whether a page that shows one of the addresses shows the other one too. Both are normalised. */
export const isSameOnPage = (one: Address, other: Address): boolean =>
  one.country === other.country &&
  [...parts, 'state' as const].every((part) => one[part] === other[part]);

/** Between the two ends of a range of house numbers, such as 12–14. */
const range = '\u2013';
/** Between two numbers that punctuation keeps apart, such as `Flat 5, 14 High St`. */
const apart = ' | ';

/** `12½` is `12 1/2`, and neither is `121/2`. */
const fraction = /(?<=\d)(?=[\u00bc-\u00be\u2150-\u215e])/g;

/**
 * Letters without accents and case, ranges, everything else a space: `Lindenstraße 5` is `LINDENSTR 5`. Two
 * numbers with punctuation between them stay apart.
 */
const folded = (text: string): string =>
  text
    .replaceAll(fraction, ' ')
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .toUpperCase()
    .replaceAll('Ø', 'O')
    .replaceAll('Ł', 'L')
    .replaceAll('Đ', 'D')
    .replaceAll('Æ', 'AE')
    .replaceAll('Œ', 'OE')
    .replaceAll(/[\u2010-\u2015\u2212]/g, '-')
    .replaceAll(/(?<=\d[A-Z]?) *(?:[-/\u2044+&~]| (?:TO|BIS|UND|AND|ET|A) ) *(?=\d)/g, range)
    .replaceAll(/(?<=\d[A-Z]?)\s*[^\p{L}\p{N}\s\u2013]+\s*(?=\d)/gu, apart)
    .replaceAll(/[^\p{L}\p{N}\u2013|]+/gu, ' ')
    .replaceAll(/STRASSE(?![\p{L}])/gu, 'STR')
    .trim();

const squeezed = (text: string): string => folded(text).replaceAll(/[ \u2013|]/g, '');

const escaped = (character: string): string => character.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** Finds characters as whole words, with what may stand between two of them. */
const finderOf = (text: string, between: string, end = ''): RegExp | undefined => {
  const characters = [...text].map(escaped);
  if (characters.length === 0) return undefined;
  return new RegExp(
    `(?<![\\p{L}\\p{N}])${characters.join(between)}${end}(?![\\p{L}\\p{N}\u2013])`,
    'u',
  );
};

/** Matches wherever the document has its spaces. */
const contains = (line: string, ways: string[]): boolean =>
  ways.some((way) => finderOf(folded(way).replaceAll(' ', ''), ' ?')?.test(line) ?? false);

/** No number stands right before it: 14 is neither 12–14 nor the end of `12 14`, which may be 1214. */
const notAfterNumber = '(?<!\\d[A-Z]?[ \u2013]*)(?<!^\\d+[A-Z]? ?\\| ?)';
const notBeforeNumber = '(?! \\d)';

/**
 * Finds a street with its house number, which is never part of another number: 14 Main St is not 12–14 Main St, and
 * 12 1st St is not 1 21st St. Only the spaces between two numbers must be those of the page.
 */
const finderOfStreet = (way: string): RegExp | undefined => {
  const text = folded(way).replaceAll(/(?<!\d) | (?!\d)/g, '');
  const found = finderOf(text, ' ?', /\d[A-Z]?$/.test(text) ? notBeforeNumber : '');
  return found && /^\d/.test(text) ? new RegExp(notAfterNumber + found.source, 'u') : found;
};

/**
 * Finds a street as it is printed, or with the abbreviations of its words. `line` and `ways` have house letters next to
 * numbers.
 */
const hasStreet = (line: string, ways: string[]): boolean =>
  ways.some(
    (way) =>
      finderOfStreet(way)?.test(folded(line)) ||
      finderOfStreet(abbreviated(folded(way)))?.test(abbreviated(folded(line))),
  );

/** A letter on its own, other than the one of c/o. */
const houseLetter = /(?<=\d)[ -]{0,2}(\p{L})(?![\p{L}\p{M}\p{N}]|\/o(?!\p{L}))/giu;
/** With the letter of a house number next to it: number 5 is neither 5 a nor 5a. */
const withHouseLetters = (line: string): string => line.replaceAll(houseLetter, '$1');

const besideCity = /(?<![\p{L}\p{N}])CEDEX(?: \d{1,2})?(?![\p{L}\p{N}])|^[A-Z]{1,2} (?=\d)/gu;

/** A code of five digits may have four more, unless the letter is for others. */
const finderOfCode = (code: string, codes: string[]): RegExp | undefined => {
  const hasPlusFour = codes.some((other) => plusFour.test(other));
  const end = hasPlusFour || !/^\d{5}$/.test(code) ? '' : '(?:[ \u2013]\\d{4})?';
  return finderOf(squeezed(code), '[ \u2013]?', end);
};

const hasCode = (line: string, codes: string[]): boolean =>
  codes.some((code) => finderOfCode(code, codes)?.test(line) ?? false);

/** Without postal code, state, country and the like the city stands alone on its line: Ulm is not Neu-Ulm. */
const isCityLine = (
  line: string,
  { city, postalCode, state, country }: ExpectedAddress,
): boolean => {
  const rest = squeezed(
    postalCode.reduce(
      (text, code) => text.replace(finderOfCode(code, postalCode) ?? besideCity, ' '),
      line.replaceAll(besideCity, ''),
    ),
  );
  const countries = ['', ...country.map(squeezed)];
  return city.some((name) => {
    const town = squeezed(folded(name).replaceAll(besideCity, ''));
    const regions = state.map(squeezed).flatMap((region) => [town + region, region + town]);
    return [town, ...regions].some((place) => countries.some((end) => place + end === rest));
  });
};

/** `BFPO 57` is town and postal code in one. */
const isTownInCode = ({ city, postalCode }: ExpectedAddress): boolean =>
  city.some((name) => postalCode.some((code) => squeezed(code).startsWith(squeezed(name))));

/** The parts of the expected address that the lines of a window lack, in words; empty if all are there. */
export const missingOfAddress = (lines: readonly string[], expected: ExpectedAddress): string[] => {
  const read = lines.map(folded);
  const streets = lines.map(withHouseLetters);
  const ways = expected.line1.map(withHouseLetters);
  const isThere = {
    name: read.some((line) => contains(line, expected.name)),
    line1: streets.some((line) => hasStreet(line, ways)),
    postalCode: read.some((line) => hasCode(line, expected.postalCode)),
    city: isTownInCode(expected) || read.some((line) => isCityLine(line, expected)),
  };
  return parts
    .filter((part) => !isThere[part])
    .map((part) => `${partNames[part]} "${expected[part][0] ?? ''}"`);
};
