/**
 * Caveats: what they mean for letters, and when one is at least as narrow as another.
 * Source: UCAN 0.10.0 §3.2.6.3; facts/identity.md §1.5.
 */
import type { LetterCaveat } from '../../contract/permits.ts';
import type { Caveat } from './token.ts';

const isAmount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;
const isText = (value: unknown): boolean =>
  typeof value === 'string' && value !== '' && value.length <= 64;
const isTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.length > 0 && value.length <= 64 && value.every(isText);

const rules: Record<keyof LetterCaveat, { form: (value: unknown) => boolean; is: string }> = {
  letter_id: { form: isText, is: 'the id of a letter' },
  countries: { form: isTexts, is: 'a list of countries' },
  services: { form: isTexts, is: 'a list of services' },
  intents: { form: isTexts, is: 'a list of intents' },
  max_total_minor: { form: isAmount, is: 'a number of cents' },
  currency: { form: (value) => value === 'USD', is: '"USD"' },
  max_letters: { form: isAmount, is: 'a number' },
};

export const caveatNames = Object.keys(rules);

const isKnown = (name: string): name is keyof LetterCaveat => Object.hasOwn(rules, name);

/** Why a caveat cannot be honoured here; undefined when it can. */
export const caveatProblem = (caveat: Caveat): string | undefined => {
  for (const [name, value] of Object.entries(caveat)) {
    if (!isKnown(name)) {
      return `${name.slice(0, 64)} is not a known caveat. The caveats are ${caveatNames.join(', ')}.`;
    }
    if (!rules[name].form(value)) return `The caveat ${name} must be ${rules[name].is}.`;
  }
  return undefined;
};

/** Equality of JSON values whatever the order of their keys. */
const isSame = (a: unknown, b: unknown): boolean => {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every(
      (name) =>
        Object.hasOwn(b, name) &&
        isSame((a as Record<string, unknown>)[name], (b as Record<string, unknown>)[name]),
    )
  );
};

const isPrimitive = (value: unknown): boolean => typeof value !== 'object' || value === null;
/** Lists of objects are compared one with each other; longer ones count as another list. */
const maxComparedObjects = 64;

const isSubset = (child: unknown, parent: unknown): boolean => {
  if (!Array.isArray(child) || !Array.isArray(parent) || child.length === 0) return false;
  const primitives = new Set(parent.filter(isPrimitive));
  const objects = parent.filter((one) => !isPrimitive(one));
  const childObjects = child.filter((one) => !isPrimitive(one));
  if (Math.max(objects.length, childObjects.length) > maxComparedObjects) return false;
  return child.every((one) =>
    isPrimitive(one) ? primitives.has(one) : objects.some((other) => isSame(one, other)),
  );
};

const isAtMost = (child: unknown, parent: unknown): boolean =>
  typeof child === 'number' && typeof parent === 'number' && child <= parent;

/** Fields whose number may be lowered; of others only lists may be shortened. */
const lowerable = new Set(['max_total_minor', 'max_letters']);

/**
 * Whether `child` allows nothing that `parent` forbids: it has every field of it, at least as narrow.
 * @param letters whether the fields mean what they mean for letters
 */
export const caveatCovers = (parent: Caveat, child: Caveat, letters: boolean): boolean =>
  Object.entries(parent).every(([name, value]) => {
    if (!Object.hasOwn(child, name)) return false;
    const given = child[name];
    if (letters && lowerable.has(name)) return isAtMost(given, value);
    return isSame(given, value) || isSubset(given, value);
  });
