import { createFindQuoted } from '../../commands/preparation/find-quoted.ts';
import type { QuotedDocument } from '../../commands/preparation/quote-documents.ts';
import { endsWithin } from '../../ground/deadline.ts';
import type { CallerRef } from '../../limits/turn.ts';
import type { DocumentTools } from '../foundation/documents.ts';
import type { Foundation } from '../foundation/wing.ts';

/** CHOICE: how long a quote waits for the store that its document goes to. */
const patienceMs = 3_000;

/**
 * Keeps documents of dry runs. A store that fails or is slow does not fail the quote. A document of which a slow store
 * has not said whether it took it may still be there later.
 */
export const createKeepQuoted =
  ({ shared: { quoteDocuments }, log }: Foundation) =>
  async (secret: string, about: QuotedDocument, bytes: Buffer): Promise<boolean> => {
    let isRefused = false;
    const stored = quoteDocuments.put(secret, about, bytes).catch((error: unknown) => {
      isRefused = true;
      log.warn({ err: String(error) }, 'the document of a quote was not kept');
    });
    await endsWithin(patienceMs, stored);
    return !isRefused;
  };

const drawn = ({ stationery }: QuotedDocument) => {
  if (!stationery) return undefined;
  const { logo, ...rest } = stationery;
  return { ...rest, ...(logo === undefined ? {} : { logo: Buffer.from(logo, 'base64') }) };
};

/** Finds a quoted document, and draws it. */
export const createOpenQuoted = (
  { shared: { quotes, quoteDocuments }, clock }: Foundation,
  { previewQuoted }: Pick<DocumentTools, 'previewQuoted'>,
) => {
  const find = createFindQuoted({ quotes, clock, documents: quoteDocuments });
  return async (quoteId: string, accountId: string) => {
    const { about, bytes } = await find(quoteId, accountId);
    const { country, service, intent, pages } = about.terms;
    return {
      country,
      service,
      intent,
      pages: about.refused ? undefined : pages,
      draw: (page: number, by: CallerRef) =>
        previewQuoted({ ...about, by, stationery: drawn(about) }, bytes, page),
    };
  };
};
