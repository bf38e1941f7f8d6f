import { AppError, isAppError } from '../../contract/errors.ts';
import { type Clock, toTimestamp } from '../../ground/clock.ts';
import { type Quotes, secretIn } from './quote.ts';
import type { QuoteDocuments, QuotedDocument } from './quote-documents.ts';

/** Begins the id of a document that was refused: it has no price and so no quote. */
export const refusedPrefix = 'refused_';

const notFound = (detail: string): AppError => new AppError('not_found', detail);

const unknown = (): AppError => notFound('Your account has no quote with this id.');

const gone = (): AppError =>
  notFound(
    'The service does not have the document of this quote, or no longer keeps it. Ask for a new quote.',
  );

/**
 * Finds a quoted document, by the id of the quote or of the refused document.
 * @throws AppError not_found (also for another account's, and for one without a document), quote_expired,
 * store_unavailable
 */
export const createFindQuoted = (ports: {
  quotes: Pick<Quotes, 'read'>;
  documents: Pick<QuoteDocuments, 'get'>;
  clock: Clock;
}) => {
  const secretOf = async (quoteId: string, accountId: string, now: string): Promise<string> => {
    if (quoteId.startsWith(refusedPrefix)) return quoteId.slice(refusedPrefix.length);
    const quote = await ports.quotes.read(quoteId, accountId, now).catch((error: unknown) => {
      // In a path the id names a thing, and there is none.
      throw isAppError(error) && error.code === 'quote_invalid' ? unknown() : error;
    });
    if (quote.hasDocument) return secretIn(quoteId);
    throw notFound(
      'The quote was made without a document. Send content, document or document_url with it.',
    );
  };

  return async (
    quoteId: string,
    accountId: string,
  ): Promise<{ about: QuotedDocument; bytes: Buffer }> => {
    const now = toTimestamp(ports.clock());
    const found = await ports.documents.get(await secretOf(quoteId, accountId, now));
    if (!found) throw gone();
    if (found.about.accountId !== accountId) throw unknown();
    if (found.about.expiresAt > now) return found;
    throw new AppError(
      'quote_expired',
      `The quote expired at ${found.about.expiresAt}. Ask for a new one.`,
    );
  };
};
