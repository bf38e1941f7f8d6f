import type { FieldError } from '../contract/errors.ts';
import { maxJsonDepth, maxJsonValues } from '../ground/json-bounds.ts';

/** Far above any name of ours, and above the addresses that are names in UCANs. */
const maxNameChars = 4_096;

type Walk = { values: number };

const badText = (text: string): string | undefined => {
  if (!text.isWellFormed()) return 'half of a surrogate pair (no character)';
  return text.includes('\0') ? 'U+0000' : undefined;
};

const finding = (pointer: string, code: string, detail: string): FieldError => ({
  pointer: pointer.length > 200 ? '' : pointer,
  code,
  detail,
});

export const tooManyValues = (maxValues: number): FieldError =>
  finding('', 'too_long', `A body may hold at most ${maxValues} values.`);

export const tooDeep = (pointer: string): FieldError =>
  finding(pointer, 'too_deep', `Objects and arrays may be nested ${maxJsonDepth} deep.`);

const badString = (text: string, pointer: string): FieldError | undefined => {
  const character = badText(text);
  if (character === undefined) return undefined;
  const detail = `A text or name here contains ${character}, which cannot be stored. Remove it.`;
  return finding(pointer, 'character_not_allowed', detail);
};

const walk = (
  value: unknown,
  pointer: string,
  depth: number,
  seen: Walk,
): FieldError | undefined => {
  seen.values += 1;
  if (seen.values > maxJsonValues) return tooManyValues(maxJsonValues);
  if (typeof value === 'string') return badString(value, pointer);
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth >= maxJsonDepth) return tooDeep(pointer);
  for (const key in value) {
    if (key.length > maxNameChars) {
      const detail = `The name of a member may have at most ${maxNameChars} characters.`;
      return finding(pointer, 'too_long', detail);
    }
    const wrong =
      badString(key, pointer) ??
      walk((value as Record<string, unknown>)[key], `${pointer}/${key}`, depth + 1, seen);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
};

/**
 * Bounds what validation has to look at (depth, number of values), and refuses texts that are not
 * Unicode or that the database cannot hold, wherever they stand.
 */
export const notPlainJson = (value: unknown): FieldError | undefined =>
  walk(value, '', 0, { values: 0 });
