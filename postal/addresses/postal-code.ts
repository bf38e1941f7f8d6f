/** The rules on postal code and state. Each returns its finding, or nothing where all is well. */
import { type Facts, facts } from '../../contract/errors.ts';
import type { Address, AddressIssue, CountryCode } from '../types.ts';
import { countryRules } from './format.ts';
import { type CountryRules, type Regions, regionKey } from './rules.ts';

/** Without its severity: a caller may have chosen to send the address as it is. */
export type Finding = Pick<AddressIssue, 'field' | 'code' | 'detail' | 'hint' | typeof facts>;

const fiveDigits = /^\d{5}$/;
const zipPlusFour = /^\d{5}-\d{4}$/;
const longestQuote = 40;

/** A caller's text for a sentence; cut, so that an answer is no larger than its request. */
function quoted(text: string): string {
  return text.length <= longestQuote ? text : `${text.slice(0, longestQuote)}…`;
}

/** @param canonical the postal code in canonical form, undefined where it has no such form */
export function postalCodeFinding(
  rules: CountryRules,
  { postalCode: text, city }: Pick<Address, 'postalCode' | 'city'>,
  canonical: string | undefined,
): Finding | undefined {
  if (canonical === undefined) return invalidCode(rules, text);
  const reason = rules.unassignedReason(canonical, city);
  if (reason === undefined) return undefined;
  const detail = `{field} ${canonical} does not exist: ${reason}; check its digits and letters`;
  const hint = countryHint(rules.country, canonical);
  return { field: 'postalCode', code: 'postal_code_unassigned', detail, hint };
}

function invalidCode(rules: CountryRules, text: string): Finding {
  const suggestion = rules.suggestPostalCode(text);
  const remedy =
    suggestion === undefined
      ? 'write the code that belongs to the street and town'
      : `did you mean ${suggestion}?`;
  const other = rules.postalCodeHint?.(text);
  // Many callers read the detail alone, and the code that it suggests may be that of another town.
  const detail = [`{field} ${quoted(text)} is not ${rules.postalCodeName}; ${remedy}`, other ?? []]
    .flat()
    .join(' ');
  const hint = other ?? countryHint(rules.country, text);
  const known: Facts = suggestion === undefined ? {} : { suggestion };
  return { field: 'postalCode', code: 'postal_code_invalid', detail, hint, [facts]: known };
}

/** Recognises the code of another country by its shape. */
function countryHint(country: CountryCode, text: string): string | undefined {
  const likely = likelyCountries(text).filter((other) => other !== country);
  if (likely.length === 0) return undefined;
  const names = likely.join(' or ');
  return `It looks like a ${names} ${likely.includes('GB') ? 'postcode' : 'postal code'}; is the country right?`;
}

function likelyCountries(text: string): CountryCode[] {
  if (zipPlusFour.test(text)) return ['US'];
  if (fiveDigits.test(text)) {
    const fiveDigitCountries: CountryCode[] = ['US', 'FR', 'DE'];
    return fiveDigitCountries.filter((c) => countryRules[c].unassignedReason(text) === undefined);
  }
  const lettered: CountryCode[] = ['GB', 'CA'];
  return lettered.filter((country) => {
    const rules = countryRules[country];
    const canonical = rules.canonicalPostalCode(text);
    return canonical !== undefined && rules.unassignedReason(canonical) === undefined;
  });
}

/**
 * The state as its two-letter code, derived from the postal code where it is missing.
 * @param canonical the postal code in canonical form, undefined where it has no such form
 */
export function resolveState(
  regions: Regions,
  address: Address,
  canonical: string | undefined,
): { state: string | undefined; finding?: Finding } {
  const derived =
    canonical === undefined ? undefined : regions.ofPostalCode(canonical, address.city);
  const written = address.state;
  if (written === undefined) {
    return derived === undefined
      ? { state: undefined, finding: missingState(regions, address) }
      : { state: derived };
  }
  const state = regions.names.has(written) ? written : regions.aliases.get(regionKey(written));
  if (state === undefined)
    return { state: written, finding: unknownState(regions, written, derived) };
  if (derived === undefined || derived === state) return { state };
  if (regions.isFurtherOf?.(state, canonical ?? '', address.city)) return { state };
  return { state, finding: mismatch(regions, state, canonical ?? '', derived) };
}

function missingState(regions: Regions, address: Address): Finding {
  const detail =
    `{field} is needed and cannot be derived from the postal code ${quoted(address.postalCode)}; ` +
    `correct the postal code or give the two-letter code of the ${regions.kind}`;
  return { field: 'state', code: 'state_required', detail };
}

function unknownState(regions: Regions, written: string, derived: string | undefined): Finding {
  const remedy =
    derived === undefined
      ? 'give its two-letter code'
      : `by the postal code it is ${derived} (${regions.names.get(derived)})`;
  const detail = `{field} ${quoted(written)} is not a ${regions.kind}; ${remedy}`;
  return {
    field: 'state',
    code: 'state_invalid',
    detail,
    hint: 'Leave it out to have it derived.',
  };
}

function mismatch(regions: Regions, state: string, postalCode: string, derived: string): Finding {
  const detail =
    `{field} ${state} does not fit the postal code ${postalCode}, which is in ${derived} ` +
    `(${regions.names.get(derived)}); correct the one that is wrong`;
  return { field: 'state', code: 'state_mismatch', detail };
}
