import Type from 'typebox';
import {
  createDocumentCheck,
  type DocumentPlace,
  type DocumentPorts,
  loadDocument,
  presentFinding,
} from '../commands/preparation/check-document.ts';
import { checkAddresses, checkText } from '../commands/preparation/check-letter.ts';
import type { PriceRequest } from '../commands/preparation/letter-input.ts';
import { assertSendDate } from '../commands/preparation/prepare-letter.ts';
import { type PricedLetter, priceLetter } from '../commands/preparation/price-letter.ts';
import { toTimestamp } from '../contract/clock.ts';
import { AppError } from '../contract/errors.ts';
import { type AnyOperation, operation } from '../contract/operation.ts';
import { assertPermitted } from '../identity/ucan/permits.ts';
import { centsToNumber } from '../money/amounts.ts';
import { presentQuote, splitCharge } from '../money/charge.ts';
import { formatAddressLines } from '../postal/addresses/index.ts';
import { handoverDate } from '../postal/delivery-window.ts';
import type { FontMetrics } from '../postal/line-breaker.ts';
import type { Envelope } from '../postal/paper.ts';
import { intents, serviceIds } from '../postal/types.ts';
import { OneOf, Timestamp, Usd } from '../presenters/common.ts';
import { Finding, Warning } from '../presenters/letter-schemas.ts';
import type { WriteContext } from './context.ts';
import { contentOf, inputOf } from './letters/input.ts';
import { exampleLetter, QuoteBody } from './letters/schemas.ts';
import {
  type Asked,
  type KeepQuoted,
  keepFitting,
  previewUrl,
  showingRefusals,
} from './quote-documents.ts';

const Lines = Type.Object(
  { postage: Usd, print: Usd, commission: Usd, total: Usd, currency: Type.Literal('USD') },
  { title: 'QuotedPrice', description: 'postage + print + commission = total.' },
);

const QuoteResponse = Type.Object(
  {
    quote_id: Type.String({
      description: 'Give it to send: the letter then costs what is quoted.',
    }),
    service: OneOf(serviceIds),
    intent: OneOf(intents),
    pages: Type.Integer(),
    sheets: Type.Integer(),
    postage: Usd,
    print: Usd,
    commission: Usd,
    total: Usd,
    currency: Type.Literal('USD'),
    payment: OneOf(['fiat', 'crypto'] as const, 'Which of the two prices the lines above show.'),
    crypto: Lines,
    fiat: Lines,
    local: Type.Object({
      currency: Type.String(),
      postage: Type.Number({ description: 'What the operator charges, in its currency.' }),
      rate: Type.String({ description: 'USD for one unit of it.' }),
    }),
    pricing_version: Type.String(),
    expires_at: Timestamp,
    warnings: Type.Array(Warning),
    findings: Type.Array(Finding, {
      description: 'Of the preflight of a PDF; errors only where `auto_fix` removes them.',
    }),
    preview_url: Type.Union([Type.String(), Type.Null()], {
      description:
        'Of page 1 as it would be printed, on this service; other pages likewise, until the quote expires. Null for a quote by number of pages.',
    }),
    test: Type.Boolean(),
  },
  { title: 'Quote' },
);

const addressNames = ['name', 'line1', 'city', 'postal_code'] as const;

/** Addresses are optional in a quote; when both are whole they are checked. */
const addressesOf = (body: QuoteBody) => {
  const whole = (['to', 'from'] as const).every(
    (side) =>
      body[`${side}_country`] !== undefined &&
      addressNames.every((name) => body[`${side}_${name}`] !== undefined),
  );
  if (!whole) return { warnings: [], to: ['-'], from: ['-'] };
  const input = inputOf(body, { kind: 'text', text: '' });
  const { to, from, warnings } = checkAddresses(input, input.acceptAddressAsIs);
  const international = from.country !== to.country;
  return {
    warnings,
    to: formatAddressLines(to),
    from: formatAddressLines(from, { international }),
  };
};

type Count = Extract<PriceRequest, { count: unknown }>['count'];

