/** A quote as callers see it. */
import type { Static } from 'typebox';
import type { LetterPrice } from '../events/letter.ts';
import { Type } from '../ground/type.ts';
import { decimalOf, microOfCents } from '../money/amounts.ts';
import type { Charge } from '../money/charge.ts';
import { type Finding as PreflightFinding, wholeFinding } from '../postal/preflight-findings.ts';
import type { Subtotal } from '../postal/pricing.ts';
import { services } from '../postal/services.ts';
import { type Intent, intents, type ServiceId, serviceIds } from '../postal/types.ts';
import { LocalPostage, OneOf, Timestamp, Usd } from './common.ts';
import { ContentType, DiscountTaken, Finding, Price, SlaDays, Warning } from './letter-schemas.ts';
import { presentPrice, presentQuotePrice } from './price.ts';

const lines = {
  postage: Usd,
  print: Usd,
  commission: Usd,
  total: Usd,
  currency: Type.Literal('USD'),
  discount: Type.Optional(DiscountTaken),
};

const Lines = Type.Object(lines, {
  title: 'QuotedPrice',
  description: 'postage + print + commission = total.',
});

export const QuotedLetter = Type.Named('Quote', {
  quote_id: Type.String({
    maxLength: 40,
    description: 'Send it with the letter; the letter then costs the quoted price.',
  }),
  service: OneOf(serviceIds),
  intent: OneOf(intents),
  content_type: ContentType,
  sla_days: SlaDays,
  pages: Type.Integer(),
  sheets: Type.Integer(),
  ...lines,
  price: Price,
  payment: OneOf(['fiat', 'crypto'] as const, 'Which of the two prices the lines above show.'),
  crypto: Lines,
  fiat: Lines,
  local: LocalPostage,
  pricing_version: Type.String(),
  expires_at: Timestamp,
  warnings: Type.Array(Warning),
  findings: Type.Array(Finding, {
    description:
      'Findings of the preflight of a PDF, errors only if `auto_fix` removes them. For HTML: whether its type is small.',
  }),
  preview_url: Type.Union([Type.String(), Type.Null()], {
    description:
      'Page 1 as it would be printed with this service; other pages likewise, until the quote expires. Null for a quote by number of pages, and if the document could not be kept, for example above the quota of stored bytes.',
  }),
  test: Type.Boolean(),
});

type QuoteView = {
  quoteId: string;
  contentType: 'text' | 'html' | undefined;
  priced: { service: ServiceId; intent: Intent; pages: number; sheets: number; subtotal: Subtotal };
  price: LetterPrice;
  fiat: Charge;
  crypto: Charge;
  expiresAt: string;
  warnings: Static<typeof Warning>[];
  findings: PreflightFinding[];
  previewUrl: string | undefined;
  test: boolean;
};

export const presentQuoted = (quote: QuoteView): Static<typeof QuotedLetter> => {
  const { subtotal, service, intent, pages, sheets } = quote.priced;
  const fiat = presentQuotePrice(subtotal, quote.fiat);
  return {
    quote_id: quote.quoteId,
    service,
    intent,
    content_type: quote.contentType ?? null,
    sla_days: services[service].slaDays,
    pages,
    sheets,
    ...fiat,
    price: presentPrice(quote.price),
    payment: 'fiat',
    crypto: presentQuotePrice(subtotal, quote.crypto),
    fiat,
    local: {
      currency: subtotal.local.currency,
      postage: decimalOf(microOfCents(subtotal.local.postageCents)),
      rate: subtotal.local.rate,
    },
    pricing_version: subtotal.pricingVersion,
    expires_at: quote.expiresAt,
    warnings: quote.warnings,
    findings: quote.findings.map(wholeFinding),
    preview_url: quote.previewUrl ?? null,
    test: quote.test,
  };
};
