/** The body of a send or a quote, as the commands take it. */

import { bothAsIs } from '../../commands/preparation/check-letter.ts';
import { sniffContentType } from '../../commands/preparation/content-type.ts';
import type {
  AddressPlacement,
  LetterContent,
  LetterInput,
} from '../../commands/preparation/letter-input.ts';
import { logoIn, type StationeryInput } from '../../commands/preparation/stationery.ts';
import type { AppError } from '../../contract/errors.ts';
import { invalidField } from '../../contract/refusals.ts';
import { limitError } from '../../limits/limit-error.ts';
import type { Limits } from '../../limits/table.ts';
import type { Address, CountryCode } from '../../postal/types.ts';
import type { SendBody } from './schemas.ts';

const addressOf = (body: SendBody, prefix: 'to' | 'from'): Address => ({
  name: body[`${prefix}_name`] ?? '',
  line1: body[`${prefix}_line1`] ?? '',
  city: body[`${prefix}_city`] ?? '',
  postalCode: body[`${prefix}_postal_code`] ?? '',
  country: body[`${prefix}_country`] as CountryCode,
  company: body[`${prefix}_company`],
  line2: body[`${prefix}_line2`],
  state: body[`${prefix}_state`],
});

export const addressesOf = (body: SendBody): { to: Address; from: Address } => ({
  to: addressOf(body, 'to'),
  from: addressOf(body, 'from'),
});

/** @throws AppError validation_failed where there is no content that the type is of */
export const assertNoContentType = (body: SendBody): void => {
  if (body.content_type === undefined) return;
  throw invalidField(
    '/content_type',
    'only_with_content',
    'content_type describes content. Leave it out when there is no content.',
  );
};

const contentNames = ['content', 'document_url', 'document'] as const;

const tooLarge = (documentBytes: number): AppError => {
  const detail = `document may have at most ${documentBytes} bytes. Reduce the resolution of its images.`;
  return limitError('documentBytes', detail, {
    errors: [{ pointer: '/document', code: 'too_long', detail }],
    extra: { max_bytes: documentBytes },
  });
};

/** @throws AppError body_too_large; validation_failed for a value that is not valid base64 */
const bytesOf = (document: string | Buffer, { documentBytes }: Limits): Buffer => {
  if (Buffer.isBuffer(document)) {
    if (document.length > documentBytes) throw tooLarge(documentBytes);
    return document;
  }
  // Base64 was decoded where the body was read.
  throw invalidField(
    '/document',
    'base64',
    'document is not valid base64 (RFC 4648 §4: padded, on one line, without a data: prefix).',
  );
};

/** The content to print: exactly one of content, document_url and document. @throws AppError validation_failed */
export const contentOf = (body: SendBody, limits: Limits): LetterContent => {
  const [, second] = contentNames.filter((name) => body[name] !== undefined);
  if (second !== undefined) {
    throw invalidField(
      `/${second}`,
      'one_of',
      'Send only one of content, document_url and document.',
    );
  }
  if (body.content === undefined) assertNoContentType(body);
  if (body.document_url !== undefined) return { kind: 'pdf', source: body.document_url };
  if (body.document !== undefined) {
    return { kind: 'pdf', source: bytesOf(body.document, limits), pointer: '/document' };
  }
  if (body.content === undefined) {
    throw invalidField(
      '/content',
      'required',
      'content is missing. Send the text or HTML to print, or a PDF as document or document_url.',
    );
  }
  const { content, content_type: type = sniffContentType(content) } = body;
  return type === 'html' ? { kind: 'html', html: content } : { kind: 'text', text: content };
};

/** @throws AppError validation_failed where there is no PDF */
export const placementOf = (body: SendBody): AddressPlacement => {
  if (body.address_placement === undefined) return 'stamp';
  if (body.document_url !== undefined || body.document !== undefined) {
    return body.address_placement;
  }
  throw invalidField(
    '/address_placement',
    'only_with_document',
    'address_placement is for PDFs only. Text and HTML are laid out around the address.',
  );
};

/** @throws AppError validation_failed for a logo that is neither an id nor the data URI of an image */
export const stationeryOf = ({ language, date, logo, footer }: SendBody): StationeryInput => ({
  language,
  date,
  footer,
  logo: logo === undefined ? undefined : logoIn(logo),
});

export const inputOf = (body: SendBody, content: LetterContent): LetterInput => ({
  ...addressesOf(body),
  content,
  service: body.service,
  intent: body.intent,
  color: body.color ?? false,
  duplex: body.duplex ?? true,
  sendDate: body.send_date,
  stationery: stationeryOf(body),
  reference: body.reference,
  metadata: body.metadata,
  autoFix: body.auto_fix ?? false,
  placement: placementOf(body),
  acceptAddressAsIs: bothAsIs(body.accept_address_as_is ?? false),
});
