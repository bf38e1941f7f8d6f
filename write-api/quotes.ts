import type { LetterBeforeRules } from '../commands/guards/guarded-letter.ts';
import { recipientDigest } from '../commands/guards/guarded-letter.ts';
import type { CommandHandler } from '../commands/handling/handle.ts';
import type { SendContext } from '../commands/letters/pay-letter.ts';
import type { SendLetterService } from '../commands/letters/send-letter.ts';
import { bothAsIs, type Warning } from '../commands/preparation/check-letter.ts';
import { priceOf } from '../commands/preparation/letter-charge.ts';
import type {
  LetterQuote,
  QuoteLetter,
  QuoteRequest,
} from '../commands/preparation/quote-letter.ts';
import { type AnyOperation, operation } from '../contract/operation.ts';
import { totalCaveats } from '../contract/permits.ts';
import { invalidField } from '../contract/refusals.ts';
import { Type } from '../ground/type.ts';
import { assertPermitted } from '../identity/ucan/permits.ts';
import type { Limits } from '../limits/table.ts';
import { callerRefOf } from '../limits/turn.ts';
import { dollars } from '../money/amounts.ts';
import { totalOf } from '../money/charge.ts';
import type { Address } from '../postal/types.ts';
import { DryRun } from '../presenters/dry-run.ts';
import { presentQuoted, QuotedLetter } from '../presenters/quote.ts';
import { assertSends, presentDryRun } from './letters/dry-run.ts';
import {
  addressesOf,
  assertNoContentType,
  contentOf,
  placementOf,
  stationeryOf,
} from './letters/input.ts';
import { exampleLetter, QuoteBody } from './letters/schemas.ts';
import { maxTotalOf } from './letters/send.ts';
import { sendContextOf } from './letters/send-context.ts';

type QuotePorts = {
  quoteLetter: QuoteLetter;
  letters: Pick<SendLetterService, 'judgePriced'>;
  handler: CommandHandler;
  indexOf: (kind: string, value: string) => string;
  limits: Limits;
};

/** @throws AppError validation_failed */
const assertSomethingToPrice = (body: QuoteBody): void => {
  const { content, document, document_url: documentUrl } = body;
  if (content !== undefined || document !== undefined || documentUrl !== undefined) return;
  throw invalidField(
    '/pages',
    'required',
    'pages is missing. Send the number of pages, or the letter itself as content, document or document_url.',
  );
};

/** The source of the pages: their number, or the content itself. @throws AppError validation_failed */
const pagesOf = (body: QuoteBody, limits: Limits): QuoteRequest['of'] => {
  if (body.pages === undefined) {
    assertSomethingToPrice(body);
    return { content: contentOf(body, limits) };
  }
  if (![body.content, body.document_url, body.document].some((given) => given !== undefined)) {
    assertNoContentType(body);
    return { pages: body.pages };
  }
  throw invalidField('/pages', 'one_of', 'Send either pages or the letter itself, not both.');
};

const addressNames = ['name', 'line1', 'city', 'postal_code', 'country'] as const;

/** Addresses are optional in a quote; when both are whole they count. */
const wholeAddresses = (body: QuoteBody): QuoteRequest['addresses'] => {
  const whole = (['to', 'from'] as const).every((side) =>
    addressNames.every((name) => body[`${side}_${name}`] !== undefined),
  );
  return whole ? addressesOf(body) : undefined;
};

const recipientUnknown = () =>
  invalidField(
    '/to_name',
    'required',
    'A policy asks for the recipient, so dry_run needs both addresses: to_name, to_line1, to_city, to_postal_code, and the same of from.',
  );

/**
 * The facts about the letter that policies judge, as far as they are known.
 * @throws AppError validation_failed
 */
const guardedQuote = (
  { priced, recipient, contentKind }: LetterQuote,
  country: string,
  recipientOf: (to: Address) => string,
): LetterBeforeRules => ({
  country,
  service: priced.service,
  intent: priced.intent,
  contentKind,
  recipient() {
    if (!recipient) throw recipientUnknown();
    return recipientOf(recipient);
  },
});

