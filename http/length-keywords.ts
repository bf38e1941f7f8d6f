/**
 * `maxLength` and `minLength` of JSON Schema, which count characters. Ajv counts the characters of every text. This
 * module counts them only where the units of UTF-16 do not decide, so that the length of a text costs nothing.
 */
import { _, type CodeKeywordDefinition, str } from 'ajv';

const charactersIn = (text: string): number => {
  let count = 0;
  for (const _character of text) count++;
  return count;
};

/** A character is one unit or two. */
const isLonger = (text: string, most: number): boolean =>
  text.length > most && (text.length > 2 * most || charactersIn(text) > most);

const isShorter = (text: string, least: number): boolean =>
  text.length < least || (text.length < 2 * least - 1 && charactersIn(text) < least);

const lengthKeyword = (
  keyword: 'maxLength' | 'minLength',
  comparison: 'more' | 'fewer',
  fails: (text: string, limit: number) => boolean,
): CodeKeywordDefinition & { keyword: string } => ({
  keyword,
  type: 'string',
  schemaType: 'number',
  error: {
    message: ({ schemaCode }) => str`must NOT have ${comparison} than ${schemaCode} characters`,
    params: ({ schemaCode }) => _`{limit: ${schemaCode}}`,
  },
  code(cxt) {
    const { gen, data, schemaCode } = cxt;
    cxt.fail(_`${gen.scopeValue('func', { ref: fails })}(${data}, ${schemaCode})`);
  },
});

export const lengthKeywords = [
  lengthKeyword('maxLength', 'more', isLonger),
  lengthKeyword('minLength', 'fewer', isShorter),
];
