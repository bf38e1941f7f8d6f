import { isUtf8 } from 'node:buffer';
import { AppError } from '../contract/errors.ts';
import { withoutByteOrderMark } from '../ground/byte-order-mark.ts';
import { exceededBound } from '../ground/json-bounds.ts';
import { tooDeep, tooManyValues } from './plain-json.ts';
import { refuseDuplicateNames } from './refuse-duplicate-names.ts';
import { refuseExponents } from './refuse-exponents.ts';
import { validationFailed } from './validation-failed.ts';

export type JsonRules = {
  /** Counted before anything is parsed. */
  maxValues: number;
  /** Refuses numbers with an exponent. */
  plainNumbers: boolean;
};

/** Only the place: the runtime's sentence repeats parts of the body. */
const notJson = (error: unknown): AppError => {
  const place = error instanceof Error && /at position (\d+)/.exec(error.message)?.[1];
  const where = place ? ` (a problem at character ${place})` : '';
  return new AppError(
    'invalid_json',
    `The body is not valid JSON${where}. Check quotes, commas and brackets.`,
  );
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw notJson(error);
  }
};

/**
 * The value of a JSON body.
 * @throws AppError validation_failed, invalid_encoding, invalid_json, duplicate_name
 */
export const parseJson = (bytes: Buffer, { maxValues, plainNumbers }: JsonRules): unknown => {
  const exceeded = exceededBound(bytes, maxValues);
  if (exceeded === 'values') throw validationFailed([tooManyValues(maxValues)]);
  if (exceeded === 'depth') throw validationFailed([tooDeep('')]);
  if (!isUtf8(bytes)) {
    throw new AppError('invalid_encoding', 'The body is not valid UTF-8. Encode it as UTF-8.');
  }
  const text = bytes.toString('utf8');
  const json = withoutByteOrderMark(text);
  const value = parsed(json);
  refuseDuplicateNames(json);
  if (plainNumbers) refuseExponents(json);
  return value;
};
