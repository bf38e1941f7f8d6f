/** Letters that are due are printed; those that are over may be erased. */
import { toTimestamp } from '../contract/clock.ts';
import { createTally } from '../contract/tally.ts';
import { createInbox } from '../infra/print/inbox.ts';
import { dueLetters } from '../projections/letters/query.ts';
import { createEraseLetters } from '../reactors/erase-letters.ts';
import { createProduceLetters } from '../reactors/produce-letters.ts';
import { releaseDueLetters } from '../reactors/release-due-letters.ts';
import { hearAnswering } from './answering-load.ts';
import type { DocumentTools } from './documents.ts';
import { erasureChores } from './erasure-chores.ts';
import { lettersAtHandOf } from './letters-at-hand.ts';
import { createPrintPartners, handOverOf, printFolders } from './print-partners.ts';
import { countersOf, type Foundation, type Reacting, type Reactions } from './wing.ts';

export const startProduction = async (
  foundation: Foundation,
  tools: Pick<DocumentTools, 'render'>,
  { stopping, closing, statusOf }: Pick<Reacting, 'stopping' | 'closing' | 'statusOf'>,
): Promise<Reactions> => {
  const { config, clock, log, commands, keys, storage } = foundation;
  const { handler } = commands;
  const partners = await createPrintPartners(config, storage.readDb, clock);
  // Calls in progress end at once, so that the reactors that wait for them can.
  stopping.addEventListener('abort', () => void partners.close());
  const letters = lettersAtHandOf(foundation);
  const jobs = createTally(['accepted', 'refused']);
  const files = createTally(['stored', 'rejected']);
  const produce = createProduceLetters({
    ...{ letters, partners: partners.all, render: tools.render },
    counted: jobs.add,
  });
  const erase = createEraseLetters({
    ...{ handler, dataKeys: keys.dataKeys, files: commands.files },
    partners: partners.all,
  });
  const inbox = createInbox({
    folder: printFolders(config).inbox,
    handler,
    log,
    clock,
    counted: files.add,
  });
  const releasing = releaseDueLetters(
    {
      ...{ letters, clock, log, ...partners, handOverAt: handOverOf(config) },
      production: produce.inProduction,
      due: (countries, limit) => dueLetters(storage.readDb, toTimestamp(clock()), countries, limit),
      owns: () => (statusOf(produce.name)?.state ?? 'standing-by') !== 'standing-by',
      waitingPrintJobs: config.limits.waitingPrintJobs,
      answering: hearAnswering(stopping),
    },
    stopping,
  );
  closing.defer(() => releasing);

  return {
    reactors: [produce, erase],
    samples: () => [
      ...countersOf('print_jobs_total', 'result', jobs),
      ...countersOf('print_status_files_total', 'result', files),
    ],
    chores: [
      { what: 'reading status reports', everyMs: 2_000, work: () => inbox.poll() },
      { what: 'tidying print folders', everyMs: 86_400_000, work: () => partners.tidy() },
      ...erasureChores(foundation, stopping),
    ],
  };
};
