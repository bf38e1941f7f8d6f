import { AppError } from '../contract/errors.ts';

const ofUtf8 = /^application\/x-www-form-urlencoded\s*(?:;\s*charset="?utf-8"?\s*)?$/i;

export const isUrlEncodedType = (type: string): boolean => ofUtf8.test(type);

const ampersand = 0x26;

/** Before anything is decoded: a million empty fields fit in one megabyte. */
const assertFewFields = (bytes: Buffer, most: number): void => {
  let count = 1;
  for (let at = bytes.indexOf(ampersand); at >= 0; at = bytes.indexOf(ampersand, at + 1)) {
    count += 1;
    if (count > most) {
      throw new AppError('invalid_form', `The form has more than ${most} fields.`);
    }
  }
};

export type FormField = [name: string, value: string];

/** The fields in their order; a name may come several times. @throws AppError invalid_form */
export const urlEncodedFields = (bytes: Buffer, most: number): FormField[] => {
  assertFewFields(bytes, most);
  return [...new URLSearchParams(bytes.toString('utf8'))];
};
