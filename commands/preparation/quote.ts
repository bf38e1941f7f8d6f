import { createHmac, timingSafeEqual } from 'node:crypto';
import { AppError } from '../../contract/errors.ts';
import type { DataKey } from '../../events/data-keys.ts';
import { centsOf, microOfCents } from '../../money/amounts.ts';
import type { Subtotal } from '../../postal/pricing.ts';
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
/** The lines of the price are whole cents in the token. */
const subtotalInCents = ({
  postageMicro,
  printMicro,
  surchargeMicro,
  subtotalMicro,
  ...rest
}: Subtotal) => ({
  postageCents: BigInt(centsOf(postageMicro)),
  printCents: BigInt(centsOf(printMicro)),
  surchargeCents: BigInt(centsOf(surchargeMicro)),
  subtotalCents: BigInt(centsOf(subtotalMicro)),
  ...rest,
});

const subtotalOfCents = ({
  postageCents,
  printCents,
  surchargeCents,
  subtotalCents,
  ...rest
}: ReturnType<typeof subtotalInCents>): Subtotal => ({
  postageMicro: microOfCents(postageCents),
  printMicro: microOfCents(printCents),
  surchargeMicro: microOfCents(surchargeCents),
  subtotalMicro: microOfCents(subtotalCents),
  ...rest,
});

export const createQuoteTokens = (key: DataKey): QuoteTokens => {
  const mac = (payload: string): string =>
    createHmac('sha256', key).update(payload).digest('base64url').slice(0, 22);

  return {
    issue(quote) {
      const inToken = { ...quote, subtotal: subtotalInCents(quote.subtotal) };
      const payload = Buffer.from(JSON.stringify(inToken, bigints)).toString('base64url');
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
      const inToken = JSON.parse(Buffer.from(payload, 'base64url').toString(), revive);
      const quote: Quote = { ...inToken, subtotal: subtotalOfCents(inToken.subtotal) };
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
