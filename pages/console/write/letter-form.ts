/** The letter in the fields of the form, as the operations take it. */
import { fieldsOf } from '../form.ts';

export const addressParts = [
  'name',
  'company',
  'line1',
  'line2',
  'postal_code',
  'city',
  'state',
  'country',
] as const;

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

/** The errors of a refusal, by the name of the field. */
export const wrongFields = (
  errors: readonly { pointer?: string; detail?: string }[] = [],
): Map<string, string> =>
  new Map(errors.map(({ pointer = '', detail = '' }) => [pointer.replace(/^\//, ''), detail]));