const requestOf = (body: QuoteBody, limits: Limits): QuoteRequest => ({
  country: body.to_country,
  addresses: wholeAddresses(body),
  acceptAddressAsIs: bothAsIs(body.accept_address_as_is ?? false),
  of: pagesOf(body, limits),
  autoFix: body.auto_fix ?? false,
  placement: placementOf(body),
  service: body.service,
  intent: body.intent,
  color: body.color ?? false,
  duplex: body.duplex ?? true,
  sendDate: body.send_date,
  stationery: stationeryOf(body),
  reference: body.reference,
  dryRun: body.dry_run ?? false,
});

/** @throws AppError validation_failed */
const assertTodaysPrice = ({ commitment_id }: QuoteBody): void => {
  if (commitment_id === undefined) return;
  throw invalidField(
    '/commitment_id',
    'not_allowed',
    'A quote shows today’s price. GET /api/anp/commitments/{commitment_id} shows the agreed price.',
  );
};

/** A send with this `max_total` would be refused. @throws AppError validation_failed */
const aboutMaxTotal = ({ max_total }: QuoteBody, { fiat }: LetterQuote): Warning[] => {
  if (max_total === undefined) return [];
  const maxTotalMicro = maxTotalOf(max_total);
  const total = totalOf(fiat);
  if (total <= maxTotalMicro) return [];
  const detail = `The price is ${dollars(total)}, which is above max_total ${dollars(maxTotalMicro)}. A send with this max_total would be refused. Raise it or choose a cheaper service.`;
  return [{ pointer: '/max_total', code: 'max_total_exceeded', detail }];
};

/**
 * The outcome of sending a letter that is known only as far as it is quoted. The wallet need not cover it.
 */
const dryRun = async (
  { letters, indexOf }: QuotePorts,
  quoted: LetterQuote,
  country: string,
  context: SendContext,
) => {
  const recipientOf = (to: Address) => recipientDigest(indexOf, context.accountId, to);
  const letter = guardedQuote(quoted, country, recipientOf);
  const { subtotalMicro } = quoted.priced.subtotal;
  const judged = await letters.judgePriced(letter, subtotalMicro, context);
  return presentDryRun(priceOf(quoted.priced, judged.charge), judged);
};

export const quoteOperation = (ports: QuotePorts): AnyOperation =>
  operation({
    name: 'quote_letter',
    method: 'POST',
    path: '/api/quote',
    tag: 'Catalogue',
    summary: 'Price a letter',
    description: `Takes the body of a send; the only address field it needs is \`to_country\`. The price is valid for ${ports.limits.quoteMinutes} minutes for a send with the \`quote_id\`. With \`dry_run\`, nothing is kept: the answer says what the policies decide, and the price.`,
    access: 'read',
    permit: {
      about: 'account',
      honours: ['countries', 'services', 'intents', ...totalCaveats],
    },
    payable: true,
    upload: true,
    input: { body: QuoteBody(ports.limits) },
    responses: {
      200: {
        description: 'The price; with `dry_run`: what a send would come to',
        schema: Type.Union([QuotedLetter, DryRun]),
      },
    },
    examples: [
      { summary: 'By number of pages', body: { to_country: 'DE', pages: 2 } },
      { summary: 'With the letter itself', body: exampleLetter },
    ],
    errors: [
      'address_invalid',
      'service_not_available',
      'content_not_printable',
      'document_not_supported',
      'too_many_pages',
      'body_too_large',
      'overloaded',
      'html_unavailable',
      'exchange_rate_stale',
    ],
    async handle({ body, caller, command, address }) {
      assertTodaysPrice(body as QuoteBody);
      if (body.dry_run) assertSends(body as QuoteBody);
      const { limits } = ports;
      const quoted = await ports.quoteLetter(requestOf(body as QuoteBody, limits), {
        accountId: caller.accountId,
        by: callerRefOf(caller, address),
        test: caller.test,
        assertAllows: (letter) => assertPermitted(caller, letter),
      });
      if (body.dry_run) {
        const context = sendContextOf(ports, caller, command, address);
        return { body: await dryRun(ports, quoted, body.to_country, context) };
      }
      const warnings = [...quoted.warnings, ...aboutMaxTotal(body as QuoteBody, quoted)];
      return { body: presentQuoted({ ...quoted, warnings }) };
    },
  });
