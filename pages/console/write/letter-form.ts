/** The letter in the fields of the form, as the operations take it. */
import { addressParts } from '../address-fields.ts';
import { fieldsOf } from '../form.ts';

const textNames = [
  ...addressParts.map((part) => `to_${part}`),
  ...addressParts.map((part) => `from_${part}`),
  ...['content', 'service', 'reference', 'send_date'],
];

const ticks = ['accept_address_as_is', 'auto_fix'] as const;

/** How a PDF is printed, which the operations take with a PDF only. */
const pdfOptions = (form: URLSearchParams, document: Uint8Array | undefined) =>
  document === undefined ? {} : { ...fieldsOf(form, ['address_placement']), document };

export const letterIn = (
  form: URLSearchParams,
  document?: Uint8Array,
): Record<string, unknown> => ({
  ...fieldsOf(form, textNames),
  ...pdfOptions(form, document),
  ...Object.fromEntries(ticks.filter((name) => form.has(name)).map((name) => [name, true])),
  color: form.has('color'),
  duplex: form.has('duplex'),
});
