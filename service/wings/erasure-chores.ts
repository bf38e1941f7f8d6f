import type { Clock } from '../../ground/clock.ts';
import { dayMs } from '../../ground/day.ts';
import { sweepCommandStreams } from '../../infra/event-store/command-streams.ts';
import { sweepQuotes } from '../../infra/postgres/quotes.ts';
import { sweepHolds } from '../../infra/quotas/holds.ts';
import { sweepRegistrations } from '../../infra/quotas/registrations.ts';
import {
  accountsOf,
  documentsOf,
  draftsOver,
  lettersOver,
} from '../../projections/letters/query.ts';
import { createCountStored } from '../../reactors/count-stored.ts';
import { createExpireDrafts } from '../../reactors/expire-drafts.ts';
import { createRetainLetters } from '../../reactors/retain-letters.ts';
import { createSweepBlobs } from '../../reactors/sweep-blobs.ts';
import { createSweepQuoteDocuments } from '../../reactors/sweep-quote-documents.ts';
import type { Chore } from '../foundation/chores.ts';
import type { Foundation, Sample } from '../foundation/wing.ts';

/** Periodic sweeps, so that no data stays longer than allowed. `stopping` ends a sweep early. */
export const erasureChores = (
  foundation: Foundation,
  erasureClock: Clock,
  stopping: AbortSignal,
) => {
  const { clock } = foundation;
  const { handler } = foundation.commands;
  const { readDb, blobs, storedBytes } = foundation.storage;
  const { retentionDays, draftRetentionDays, limits } = foundation.config;
  const sweep = createSweepBlobs({
    handler,
    clock: erasureClock,
    blobs,
    knownDocuments: (letterIds) => documentsOf(readDb, letterIds),
  });
  const sweepQuoted = createSweepQuoteDocuments({
    clock,
    blobs,
    quoteMs: limits.quoteMinutes * 60_000,
  });
  const countStored = createCountStored({
    blobs,
    handler,
    counts: storedBytes,
    accountsOf: (letterIds) => accountsOf(readDb, letterIds),
  });
  const chores: Chore[] = [
    {
      what: 'counting what accounts stored before it was counted',
      everyMs: 3_600_000,
      work: () => storedBytes.once('count-stored', () => countStored(stopping)),
    },
    {
      what: 'deleting documents of expired quotes',
      everyMs: 300_000,
      work: () => sweepQuoted(stopping),
    },
    {
      what: 'counting what accounts store',
      everyMs: 3_600_000,
      work: () => storedBytes.tidy(blobs),
    },
    {
      what: 'deleting holds of quotas whose time is over',
      everyMs: 3_600_000,
      work: () => sweepHolds(readDb),
    },
    {
      what: 'forgetting from where accounts were registered',
      everyMs: dayMs,
      work: () => sweepRegistrations(readDb),
    },
    {
      what: 'forgetting which streams commands changed',
      everyMs: 3_600_000,
      work: () => sweepCommandStreams(readDb),
    },
    {
      what: 'deleting expired quotes',
      everyMs: 300_000,
      work: () => sweepQuotes(readDb, clock()),
    },
    {
      what: 'deleting documents that no letter names',
      everyMs: dayMs,
      work: () => sweep(stopping),
    },
  ];
  if (draftRetentionDays > 0) {
    const expire = createExpireDrafts({
      handler,
      clock: erasureClock,
      days: draftRetentionDays,
      retentionDays,
      draftsOver: (untouched, limit, after) => draftsOver(readDb, untouched, limit, after),
      stopping,
    });
    const what = 'cancelling drafts after DRAFT_RETENTION_DAYS';
    chores.push({ what, everyMs: 60_000, work: expire });
  }
  let failing = 0;
  const samples = (): Sample[] => [
    { name: 'erasures_failing', labels: { kind: 'letter' }, value: failing },
  ];
  if (retentionDays === undefined) return { chores, samples };
  const retain = createRetainLetters({
    handler,
    clock: erasureClock,
    retentionDays,
    lettersOver: (until, limit, after) => lettersOver(readDb, until, limit, after),
    stopping,
    failed(count) {
      failing = count;
    },
  });
  const what = 'erasing letters after RETENTION_DAYS';
  return { chores: [...chores, { what, everyMs: 10_000, work: retain }], samples };
};
