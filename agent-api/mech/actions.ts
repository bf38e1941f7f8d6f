/** The tool of the mech: its actions, what each costs and needs. Prices are those of the specification. */

export const toolName = 'service_send_letter';

/** In wei of xDAI, 10⁻¹⁸. */
export const prices = {
  negotiate: 0n,
  track: 5_000_000_000_000_000n,
  send: 20_000_000_000_000_000n,
} as const;

export type Action = keyof typeof prices;
export const actions = Object.keys(prices) as Action[];

/**
 * Wei as a JSON integer. @throws RangeError for one that JSON numbers cannot hold exactly
 */
export const jsonInteger = (wei: bigint): number => {
  const number = Number(wei);
  if (BigInt(number) === wei && !String(number).includes('e')) return number;
  throw new RangeError(`${wei} wei is not an exact JSON number`);
};

/** `0.0200 xDAI`: four decimals, cut off below. */
export const inXdai = (wei: bigint): string => {
  const tenThousandths = wei / 10n ** 14n;
  const decimals = String(tenThousandths % 10_000n).padStart(4, '0');
  return `${tenThousandths / 10_000n}.${decimals} xDAI`;
};

export const priceOf = (action: Action) => ({
  price_wei: jsonInteger(prices[action]),
  price_human: inXdai(prices[action]),
});

export type Field = { type: 'string' | 'boolean' | 'integer'; description: string };

const text = (description: string): Field => ({ type: 'string', description });

const sideOf = (prefix: 'to' | 'from', whose: string): Record<string, Field> => ({
  [`${prefix}_name`]: text(`Name of the ${whose}`),
  [`${prefix}_line1`]: text('Street and number'),
  [`${prefix}_city`]: text('City'),
  [`${prefix}_postal_code`]: text('Postal code'),
  [`${prefix}_country`]: text('US, FR, GB, CA or DE'),
  [`${prefix}_company`]: text('Company'),
  [`${prefix}_line2`]: text('A second line of the address'),
  [`${prefix}_state`]: text('State or province'),
});

const service = text('Service, as GET /api/services/{country} lists them');
const intent = text('Intent class, as GET /api/anp/intent-classes lists them');

/** Fields of a letter, with all that an error tells to send. Drafts, quotes and files need the REST API. */
const letterFields: Record<string, Field> = {
  ...sideOf('to', 'recipient'),
  ...sideOf('from', 'sender'),
  content: text('Text or HTML of the letter'),
  document_url: text('Address of a PDF, instead of content'),
  content_type: text('text or html'),
  address_placement: text('Of a PDF: stamp, in_document or insert_page'),
  auto_fix: { type: 'boolean', description: 'Make a PDF fit the page' },
  accept_address_as_is: { type: 'boolean', description: 'Send to an address as it is written' },
  service,
  intent,
  reference: text('Your own reference'),
  color: { type: 'boolean', description: 'Print in colour' },
  duplex: { type: 'boolean', description: 'Print on both sides' },
};

const addressFields = ['name', 'line1', 'city', 'postal_code', 'country'];

/** The allowed and the required params of each action. */
export const paramsOf: Record<Action, { fields: Record<string, Field>; required: string[] }> = {
  send: {
    fields: letterFields,
    required: ['to', 'from'].flatMap((side) => addressFields.map((part) => `${side}_${part}`)),
  },
  track: {
    fields: { letter_id: text('Id of a letter that was sent through the mech') },
    required: ['letter_id'],
  },
  negotiate: {
    fields: {
      ...letterFields,
      pages: { type: 'integer', description: 'Number of pages, instead of content' },
      quantity: { type: 'integer', description: 'Number of letters that the price covers' },
    },
    required: ['intent', 'to_country'],
  },
};