/** What makes the pages: the content itself, or their number; and what is to be said about it. */
const sourceOf = async (
  body: QuoteBody,
  { to, from }: Pick<DocumentPlace, 'to' | 'from'>,
  asked: Asked,
  context: QuoteContext,
) => {
  if (body.pages !== undefined) {
    if (body.content === undefined && body.document_url === undefined) {
      return { source: { pages: body.pages } };
    }
    const detail = 'Send pages or the content itself, not both.';
    throw new AppError('validation_failed', detail, {
      errors: [{ pointer: '/pages', code: 'one_of', detail }],
    });
  }
  const content = contentOf(body);
  if (content.kind === 'text') {
    const text = checkText(content.text, context.metrics, context.limits);
    return { source: { text }, given: { kind: content.kind, bytes: Buffer.from(text) } };
  }
  const { to_country: country, reference, auto_fix: autoFix = false } = body;
  const place = { country, to, from, reference, autoFix };
  const document = await loadDocument(content, context);
  const bytes = document.kind === 'pdf' ? document.pdf : Buffer.from(document.html);
  const given = { kind: document.kind, bytes };
  const check = createDocumentCheck(document, place, context);
  const checkOn = showingRefusals(check.on, asked, given, place, body, context.keepQuoted);
  const count: Count = async (service, envelope) => (await checkOn(service, envelope)).pages;
  const about = ({ service, envelope }: PricedLetter) => checkOn(service, envelope as Envelope);
  return { source: { count }, about, given };
};

type QuoteContext = Pick<WriteContext, 'quotes' | 'clock' | 'limits'> &
  DocumentPorts & {
    metrics: FontMetrics;
    cancellationWindowMs: number;
    keepQuoted: KeepQuoted;
  };

const present = (lines: ReturnType<typeof presentQuote>) => ({
  postage: centsToNumber(lines.postage),
  print: centsToNumber(lines.print),
  commission: centsToNumber(lines.commission),
  total: centsToNumber(lines.total),
  currency: 'USD' as const,
});

export const quoteOperations = (context: QuoteContext): AnyOperation[] => [
  operation({
    name: 'quote_letter',
    method: 'POST',
    path: '/api/quote',
    tag: 'Catalogue',
    summary: 'Price a letter',
    description: `Takes the body of a send; of the addresses only \`to_country\` is needed. The price holds for ${context.limits.quoteMinutes} minutes for a send with the \`quote_id\`.`,
    access: 'read',
    payable: true,
    input: { body: QuoteBody(context.limits) },
    responses: { 200: { description: 'The price', schema: QuoteResponse } },
    examples: [
      { summary: 'By number of pages', body: { to_country: 'DE', pages: 2 } },
      { summary: 'The letter itself', body: exampleLetter },
    ],
    errors: [
      'address_invalid',
      'service_not_available',
      'content_not_printable',
      'document_not_supported',
      'too_many_pages',
      'body_too_large',
      'overloaded',
      'exchange_rate_stale',
    ],
    async handle(request) {
      const { caller } = request;
      const body = request.body as QuoteBody;
      const { to_country: country, color = false, duplex = true } = body;
      const now = context.clock();
      assertSendDate(body.send_date, now, context.limits);
      const sendAt = body.send_date === undefined ? 0 : Date.parse(`${body.send_date}T00:00:00Z`);
      const on = handoverDate(country, Math.max(now + context.cancellationWindowMs, sendAt));
      const wanted = { country, service: body.service, intent: body.intent, color, duplex, on };
      const { warnings, ...lines } = addressesOf(body);
      const at = toTimestamp(now);
      const expiresAt = toTimestamp(now + context.limits.quoteMinutes * 60_000);
      const asked = { caller, at, expiresAt };
      const { source, about, given } = await sourceOf(body, lines, asked, context);
      const priced = await priceLetter({ ...wanted, ...source }, context);
      const document = await about?.(priced);
      const { subtotal, service, intent, pages, sheets } = priced;
      const fiat = presentQuote(subtotal, splitCharge(subtotal.subtotalCents, 0n));
      const crypto = presentQuote(subtotal, splitCharge(subtotal.subtotalCents, 1n << 62n));
      assertPermitted(caller, { country, service, intent, totalCents: fiat.total });
      const { accountId, test } = caller;
      const terms = { country, service, intent, envelope: priced.envelope, pages };
      const place = { ...lines, reference: body.reference };
      const kept = await keepFitting(terms, place, asked, { given, document }, context.keepQuoted);
      const quote = { accountId, country, color, duplex, expiresAt, ...priced };
      const quoteId = context.quotes.issue(
        kept === undefined ? quote : { ...quote, document: kept },
      );
      return {
        body: {
          quote_id: quoteId,
          service,
          intent,
          pages,
          sheets,
          ...present(fiat),
          payment: 'fiat',
          crypto: present(crypto),
          fiat: present(fiat),
          local: {
            currency: subtotal.local.currency,
            postage: centsToNumber(subtotal.local.postageCents),
            rate: subtotal.local.rate,
          },
          pricing_version: subtotal.pricingVersion,
          expires_at: expiresAt,
          warnings: [...warnings, ...(document?.warnings ?? [])],
          findings: (document?.findings ?? []).map(presentFinding),
          preview_url: kept === undefined ? null : previewUrl(quoteId, 1),
          test,
        },
      };
    },
  }),
];
