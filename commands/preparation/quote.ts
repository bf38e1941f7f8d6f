import { createHmac, timingSafeEqual } from 'node:crypto';
import { AppError } from '../../contract/errors.ts';
import type { DataKey } from '../../events/data-keys.ts';
import type { Warning } from './check-letter.ts';
import type { PricedLetter } from './price-letter.ts';

/**
 * A price that is held. The quote id carries it, authenticated, so that it is valid on every process
 * and after a restart without being stored.
 */
export type Quote = {
  accountId: string;
  country: string;
  color: boolean;
  duplex: boolean;
  expiresAt: string;
  /** Secret of the document that was quoted, see quote-documents.ts; absent: there was none. */
  document?: string;
  /** What was said about the intent that was asked for. */
  aboutIntent?: Warning[];
} & PricedLetter;

export type QuoteTokens = {
  issue(quote: Quote): string;
  /** @throws AppError quote_invalid, quote_expired */
  read(quoteId: string, accountId: string, now: string): Quote;
};

const refuse = (code: 'quote_invalid' | 'quote_expired', detail: string): AppError =>
  new AppError(code, detail, { errors: [{ pointer: '/quote_id', code, detail }] });

const invalid = (): AppError =>
  refuse('quote_invalid', 'quote_id is not a quote of this account; ask for a new quote.');

const bigints = (_: string, value: unknown): unknown =>
  typeof value === 'bigint' ? { n: value.toString() } : value;

const revive = (_: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'n' in value && Object.keys(value).length === 1
    ? BigInt(String(value.n))
    : value;

const prefix = 'quote_';

/** @param key 32 bytes, for this purpose only */
export const createQuoteTokens = (key: DataKey): QuoteTokens => {
  const mac = (payload: string): string =>
    createHmac('sha256', key).update(payload).digest('base64url').slice(0, 22);

  return {
    issue(quote) {
      const payload = Buffer.from(JSON.stringify(quote, bigints)).toString('base64url');
      return `${prefix}${payload}.${mac(payload)}`;
    },
    read(quoteId, accountId, now) {
      const [payload = '', given = ''] = quoteId.slice(prefix.length).split('.');
      const expected = Buffer.from(mac(payload));
      const actual = Buffer.from(given);
      if (
        !quoteId.startsWith(prefix) ||
        actual.length !== expected.length ||
        !timingSafeEqual(actual, expected)
      ) {
        throw invalid();
      }
      const quote = JSON.parse(Buffer.from(payload, 'base64url').toString(), revive) as Quote;
      if (quote.accountId !== accountId) throw invalid();
      if (quote.expiresAt <= now) {
        throw refuse(
          'quote_expired',
          `The quote expired at ${quote.expiresAt}; ask for a new one.`,
        );
      }
      return quote;
    },
  };
};
