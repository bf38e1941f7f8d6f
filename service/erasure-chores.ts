import type { CommandHandler } from '../commands/handling/handle.ts';
import type { BlobStore } from '../commands/preparation/blob-store.ts';
import type { Clock } from '../contract/clock.ts';
import type { Db } from '../contract/db.ts';
import { sweepQuotes } from '../infra/postgres/quotes.ts';
import { documentsOf, lettersOver } from '../projections/letters/query.ts';
import { createRetainLetters } from '../reactors/retain-letters.ts';
import { createSweepBlobs } from '../reactors/sweep-blobs.ts';
import { createSweepQuoteDocuments } from '../reactors/sweep-quote-documents.ts';
import type { Config } from './config/config.ts';

type Chore = { everyMs: number; work: () => Promise<unknown>; what: string };

/** What is done now and then so that nothing stays longer than it may. `stop` ends a sweep early. */
export const createErasureChores = (foundation: {
  config: Pick<Config, 'retentionDays' | 'limits'>;
  handler: CommandHandler;
  clock: Clock;
  readDb: Db;
  documentTools: { blobs: BlobStore };
}): { chores: Chore[]; stop(): void } => {
  const { handler, clock, readDb, documentTools } = foundation;
  const { retentionDays, limits } = foundation.config;
  const stopping = new AbortController();
  const sweep = createSweepBlobs({
    ...{ handler, clock, blobs: documentTools.blobs },
    knownDocuments: (letterIds) => documentsOf(readDb, letterIds),
  });
  const sweepQuoted = createSweepQuoteDocuments({
    ...{ clock, blobs: documentTools.blobs },
    quoteMs: limits.quoteMinutes * 60_000,
  });
  const chores = [
    {
      everyMs: 300_000,
      work: () => sweepQuoted(stopping.signal),
      what: 'deleting documents of expired quotes',
    },
    {
      everyMs: 300_000,
      work: () => sweepQuotes(readDb, clock()),
      what: 'deleting expired quotes',
    },
    {
      everyMs: 86_400_000,
      work: () => sweep(stopping.signal),
      what: 'deleting documents that no letter names',
    },
  ];
  if (retentionDays !== undefined) {
    const retain = createRetainLetters({
      ...{ handler, clock, retentionDays },
      lettersOver: (until, limit) => lettersOver(readDb, until, limit),
    });
    const what = 'erasing letters after RETENTION_DAYS';
    chores.push({ everyMs: 10_000, work: retain, what });
  }
  return { chores, stop: () => stopping.abort() };
};
