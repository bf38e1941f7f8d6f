/** Requests about letters, within the configured limits. */
import type { Static, TObject, TSchema } from 'typebox';
import { contentTypes } from '../../commands/preparation/content-type.ts';
import { addressPlacements } from '../../commands/preparation/letter-input.ts';
import {
  footerCharsMax,
  logoBytesMax,
  logoPixelsMax,
} from '../../commands/preparation/stationery.ts';
import { Type } from '../../ground/type.ts';
import type { Limits } from '../../limits/table.ts';
import { footerText, languages } from '../../postal/stationery.ts';
import { countryCodes, intents, serviceIds } from '../../postal/types.ts';
import {
  CommitmentId,
  Day,
  LetterId,
  Line,
  OneOf,
  QuoteId,
  withElsewhere,
} from '../../presenters/common.ts';

/** Judged by the country's rules, which say more than a length here could. */
const AddressText = Type.String({ minLength: 1, maxLength: 300 });

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

const Metadata = ({ metadataPairs, metadataKeyChars, metadataValueChars }: Limits) =>
  Type.Record(
    Type.String(),
    Type.Unsafe<string>({ type: 'string', maxLength: metadataValueChars, 'x-text': 'line' }),
    {
      maxProperties: metadataPairs,
      propertyNames: {
        minLength: 1,
        maxLength: metadataKeyChars,
        pattern: '^[A-Za-z0-9_.:-]+$',
        description: 'Names have letters a to z, digits and _ . : - only.',
      },
      description: `Up to ${metadataPairs} key-value pairs of your own, by which you can filter lists of letters.`,
    },
  );

const Reference = ({ referenceChars }: Limits) => Line(referenceChars);
const MaxTotal = Type.Number({
  minimum: 0,
  maximum: 1_000_000,
  multipleOf: 0.01,
  description:
    'The most that the letter may cost in all, in US dollars. Above it, the request is refused with `max_total_exceeded`.',
});

/** The size of `content` is judged in bytes, with an error of its own (commands/preparation/check-letter.ts). */
const contentOptions = ({ contentBytes, documentBytes }: Limits) => ({
  content: Type.Optional(
    Type.String({
      minLength: 1,
      // Escapes make three bytes of one, unless every letter is written as one.
      'x-max-bytes': 3 * contentBytes,
      description: `Plain text or HTML. In plain text, blank lines separate paragraphs, and tab stops are 8 digits apart. Markdown is not interpreted. At most ${contentBytes} bytes in UTF-8. HTML runs without scripts and network; its images are data URIs.`,
    }),
  ),
  content_type: Type.Optional(
    OneOf(
      contentTypes,
      'The type of `content`. By default HTML if the content begins with a tag, a comment or a doctype, otherwise text.',
    ),
  ),
  document_url: Type.Optional(
    Type.String({
      format: 'uri',
      maxLength: 2048,
      description:
        'https address of a PDF to print instead of content. The service fetches it once, now, and checks it: A4 (Letter to US and CA), embedded fonts, nothing in the address window and the margins.',
    }),
  ),
  document: Type.Optional(
    Type.Unsafe<string | Buffer>({
      type: 'string',
      minLength: 1,
      contentEncoding: 'base64',
      contentMediaType: 'application/pdf',
      'x-max-bytes': Math.ceil(documentBytes / 3) * 4,
      description: `The PDF itself in base64, instead of content; checked like document_url. At most ${documentBytes} bytes. In a form (multipart/form-data) send the PDF as a file.`,
    }),
  ),
  address_placement: Type.Optional(
    OneOf(
      addressPlacements,
      'How the address gets onto a PDF. `stamp` (default): the service prints it onto the first page. `in_document`: the PDF already shows it in the window, as text that is legible on paper; the service reads it, compares it with `to_name`, `to_line1`, `to_postal_code` and `to_city`, and prints nothing onto the page. `insert_page`: the service adds a page in front with address, sender, date and reference. That page counts, and the first page of the document then needs no free address field.',
    ),
  ),
  auto_fix: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'Makes a PDF fit: scales or shifts its pages, or adds an address page in front, which counts as a page. Shrinks HTML that is slightly too wide. `warnings` list the changes.',
    }),
  ),
});

const printOptions = (limits: Limits) => ({
  ...contentOptions(limits),
  service: Type.Optional(
    OneOf(
      serviceIds,
      'By default the cheapest service of the country, or the cheapest that meets `intent`.',
    ),
  ),
  intent: Type.Optional(
    OneOf(
      intents,
      'What the letter is for. Default: `transactional`. `confidential`, `legal_compliance`, `regulatory_filing` and `time_critical` promise a deadline or a proof; a `service` sent with them must keep that promise. For the other two, `warnings` list what the service lacks.',
    ),
  ),
  color: Type.Optional(Type.Boolean({ default: false })),
  duplex: Type.Optional(Type.Boolean({ default: true })),
  send_date: Type.Optional(Day),
  language: Type.Optional(
    OneOf(
      languages,
      'Language of the text that the service prints and mails, such as the date. Default: by the country of the sender.',
    ),
  ),
  date: Type.Optional(
    Type.Union([Day, Type.Literal(false)], {
      description:
        'The day in the date line, or false for no date. Default: the day of hand-over to the post.',
    }),
  ),
  logo: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: Math.ceil(logoBytesMax / 3) * 4 + 40,
      'x-max-bytes': Math.ceil(logoBytesMax / 3) * 4 + 40,
      description: `The \`logo_id\` of an uploaded logo (POST /api/logos), or a PNG or JPEG as data URI (data:image/png;base64,…) of at most ${logoBytesMax} bytes and ${logoPixelsMax} pixels. Printed at the top right of the first page, in at most 70 × 22 mm.`,
    }),
  ),
  footer: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: footerCharsMax,
      description: `Small print at the foot of the first page, such as bank, register and contact. At most ${footerText.linesMax} lines.`,
    }),
  ),
});

