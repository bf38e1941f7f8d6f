/** The town alone, where a caller wrote the whole line: `10969 Berlin`, `New York, NY 10001`, `London, UK`. */
import type { Address } from '../types.ts';
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

const withoutCode = (rules: CountryRules, { city, state }: Place, code: string) => {
  const isCode = (text = ''): boolean => {
    const written = rules.canonicalPostalCode(text.toUpperCase());
    return written !== undefined && (code === written || code.startsWith(`${written}-`));
  };
  const town = [...firstWords, ...lastWords]
    .map((words) => words.exec(city)?.groups)
    .find((groups) => isCode(groups?.code))?.town;
  return town === undefined ? undefined : { city: town, state };
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
