import { createFileWork } from '../../commands/preparation/file-work.ts';
import { createFindQuoted } from '../../commands/preparation/find-quoted.ts';
import type { Quotes } from '../../commands/preparation/quote.ts';
import {
  createQuoteDocuments,
  type QuotedDocument,
} from '../../commands/preparation/quote-documents.ts';
import { endsWithin } from '../../ground/deadline.ts';
import type { CallerRef } from '../../limits/turn.ts';
import type { Foundation } from '../foundation/wing.ts';
import type { DocumentTools } from './documents.ts';

/** CHOICE: how long a quote waits for the store that its document goes to. */
const patienceMs = 3_000;

const documentsOf = ({ storage, keys, workers }: Foundation) =>
  createQuoteDocuments({
    blobs: storage.blobs,
    key: keys.derive('quote-documents'),
    claim: storage.storedBytes.claim,
    work: createFileWork(workers.pool),
  });

/** Keeps documents of dry runs. A store that fails or is slow does not fail the quote. */
export const createKeepQuoted = (foundation: Foundation) => {
  const documents = documentsOf(foundation);
  return async (secret: string, about: QuotedDocument, bytes: Buffer): Promise<void> => {
    const stored = documents.put(secret, about, bytes).catch((error: unknown) => {
      foundation.log.warn({ err: String(error) }, 'the document of a quote was not kept');
    });
    await endsWithin(patienceMs, stored);
  };
};

const drawn = ({ stationery }: QuotedDocument) => {
  if (!stationery) return undefined;
  const { logo, ...rest } = stationery;
  return { ...rest, ...(logo === undefined ? {} : { logo: Buffer.from(logo, 'base64') }) };
};

/** Finds what was quoted, and draws it. */
export const createOpenQuoted = (
  foundation: Foundation,
  quotes: Quotes,
  { previewQuoted }: Pick<DocumentTools, 'previewQuoted'>,
) => {
  const { clock } = foundation;
  const find = createFindQuoted({ quotes, clock, documents: documentsOf(foundation) });
  return async (quoteId: string, accountId: string) => {
    const { about, bytes } = await find(quoteId, accountId);
    const { country, service, intent, pages } = about.terms;
    return {
      ...{ country, service, intent },
      pages: about.refused ? undefined : pages,
      draw: (page: number, by: CallerRef) =>
        previewQuoted({ ...about, by, stationery: drawn(about) }, bytes, page),
    };
  };
};
