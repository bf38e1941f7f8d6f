/** The body of a send or a quote, as the commands take it. */
import { sniffContentType } from '../../commands/preparation/content-type.ts';
import type { LetterContent, LetterInput } from '../../commands/preparation/letter-input.ts';
import type { Address, CountryCode } from '../../postal/types.ts';
import { invalidField } from '../invalid-field.ts';
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
  throw invalidField({
    pointer: '/content_type',
    code: 'only_with_content',
    detail: 'content_type says what content is; leave it out where there is no content.',
  });
};

/** What is printed: exactly one of content and document_url. @throws AppError validation_failed */
export const contentOf = (body: SendBody): LetterContent => {
  if (body.content !== undefined && body.document_url !== undefined) {
    throw invalidField({
      pointer: '/document_url',
      code: 'one_of',
      detail: 'Send content or document_url, not both.',
    });
  }
  if (body.content === undefined) assertNoContentType(body);
  if (body.document_url !== undefined) {
    return { kind: 'pdf', source: body.document_url };
  }
  if (body.content === undefined) {
    throw invalidField({
      pointer: '/content',
      code: 'required',
      detail: 'content is missing: send the text or HTML to print, or the document_url of a PDF.',
    });
  }
  const { content, content_type: type = sniffContentType(content) } = body;
  return type === 'html' ? { kind: 'html', html: content } : { kind: 'text', text: content };
};

export const inputOf = (body: SendBody, content: LetterContent): LetterInput => ({
  ...addressesOf(body),
  content,
  service: body.service,
  intent: body.intent,
  color: body.color ?? false,
  duplex: body.duplex ?? true,
  sendDate: body.send_date,
  reference: body.reference,
  metadata: body.metadata,
  autoFix: body.auto_fix ?? false,
  acceptAddressAsIs: body.accept_address_as_is ?? false,
});
