/** The rules on the lines of an address: characters, emptiness, length, punctuation. */
import { facts } from '../../contract/errors.ts';
import { countries } from '../countries.ts';
import type { Address, AddressIssue } from '../types.ts';
import type { CountryRules, LineField } from './rules.ts';
import {
  charactersNotAllowed,
  hasLetterOrDigit,
  hasOtherScript,
  isPlain,
  maxRawLength,
} from './text.ts';

type Field = keyof Address;

/** Signs that sorting machines and print partners refuse at the start of a line (GOV.UK Notify). */
const leading = /^[\\/,@()=[\]"”<>~]/;

const remedyOfLength: Record<LineField, string> = {
  name: 'shorten it or move a part to the company',
  company: 'shorten it or abbreviate its legal form',
  line1: 'move the end of it to the second address line',
  line2: 'shorten it or move a part to the first address line',
  city: 'abbreviate it',
};

/** An issue that makes a line impossible to print, even if the caller accepts warnings. */
export function unprintable(field: Field, text: string): AddressIssue | undefined {
  if (text.length > maxRawLength) {
    const detail = `{field} has ${text.length} characters and no line of an address may have more than ${maxRawLength}; shorten it`;
    const known = { at_most: maxRawLength };
    return { field, code: 'line_too_long', severity: 'error', detail, [facts]: known };
  }
  const characters = isPlain(text) ? [] : charactersNotAllowed(text);
  if (characters.length > 0) {
    const detail = `{field} has ${characters.join(', ')}, which cannot be printed on an envelope: an address has letters, digits and signs, and no control characters; remove it`;
    const known = { character: characters.join(', ') };
    return { field, code: 'character_not_allowed', severity: 'error', detail, [facts]: known };
  }
  if (text === '') {
    const detail = '{field} is missing; add it';
    return { field, code: 'line_empty', severity: 'error', detail };
  }
  if (hasLetterOrDigit(text)) return undefined;
  const detail =
    '{field} has no letter or digit and would print as an empty line; correct it or leave it out';
  return { field, code: 'line_empty', severity: 'error', detail };
}

/** Lines that the post reads by machine. People read the name. */
const readByMachine: ReadonlySet<LineField> = new Set(['line1', 'line2', 'city']);

/** Length and style of one line that is printable. */
export function lineIssues(rules: CountryRules, field: LineField, text: string): AddressIssue[] {
  const issues: AddressIssue[] = [];
  if (text.length > rules.maxLineLength)
    issues.push(tooLong(rules, field, text.length, '{field} has'));
  if (leading.test(text)) {
    const detail = `{field} begins with “${text.charAt(0)}”, which sorting machines may misread: a line begins with a letter or digit; remove it`;
    issues.push({ field, code: 'leading_character', severity: 'warning', detail });
  }
  if (readByMachine.has(field) && hasOtherScript(text)) {
    const detail = `{field} is not in Latin letters, which is what the post in ${countries[rules.country].name} reads; write it in Latin letters`;
    issues.push({ field, code: 'script_not_latin', severity: 'warning', detail });
  }
  const sign = rules.punctuation?.fields.has(field) ? rules.punctuation.pattern.exec(text) : null;
  if (sign !== null) {
    const detail = `{field} should not have “${sign[0]}” in it; ${rules.punctuation?.advice}`;
    issues.push({ field, code: 'punctuation', severity: 'warning', detail });
  }
  return issues;
}

/** A place that does not take letters at all. A company that is named like one has no number. */
export function parcelsOnlyFinding(
  { parcelsOnly }: CountryRules,
  { line1, line2 = '', company = '' }: Address,
): Pick<AddressIssue, 'field' | 'code' | 'detail'> | undefined {
  if (parcelsOnly === undefined) return undefined;
  const { pattern, detail } = parcelsOnly;
  const lines = { line1, line2, company: /\d/.test(company) ? company : '' };
  const field = (['line1', 'line2', 'company'] as const).find((name) => pattern.test(lines[name]));
  return field && { field, code: 'parcels_only', detail };
}

/** The printed line of the town can be too long where the town itself is not. */
export function townLineIssue(rules: CountryRules, address: Address): AddressIssue | undefined {
  if (address.city.length > rules.maxLineLength) return undefined;
  const longest = rules.townLines(address).find((line) => line.length > rules.maxLineLength);
  if (longest === undefined) return undefined;
  return tooLong(rules, 'city', longest.length, '{field} makes the line of town and postal code');
}

function tooLong(
  rules: CountryRules,
  field: LineField,
  length: number,
  subject: string,
): AddressIssue {
  const verb = subject.endsWith('has') ? '' : ' have';
  const country = countries[rules.country].name;
  const remedy = (field === 'city' ? rules.townAdvice : undefined) ?? remedyOfLength[field];
  const detail = `${subject}${verb} ${length} characters; address lines in ${country} have at most ${rules.maxLineLength} (${rules.maxLineSource}); ${remedy}`;
  const known = { at_most: rules.maxLineLength };
  return { field, code: 'line_too_long', severity: 'error', detail, [facts]: known };
}
