/** The town alone, where a caller wrote the whole line: `10969 Berlin`, `New York, NY 10001`, `London, UK`. */
import { facts } from '../../contract/errors.ts';
import type { Address, AddressIssue } from '../types.ts';
import { type CountryRules, regionKey } from './rules.ts';
import { countryNames } from './spellings.ts';

/** Behind a comma or in brackets: words of a town itself have neither. */
const addition = /^(.*[^\s,]) *(?:, *([^,()]+)|\(([^()]+)\))$/u;
/** Postal codes have one or two words. */
const firstWords = [/^(?<code>\S+) +(?<town>.+)$/u, /^(?<code>\S+ \S+) +(?<town>.+)$/u];
const lastWords = [
  /^(?<town>.*[^\s,]),? +(?<code>\S+)$/u,
  /^(?<town>.*[^\s,]),? +(?<code>\S+ \S+)$/u,
];
const lastWord = /^(.*[^\s,]) +(\p{L}{2})$/u;

/** The region that is named, as its code. */
const regionIn = ({ regions }: CountryRules, text: string): string | undefined =>
  regions?.names.has(text) ? text : regions?.aliases.get(regionKey(text));

type Place = Pick<Address, 'city' | 'state'>;
type Finding = Pick<AddressIssue, 'field' | 'code' | 'detail' | typeof facts>;

const withoutAddition = (rules: CountryRules, { city, state }: Place): Place | undefined => {
  const [, town, behind = '', inBrackets = behind] = addition.exec(city) ?? [];
  if (town === undefined) return undefined;
  const names = countryNames[rules.country].map(regionKey);
  if (names.includes(regionKey(inBrackets))) return { city: town, state };
  const region = regionIn(rules, inBrackets);
  // Another region than that of the address is a contradiction that the caller must see.
  const fits = state === undefined || regionIn(rules, state) === region;
  return region !== undefined && fits ? { city: town, state: region } : undefined;
};

/** `New York NY`, where the postal code is in that state too. */
const withoutState = (rules: CountryRules, { city, state }: Place, code: string) => {
  const [, town, last = ''] = lastWord.exec(city) ?? [];
  const region = regionIn(rules, last);
  if (town === undefined || region === undefined) return undefined;
  return region === rules.regions?.ofPostalCode(code, city.toUpperCase())
    ? { city: town, state }
    : undefined;
};

/** A ZIP Code is the same with and without its last four digits. */
const isSameCode = (one: string, other: string): boolean =>
  one === other || one.startsWith(`${other}-`) || other.startsWith(`${one}-`);

/** The postal codes in a line, in canonical form, each with the rest of the line. */
const codesIn = ({ canonicalPostalCode }: CountryRules, line: string) =>
  [...firstWords, ...lastWords].flatMap((words) => {
    const { code: text = '', town = '' } = words.exec(line)?.groups ?? {};
    const code = canonicalPostalCode(text.toUpperCase());
    return code === undefined ? [] : [{ code, town }];
  });

const withoutCode = (rules: CountryRules, { city, state }: Place, code: string) => {
  const found = codesIn(rules, city).find((one) => isSameCode(one.code, code));
  return found && { city: found.town, state };
};

/**
 * Town and state without what is printed next to the town anyway: the postal code of the address, its country, and its
 * state, which becomes the state of the address if that has none. A BFPO number may be the town.
 * @param code the postal code in canonical form; undefined: it has none
 */
export const bareTown = (rules: CountryRules, place: Place, code: string | undefined): Place => {
  const next =
    withoutAddition(rules, place) ??
    (code === undefined
      ? undefined
      : (withoutCode(rules, place, code) ?? withoutState(rules, place, code)));
  return next === undefined ? place : bareTown(rules, next, code);
};

/** A BFPO address has a number, and a postcode of its own for shops. */
const isBfpoNumber = (code: string): boolean => code.startsWith('BFPO');

/** A postal code or a state in the line of the town that is not that of the address. `city` is a bare town. */
export const townFinding = (
  rules: CountryRules,
  { city, state }: Place,
  code: string,
): Finding | undefined => {
  const whole = rules.canonicalPostalCode(city.toUpperCase());
  const codes = [whole ?? [], codesIn(rules, city).map((one) => one.code)].flat();
  const other = codes.find(
    (one) => !isSameCode(one, code) && isBfpoNumber(one) === isBfpoNumber(code),
  );
  if (other !== undefined) {
    const detail = `{field} has the postal code ${other}, but that of the address is ${code}; correct the one that is wrong`;
    return { field: 'city', code: 'postal_code_mismatch', detail, [facts]: { other, code } };
  }
  const [, , behind = '', inBrackets = behind] = addition.exec(city) ?? [];
  const region = regionIn(rules, inBrackets);
  if (region === undefined || state === undefined || regionIn(rules, state) === region)
    return undefined;
  const detail = `{field} names ${region}, but the ${rules.regions?.kind} of the address is ${state}; correct the one that is wrong`;
  return { field: 'city', code: 'state_mismatch', detail };
};
