import type { DataValidateFunction, FuncKeywordDefinition } from 'ajv/dist/types/index.js';

/**
 * Characters that cannot be printed or that make a text read otherwise than it prints: controls,
 * lone surrogates, private use, bidi marks, zero-width characters, tags and noncharacters.
 */
const notAllowedInLine =
  /[\p{Cc}\p{Cs}\p{Co}\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff\u{e0000}-\u{e007f}]/u;
const notAllowedInBlock = new RegExp(`(?![\\n\\r\\t])${notAllowedInLine.source}`, 'u');

type ForbiddenCharacter = { character: string; index: number };

/** The first character that `kind` of text may not hold; `index` counts UTF-16 units from 0. */
const forbiddenCharacter = (
  text: string,
  kind: 'line' | 'block',
): ForbiddenCharacter | undefined => {
  const match = (kind === 'line' ? notAllowedInLine : notAllowedInBlock).exec(text);
  if (match === null) return undefined;
  const codePoint = match[0].codePointAt(0) ?? 0;
  return {
    character: `U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}`,
    index: match.index,
  };
};

/** The string keyword `x-text: 'line' | 'block'`; a block may hold line breaks and tabs. */
export const textKeyword: FuncKeywordDefinition = {
  keyword: 'x-text',
  type: 'string',
  schemaType: 'string',
  metaSchema: { enum: ['line', 'block'] },
  errors: true,
  compile: (kind: 'line' | 'block') => {
    const validate: DataValidateFunction = (text: string): boolean => {
      const found = forbiddenCharacter(text, kind);
      if (found === undefined) return true;
      validate.errors = [{ keyword: 'x-text', params: found, message: 'character not allowed' }];
      return false;
    };
    return validate;
  },
};
