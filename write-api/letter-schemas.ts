/** What a caller sends about a letter. */
import Type, { type Static } from 'typebox';
import { defaultLimits as limits } from '../contract/limits.ts';
import { countryCodes, intents, serviceIds } from '../postal/types.ts';
import { Day, LetterId, OneOf } from '../presenters/common.ts';

/** Judged by the country's rules, which say more than a length here could. */
const AddressText = Type.String({ minLength: 1, maxLength: 300 });

const Line = (maxLength: number) =>
  Type.Unsafe<string>({ type: 'string', minLength: 1, maxLength, 'x-text': 'line' });

const required = <P extends 'to' | 'from'>(prefix: P) =>
  ({
    [`${prefix}_name`]: AddressText,
    [`${prefix}_line1`]: AddressText,
    [`${prefix}_city`]: AddressText,
    [`${prefix}_postal_code`]: AddressText,
    [`${prefix}_country`]: OneOf(countryCodes),
  }) as { [K in `${P}_${'name' | 'line1' | 'city' | 'postal_code'}`]: typeof AddressText } & {
    [K in `${P}_country`]: ReturnType<typeof OneOf<typeof countryCodes>>;
  };

const optional = <P extends 'to' | 'from'>(prefix: P) =>
  ({
    [`${prefix}_company`]: Type.Optional(AddressText),
    [`${prefix}_line2`]: Type.Optional(AddressText),
    [`${prefix}_state`]: Type.Optional(AddressText),
  }) as {
    [K in `${P}_${'company' | 'line2' | 'state'}`]: ReturnType<
      typeof Type.Optional<typeof AddressText>
    >;
  };

const Metadata = Type.Record(
  Type.String(),
  Type.Unsafe<string>({ type: 'string', maxLength: limits.metadataValueChars, 'x-text': 'line' }),
  {
    maxProperties: limits.metadataPairs,
    propertyNames: {
      minLength: 1,
      maxLength: limits.metadataKeyChars,
      pattern: '^[A-Za-z0-9_.:-]+$',
    },
    description: `Up to ${limits.metadataPairs} pairs of your own; letters can be listed by them.`,
  },
);

const Reference = Line(limits.referenceChars);
const Amount = Type.Number({ minimum: 0, maximum: 1_000_000, multipleOf: 0.01 });

const options = {
  content: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: limits.contentBytes,
      description:
        'Plain text, whose blank lines make paragraphs, or HTML (it then begins with a tag). HTML has no scripts and no network; its images are data URIs.',
    }),
  ),
  document_url: Type.Optional(
    Type.String({
      format: 'uri',
      maxLength: 2048,
      description:
        'https address of a PDF to print in place of content. It is fetched once, now, and checked: A4 (Letter to US and CA), fonts embedded, the address window and the margins free.',
    }),
  ),
  auto_fix: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'Makes a PDF fit: scales or shifts its pages, or puts an address page in front, which counts as a page. `warnings` say what was done.',
    }),
  ),
  service: Type.Optional(OneOf(serviceIds)),
  intent: Type.Optional(OneOf(intents)),
  color: Type.Optional(Type.Boolean({ default: false })),
  duplex: Type.Optional(Type.Boolean({ default: true })),
  send_date: Type.Optional(Day),
};

const sendOptions = {
  ...options,
  reference: Type.Optional(Reference),
  metadata: Type.Optional(Metadata),
  draft: Type.Optional(
    Type.Boolean({ default: false, description: 'Check and keep the letter without sending it.' }),
  ),
  hold_without_funds: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Keep the letter as a draft when the wallet does not cover it.',
    }),
  ),
  quote_id: Type.Optional(Type.String({ maxLength: 2000 })),
  max_total: Type.Optional(Amount),
  accept_address_as_is: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Turns errors in the form of an address into warnings.',
    }),
  ),
  letter_id: Type.Optional(LetterId),
};

const closed = { additionalProperties: false };

/** A whole letter; what is required is waived for a draft that is sent by its `letter_id`. */
const SendFields = Type.Object(
  {
    ...required('to'),
    ...optional('to'),
    ...required('from'),
    ...optional('from'),
    ...sendOptions,
  },
  closed,
);
export type SendBody = Partial<Static<typeof SendFields>>;

const { required: sendRequired, ...sendSchema } = SendFields as unknown as { required: string[] };

export const SendBody = Type.Unsafe<SendBody>({
  ...sendSchema,
  title: 'SendLetter',
  if: { required: ['letter_id'] },
  else: { required: sendRequired },
});

/** The body of a send, of which only the country and what makes the pages is needed. */
const { to_country, ...addresses } = {
  ...required('to'),
  ...optional('to'),
  ...required('from'),
  ...optional('from'),
};

export const QuoteBody = Type.Object(
  {
    to_country,
    ...(Object.fromEntries(
      Object.entries(addresses).map(([name, schema]) => [name, Type.Optional(schema)]),
    ) as Record<string, never>),
    ...sendOptions,
    pages: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: limits.pages,
        description: 'In place of the content itself.',
      }),
    ),
  },
  { ...closed, title: 'QuoteRequest' },
);
export type QuoteBody = SendBody & { to_country: (typeof countryCodes)[number]; pages?: number };

/** A letter as the documentation shows it; it can be sent as it is. */
export const exampleLetter = {
  to_name: 'Anna Müller',
  to_line1: 'Lindenstraße 5',
  to_city: 'Berlin',
  to_postal_code: '10969',
  to_country: 'DE',
  from_name: 'Bob Sender',
  from_line1: '350 5th Ave',
  from_city: 'New York',
  from_postal_code: '10118',
  from_country: 'US',
  content: 'Dear Anna,\n\nthis is a real letter.\n\nBob',
  reference: 'invoice-42',
};

const { to_name, to_line1, to_city, to_postal_code } = required('to');

export const UpdateBody = Type.Object(
  {
    to_name: Type.Optional(to_name),
    to_line1: Type.Optional(to_line1),
    to_city: Type.Optional(to_city),
    to_postal_code: Type.Optional(to_postal_code),
    to_country: Type.Optional(to_country),
    to_company: Type.Optional(Type.Union([AddressText, Type.Null()])),
    to_line2: Type.Optional(Type.Union([AddressText, Type.Null()])),
    to_state: Type.Optional(Type.Union([AddressText, Type.Null()])),
    reference: Type.Optional(Type.Union([Reference, Type.Null()])),
    metadata: Type.Optional(Type.Union([Metadata, Type.Null()])),
    accept_address_as_is: Type.Optional(Type.Boolean({ default: false })),
  },
  { ...closed, minProperties: 1, title: 'UpdateLetter' },
);
export type UpdateBody = Static<typeof UpdateBody>;
