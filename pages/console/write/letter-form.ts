/** The letter in the fields of the form, as the operations take it. */
import { addressParts } from '../address-fields.ts';
import { fieldsOf } from '../form.ts';

const textNames = [
  ...addressParts.map((part) => `to_${part}`),
  ...addressParts.map((part) => `from_${part}`),
  ...['content', 'service', 'reference', 'send_date'],
];

export const letterIn = (form: URLSearchParams): Record<string, unknown> => ({
  ...fieldsOf(form, textNames),
  color: form.has('color'),
  duplex: form.has('duplex'),
});
