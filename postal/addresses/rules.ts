import type { Address, CountryCode } from '../types.ts';

/** States or provinces that a postal code lies in. */
export type Regions = {
  /** The word for one: 'US state', 'Canadian province'. */
  kind: string;
  /** Two-letter code to name. */
  names: ReadonlyMap<string, string>;
  /** `regionKey` of a name or an old code to the code. */
  aliases: ReadonlyMap<string, string>;
  /** The region of a canonical postal code, undefined where the code is not assigned. */
  ofPostalCode(postalCode: string, city?: string): string | undefined;
  /** Whether the town may lie in that region too, where regions share the canonical postal code. */
  isFurtherOf?(region: string, postalCode: string, city: string): boolean;
};

/** A postal address line that a rule speaks of. */
export type LineField = 'name' | 'company' | 'line1' | 'line2' | 'city';

/** Address rules of one country. All functions are pure and take cleaned text. */
export type CountryRules = {
  country: CountryCode;
  /** Longest printed line, in characters, and the source of that rule. */
  maxLineLength: number;
  maxLineSource: string;
  /** Fits "… is not {postalCodeName}". */
  postalCodeName: string;
  /** The canonical form, or undefined where the text has not the shape of a postal code. */
  canonicalPostalCode(text: string): string | undefined;
  /** Why no address in this town has this canonical postal code; undefined where one may. */
  unassignedReason(postalCode: string, city?: string): string | undefined;
  /** A canonical postal code that was probably meant. */
  suggestPostalCode(text: string): string | undefined;
  postalCodeHint?(text: string): string | undefined;
  regions?: Regions;
  /** Lines that are printed in upper case. */
  upperCase: ReadonlySet<LineField>;
  /** Rewrites a line into the country's form. Applying it twice is applying it once. */
  rewrite?(field: LineField, text: string): string;
  /** Punctuation that sorting machines dislike; `advice` says what to write in its place. */
  punctuation?: { pattern: RegExp; fields: ReadonlySet<LineField>; advice: string };
  /** A line that names a place which takes parcels and returns letters; `detail` says so. */
  parcelsOnly?: { pattern: RegExp; detail: string };
  /** Advice on a town that is too long. */
  townAdvice?: string;
  /** Whether the organisation stands above the person. */
  companyFirst: boolean;
  /** Whether what line 2 adds (building, floor, district) stands above the street. */
  supplementFirst: boolean;
  /** The line or lines with town and postal code. */
  townLines(address: Address): string[];
};

const notAlphanumeric = /[^A-Z0-9]+/g;
const marks = /\p{M}+/gu;

/** Makes 'Québec', 'quebec' and 'QUÉBEC' the same. */
export function regionKey(text: string): string {
  return text.normalize('NFD').replace(marks, '').toUpperCase().replace(notAlphanumeric, '');
}

/** Aliases of `names` themselves and of further spellings `[spelling, code]`. */
export function regionAliases(
  names: ReadonlyMap<string, string>,
  further: readonly (readonly [string, string])[],
): ReadonlyMap<string, string> {
  const aliases = new Map<string, string>();
  for (const [code, name] of names) aliases.set(code, code).set(regionKey(name), code);
  for (const [spelling, code] of further) aliases.set(regionKey(spelling), code);
  return aliases;
}

const digitForLetter = new Map([
  ['O', '0'],
  ['I', '1'],
  ['L', '1'],
  ['S', '5'],
]);

/** Reads a letter that looks like a digit (O, I, L, S) as that digit. */
export function asDigit(character: string): string {
  return digitForLetter.get(character) ?? character;
}
