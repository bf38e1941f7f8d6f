/** Whether the address in the window of a supplied document is the requested one. */
import type { Address } from './types.ts';

/** The address that the window must show. Each part may be written in any of its variants. */
export type ExpectedAddress = Record<'name' | 'line1' | 'postalCode' | 'city' | 'state', string[]>;

const parts = ['name', 'line1', 'postalCode', 'city'] as const;
const partNames = { name: 'name', line1: 'line', postalCode: 'postal code', city: 'city' } as const;

/** An address as it was given, and as it is printed. */
export const expectedAddress = (given: Address, printed: Address): ExpectedAddress => {
  const ways = (part: keyof ExpectedAddress): string[] => [
    ...new Set([given[part], printed[part]].filter((way) => way !== undefined)),
  ];
  const [name, line1, postalCode] = [ways('name'), ways('line1'), ways('postalCode')];
  return { name, line1, postalCode, city: ways('city'), state: ways('state') };
};

/** Whether a page that shows one of the addresses shows the other one too. Both are normalised. */
export const isSameOnPage = (one: Address, other: Address): boolean =>
  one.country === other.country &&
  [...parts, 'state' as const].every((part) => one[part] === other[part]);

/** Letters without accents and case, everything else a space: `Lindenstraße 5` is `LINDENSTR 5`. */
const folded = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .toUpperCase()
    .replaceAll('Ø', 'O')
    .replaceAll('Ł', 'L')
    .replaceAll('Đ', 'D')
    .replaceAll('Æ', 'AE')
    .replaceAll('Œ', 'OE')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .replaceAll(/STRASSE(?![\p{L}])/gu, 'STR')
    .trim();

const escaped = (character: string): string => character.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** Finds a text as whole words, wherever the document happens to put its spaces. */
const finderOf = (text: string): RegExp | undefined => {
  const characters = [...folded(text).replaceAll(' ', '')].map(escaped);
  if (characters.length === 0) return undefined;
  return new RegExp(`(?<![\\p{L}\\p{N}])${characters.join(' ?')}(?![\\p{L}\\p{N}])`, 'u');
};

const contains = (line: string, ways: string[]): boolean =>
  ways.some((way) => finderOf(way)?.test(line) ?? false);

const squeezed = (text: string): string => folded(text).replaceAll(' ', '');

const besideCity = /(?<![\p{L}\p{N}])CEDEX(?: \d{1,2})?(?![\p{L}\p{N}])|^[A-Z]{1,2} (?=\d)/gu;

/** Without postal code, state and the like the city stands alone on its line: Ulm is not Neu-Ulm. */
const isCityLine = (line: string, { city, postalCode, state }: ExpectedAddress): boolean => {
  const alone = (text: string): string =>
    [...postalCode, ...state].reduce(
      (rest, way) => rest.replace(finderOf(way) ?? besideCity, ' '),
      text.replaceAll(besideCity, ''),
    );
  const rest = squeezed(alone(line));
  return city.some((name) => rest === squeezed(folded(name).replaceAll(besideCity, '')));
};

/** The parts of the expected address that the lines of a window lack, in words; empty if all are there. */
export const missingOfAddress = (lines: readonly string[], expected: ExpectedAddress): string[] => {
  const read = lines.map(folded);
  return parts
    .filter((part) =>
      part === 'city'
        ? !read.some((line) => isCityLine(line, expected))
        : !read.some((line) => contains(line, expected[part])),
    )
    .map((part) => `${partNames[part]} "${expected[part][0] ?? ''}"`);
};
