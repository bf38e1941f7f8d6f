/** A price that was agreed before a letter was sent. */

import { AppError } from '../../contract/errors.ts';
import type { PriceList } from '../../postal/pricing.ts';
import type { LetterInput } from './letter-input.ts';
import type { PricedLetter } from './price-letter.ts';
import type { Quote } from './quote.ts';

/** A price that was agreed before: it is charged instead of today's. */
export type AgreedPrice = Pick<Quote, 'service' | 'intent' | 'aboutIntent'> & {
  /** The service is one that we offered for the intent. */
  wasOffered: boolean;
  /** Called before anything is priced. @throws AppError where the price is for another letter */
  assertFor?(input: LetterInput): void;
  /** The price of this letter, with today's tables. @throws AppError where the price is for another letter or no longer holds */
  priceOf(priced: PricedLetter, input: LetterInput, today: PriceList): PricedLetter;
};

/** The agreement in a quote. */
export const agreedByQuote = (quote: Quote): AgreedPrice => ({
  ...quote,
  wasOffered: false,
  assertFor({ to }) {
    if (quote.country === to.country) return;
    throw mismatch(
      `The quote is for a letter to ${quote.country}, and this one goes to ${to.country}. Ask for a new quote.`,
      ['to_country'],
    );
  },
  priceOf(priced, input) {
    assertQuoteFits(quote, priced, input);
    return { ...priced, subtotal: quote.subtotal };
  },
});

/**
 * Whether the letter is to be posted under another tariff than the quote was asked for. Time that passes between quote
 * and send changes nothing.
 */
const isOfOtherTariff = (quote: Quote, { subtotal }: PricedLetter, input: LetterInput): boolean =>
  quote.sendDate !== input.sendDate && quote.subtotal.row.validFrom !== subtotal.row.validFrom;

const mismatch = (detail: string, fields: readonly string[]): AppError =>
  new AppError('quote_mismatch', detail, {
    errors: fields.map((name) => ({ pointer: `/${name}`, code: 'quote_mismatch', detail })),
  });

const assertQuoteFits = (quote: Quote, priced: PricedLetter, input: LetterInput): void => {
  const differences = [
    quote.service !== priced.service && 'service',
    quote.intent !== priced.intent && 'intent',
    quote.pages !== priced.pages && 'pages',
    quote.color !== input.color && 'color',
    quote.duplex !== input.duplex && 'duplex',
    isOfOtherTariff(quote, priced, input) && 'send_date',
  ].filter((name) => name !== false);
  if (differences.length === 0) return;
  const differ = differences.length === 1 ? 'differs' : 'differ';
  throw mismatch(
    `The quote is for another letter: ${differences.join(', ')} ${differ}. Ask for a new quote.`,
    differences,
  );
};
