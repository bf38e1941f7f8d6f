import { createHash } from 'node:crypto';
import { AppError } from '../../contract/errors.ts';
import { centsOf, microOfCents } from '../../money/amounts.ts';
import type { Subtotal } from '../../postal/pricing.ts';
import type { Warning } from './check-letter.ts';
import type { PricedLetter } from './price-letter.ts';
import { newSecret } from './quote-documents.ts';

/** A price that is held. */
export type Quote = {
  accountId: string;
  country: string;
  color: boolean;
  duplex: boolean;
  /** The day of posting that it was asked for, `YYYY-MM-DD`; absent: as soon as possible. */
  sendDate?: string | undefined;
  expiresAt: string;
  /** Whether a document was quoted; it lies under the secret in the quote's id, see quote-documents.ts. */
  hasDocument: boolean;
  /** The warnings about the requested intent. */
  aboutIntent: Warning[];
} & PricedLetter;

/** Where quotes are held, for every process of the service. */
export type QuoteStore = {
  /** Durable when it resolves. */
  put(name: string, quote: string, expiresAt: string): Promise<void>;
  /** Also one that expired a while ago; undefined where there is none (any more). */
  get(name: string): Promise<string | undefined>;
};

export type Quotes = {
  newId(): string;
  /** Durable when it resolves. */
  hold(quoteId: string, quote: Quote): Promise<void>;
  /**
   * @param accountId whose it must be; undefined: anybody's
   * @throws AppError quote_invalid, quote_expired
   */
  read(quoteId: string, accountId: string | undefined, now: string): Promise<Quote>;
};

const prefix = 'quote_';

/** Finds the stored parts of the quote under a name that nobody can guess. */
export const secretIn = (quoteId: string): string => quoteId.slice(prefix.length);

const refuse = (code: 'quote_invalid' | 'quote_expired', detail: string): AppError =>
  new AppError(code, detail, { errors: [{ pointer: '/quote_id', code, detail }] });

const bigints = (_: string, value: unknown): unknown =>
  typeof value === 'bigint' ? { n: value.toString() } : value;

const revive = (_: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'n' in value && Object.keys(value).length === 1
    ? BigInt(String(value.n))
    : value;

/** The store does not learn the ids: with one a document can be opened. */
export const storedNameOf = (quoteId: string): string =>
  createHash('sha256').update(quoteId).digest('hex');

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

/** A quote as it is stored: the lines of its price are whole cents. */
const encode = (quote: Quote): string =>
  JSON.stringify({ ...quote, subtotal: subtotalInCents(quote.subtotal) }, bigints);

const decode = (stored: string): Quote => {
  const quote = JSON.parse(stored, revive);
  return { ...quote, subtotal: subtotalOfCents(quote.subtotal) };
};

export const createQuotes = (store: QuoteStore): Quotes => ({
  newId: () => prefix + newSecret(),

  hold: (quoteId, quote) => store.put(storedNameOf(quoteId), encode(quote), quote.expiresAt),

  async read(quoteId, accountId, now) {
    const stored = await store.get(storedNameOf(quoteId));
    const quote = stored === undefined ? undefined : decode(stored);
    if (!quote || (accountId !== undefined && quote.accountId !== accountId)) {
      throw refuse(
        'quote_invalid',
        'quote_id is not a quote of this account, or it expired long ago. Ask for a new quote.',
      );
    }
    if (quote.expiresAt > now) return quote;
    throw refuse('quote_expired', `The quote expired at ${quote.expiresAt}. Ask for a new one.`);
  },
});
