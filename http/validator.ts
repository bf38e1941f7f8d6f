import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { TSchema } from 'typebox';
import { lazily } from '../ground/lazily.ts';
import { formatKeyword } from './format-keyword.ts';
import { lengthKeywords } from './length-keywords.ts';
import { textKeyword } from './text-keyword.ts';

const makeAjv = (options: {
  coerceTypes: false | 'array';
  useDefaults: boolean;
  /** Off where text becomes numbers: 1e999 is then out of range, and not skipped as no number. */
  strictNumbers: boolean;
}): Ajv2020 => {
  const ajv = new Ajv2020({
    ...options,
    strict: true,
    strictRequired: false,
    strictTypes: false,
    allErrors: true,
    verbose: true,
    ownProperties: true,
    // A start compiles a hundred schemas. A test checks that they are JSON Schema, and shorter code is no faster.
    validateSchema: false,
    code: { optimize: false },
    multipleOfPrecision: 6, // 4.48 is a multiple of 0.01, though not in binary
  });
  ajv.removeKeyword(formatKeyword.keyword).addKeyword(formatKeyword).addKeyword(textKeyword);
  for (const keyword of lengthKeywords) ajv.removeKeyword(keyword.keyword).addKeyword(keyword);
  ajv.addVocabulary([
    'example',
    'x-elsewhere',
    'x-hint',
    'x-max-bytes',
    'x-max-values',
    'x-personal',
  ]);
  return ajv;
};

export type Validators = {
  /** For bodies and responses: nothing is converted, except ids in upper case. */
  exact: (schema: TSchema) => ValidateFunction;
  /** For what comes as text (paths, queries): converted in place to the schema's types. */
  coercing: (schema: TSchema) => ValidateFunction;
};

/** Compiles each schema once. Applications of one process share it by its text, for each makes its own schemas. */
const compilerOf = (ajv: Ajv2020): ((schema: TSchema) => ValidateFunction) => {
  const compiled = new Map<string, ValidateFunction>();
  return (schema) => {
    const text = JSON.stringify(schema);
    const validate = compiled.get(text) ?? ajv.compile(schema);
    compiled.set(text, validate);
    return validate;
  };
};

const compilers = lazily({
  exact: () => compilerOf(makeAjv({ coerceTypes: false, useDefaults: false, strictNumbers: true })),
  coercing: () =>
    compilerOf(makeAjv({ coerceTypes: 'array', useDefaults: true, strictNumbers: false })),
});

/** Compilers of schemas (JSON Schema 2020-12, strict: an unknown keyword or format throws). */
export const makeValidators = (): Validators => ({
  exact: (schema) => compilers.exact(schema),
  coercing: (schema) => compilers.coercing(schema),
});