const sendOptions = (limits: Limits) => ({
  ...printOptions(limits),
  reference: Type.Optional(Reference(limits)),
  metadata: Type.Optional(Metadata(limits)),
  draft: Type.Optional(
    Type.Boolean({ default: false, description: 'Check and keep the letter without sending it.' }),
  ),
  hold_without_funds: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'If the wallet does not cover the price, keep the letter as a draft.',
    }),
  ),
  quote_id: Type.Optional(QuoteId),
  commitment_id: Type.Optional(CommitmentId),
  max_total: Type.Optional(MaxTotal),
  accept_address_as_is: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Turns errors in the format of an address into warnings.',
    }),
  ),
  letter_id: Type.Optional(LetterId),
  dry_run: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'Only says the outcome. The answer has the decision of the policies and the price. Nothing is stored, held or charged, and an `Idempotency-Key` has no effect.',
    }),
  ),
});

const addresses = {
  ...required('to'),
  ...optional('to'),
  ...required('from'),
  ...optional('from'),
};

const sendFields = (limits: Limits) => Type.Exact({ ...addresses, ...sendOptions(limits) });

export type SendBody = Partial<Static<ReturnType<typeof sendFields>>>;

/** A whole letter; required fields are waived for a draft that is sent by its `letter_id`. */
export const SendBody = (limits: Limits) => {
  const { required: sendRequired, ...schema } = sendFields(limits) as unknown as {
    required: string[];
  };
  return Type.Unsafe<SendBody>({
    ...schema,
    title: 'SendLetter',
    if: { required: ['letter_id'] },
    else: { required: sendRequired },
  });
};

/** The body of a send that is paid by itself: neither a draft nor held, and new. */
export const OrderBody = <P extends Record<string, TSchema>>(limits: Limits, payer: P) => {
  const { draft, hold_without_funds, letter_id, commitment_id, dry_run, ...options } =
    sendOptions(limits);
  const schema = Type.Exact({ ...addresses, ...options, ...payer });
  return Type.Unsafe<SendBody & Static<TObject<P>>>({ ...schema, title: 'OrderRequest' });
};

const { to_country, ...otherAddressFields } = addresses;
const optionalAddressFields = Object.fromEntries(
  Object.entries(otherAddressFields).map(([name, schema]) => [name, Type.Optional(schema)]),
) as Record<string, never>;

/** The body of a send, of which only the country and the source of the pages are needed. */
export const QuoteBody = (limits: Limits) =>
  Type.NamedExact('QuoteRequest', {
    to_country,
    ...optionalAddressFields,
    ...sendOptions(limits),
    pages: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: limits.pages,
        description: 'To send instead of the content itself.',
      }),
    ),
  });
export type QuoteBody = SendBody & { to_country: (typeof countryCodes)[number]; pages?: number };

const { to_name, to_line1, to_city, to_postal_code } = addresses;
const orNull = Type.Optional(Type.Union([AddressText, Type.Null()]));

/** Names of the fields of `UpdateBody`. */
export const updateFields: ReadonlySet<string> = new Set([
  ...Object.keys({ ...required('to'), ...optional('to') }),
  ...['reference', 'metadata', 'accept_address_as_is', 'max_total'],
]);

const lasting = (limits: Limits): string[] =>
  Object.keys({ ...addresses, ...sendOptions(limits) }).filter(
    (name) => !updateFields.has(name) && name !== 'letter_id',
  );

/** The changes that a letter accepts; null removes. */
export const UpdateBody = (limits: Limits) =>
  withElsewhere(
    Type.Object(
      {
        to_name: Type.Optional(to_name),
        to_line1: Type.Optional(to_line1),
        to_city: Type.Optional(to_city),
        to_postal_code: Type.Optional(to_postal_code),
        to_country: Type.Optional(to_country),
        to_company: orNull,
        to_line2: orNull,
        to_state: orNull,
        reference: Type.Optional(Type.Union([Reference(limits), Type.Null()])),
        metadata: Type.Optional(Type.Union([Metadata(limits), Type.Null()])),
        accept_address_as_is: Type.Optional(Type.Boolean({ default: false })),
        max_total: Type.Optional(MaxTotal),
      },
      { additionalProperties: false, minProperties: 1, title: 'UpdateLetter' },
    ),
    lasting(limits),
    'Only recipient, reference and metadata of a letter can change. To change anything else, cancel it and send a new letter.',
  );
export type UpdateBody = Static<ReturnType<typeof UpdateBody>>;

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
