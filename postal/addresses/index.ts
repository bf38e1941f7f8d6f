/**
 * Addresses of the five countries: their problems, their normal form, and their printed lines. The other files
 * of this folder have the rules of each country.
 */
import { countries } from '../countries.ts';
import type { Address, AddressCheck, AddressIssue } from '../types.ts';
import { countryRules } from './format.ts';
import { lineIssues, parcelsOnlyFinding, townLineIssue, unprintable } from './lines.ts';
import { type Finding, postalCodeFinding, resolveState } from './postal-code.ts';
import type { CountryRules, LineField } from './rules.ts';
import { cleanText, isPlain, maxRawLength, plainCode, upperCase } from './text.ts';
import { bareTown, townFinding } from './town.ts';

export { formatAddressLines } from './format.ts';

type TextField = LineField | 'postalCode' | 'state';

const lineFields: readonly LineField[] = ['name', 'company', 'line1', 'line2', 'city'];
const textFields: readonly TextField[] = [...lineFields, 'postalCode', 'state'];
const asWritten = 'Set accept_address_as_is to send it as written.';

/**
 * Normalises an address and judges it by its country's rules. Never throws.
 *
 * `issues[].detail` is a sentence that begins with the literal `{field}`: replace that first
 * occurrence by the name the caller knows the field by (`to_postal_code`). `changes` lists every
 * field that differs from what was written; a derived state is a change from the empty string, a
 * blank optional line a change to it. `checkAddress(normalized)` changes nothing more.
 *
 * `asIs` makes warnings of `postal_code_invalid`, `postal_code_unassigned`, `postal_code_mismatch`, `state_required`,
 * `state_invalid`, `state_mismatch` and `parcels_only`. Lines that cannot be printed (`line_too_long`, `line_empty`,
 * `character_not_allowed`) stay errors.
 */
export function checkAddress(address: Address, options: { asIs?: boolean } = {}): AddressCheck {
  const rules = countryRules[address.country];
  const issues: AddressIssue[] = [];
  const normalized = cleaned(address);
  const broken = new Set<TextField>();
  for (const field of textFields) {
    const text = normalized[field];
    if (text === undefined) continue;
    const issue = unprintable(field, text);
    if (issue === undefined) continue;
    issues.push(issue);
    broken.add(field);
  }
  if (!broken.has('city') && !broken.has('postalCode') && !broken.has('state')) {
    const code = rules.canonicalPostalCode(normalized.postalCode);
    const { city, state } = bareTown(rules, normalized, code);
    normalized.city = city;
    if (state !== undefined) normalized.state = state;
  }
  for (const field of lineFields) {
    const text = normalized[field];
    if (text === undefined || broken.has(field)) continue;
    const rewritten = rewrite(rules, field, text);
    normalized[field] = rewritten;
    for (const issue of lineIssues(rules, field, rewritten)) issues.push(issue);
  }
  const parcelsOnly = parcelsOnlyFinding(rules, normalized);
  if (parcelsOnly !== undefined) issues.push(judged(parcelsOnly, options.asIs === true));
  checkPlace(rules, normalized, broken, options.asIs === true, issues);
  return { normalized, changes: changesBetween(address, normalized), issues };
}

/** The address with clean text and without its blank optional parts. */
function cleaned(address: Address): Address {
  const copy: Address = {
    name: clean(address.name),
    line1: clean(address.line1),
    city: clean(address.city),
    postalCode: plainCode(clean(address.postalCode)),
    country: address.country,
  };
  const company = clean(address.company ?? '');
  const line2 = clean(address.line2 ?? '');
  const state = clean(address.state ?? '');
  if (company !== '') copy.company = company;
  if (line2 !== '') copy.line2 = line2;
  if (state !== '') copy.state = state;
  return copy;
}

function clean(text: string): string {
  return text === '' || isPlain(text) || text.length > maxRawLength ? text : cleanText(text);
}

function rewrite(rules: CountryRules, field: LineField, text: string): string {
  const cased = rules.upperCase.has(field) ? upperCase(text) : text;
  return rules.rewrite === undefined ? cased : rules.rewrite(field, cased);
}

/** Postal code, state and the line they stand on. Writes the canonical forms into `address`. */
function checkPlace(
  rules: CountryRules,
  address: Address,
  broken: ReadonlySet<TextField>,
  asIs: boolean,
  issues: AddressIssue[],
): void {
  if (broken.has('postalCode')) return;
  const canonical = rules.canonicalPostalCode(address.postalCode);
  const finding = postalCodeFinding(rules, address, canonical);
  if (finding !== undefined) issues.push(judged(finding, asIs));
  if (canonical !== undefined) {
    address.postalCode = canonical;
    const contradiction = broken.has('city') ? undefined : townFinding(rules, address, canonical);
    if (contradiction !== undefined) issues.push(judged(contradiction, asIs));
  }
  if (!broken.has('state')) checkState(rules, address, canonical, asIs, issues);
  if (broken.has('city') || broken.has('state') || (canonical === undefined && !asIs)) return;
  const tooLong = townLineIssue(rules, address);
  if (tooLong !== undefined) issues.push(tooLong);
}

function judged(finding: Finding, asIs: boolean): AddressIssue {
  if (asIs) return { ...finding, severity: 'warning' };
  return { ...finding, severity: 'error', hint: finding.hint ?? asWritten };
}

function checkState(
  rules: CountryRules,
  address: Address,
  canonical: string | undefined,
  asIs: boolean,
  issues: AddressIssue[],
): void {
  if (rules.regions !== undefined) {
    const { state, finding } = resolveState(rules.regions, address, canonical);
    if (finding !== undefined) issues.push(judged(finding, asIs));
    if (state !== undefined) address.state = state;
  } else if (address.state !== undefined) {
    const detail = `{field} is not part of an address in ${countries[rules.country].name} and is not printed. Leave it out, or put it on the second address line if it must be printed`;
    issues.push({ field: 'state', code: 'state_not_printed', severity: 'warning', detail });
  }
}

function changesBetween(before: Address, after: Address): AddressCheck['changes'] {
  const changes: AddressCheck['changes'] = [];
  for (const field of textFields) {
    const from = before[field] ?? '';
    const to = after[field] ?? '';
    if (from !== to) changes.push({ field, from, to });
  }
  return changes;
}
