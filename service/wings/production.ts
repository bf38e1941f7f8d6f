/** Letters that are due are printed; those that are over may be erased. */
import { toTimestamp } from '../../ground/clock.ts';
import { createCounters } from '../../ground/counters.ts';
import { createHandOverMarks } from '../../infra/print/hand-over-marks.ts';
import { createInbox } from '../../infra/print/inbox.ts';
import { createRestoredJobs } from '../../infra/print/restored-jobs.ts';
import { tracedPartner } from '../../infra/tracing/traced-partner.ts';
import { dueLetters } from '../../projections/letters/query.ts';
import { createEraseLetters } from '../../reactors/erase-letters.ts';
import { createHandOverAgain } from '../../reactors/hand-over-again.ts';
import { createProduceLetters } from '../../reactors/produce-letters.ts';
import { releaseDueLetters } from '../../reactors/release-due-letters.ts';
import { hearAnswering } from '../foundation/answering-load.ts';
import type { DocumentTools } from '../foundation/documents.ts';
import { handOverOf } from '../foundation/hand-over.ts';
import {
  countersOf,
  type Foundation,
  type Reacting,
  type Reactions,
  type Site,
  type WingHealth,
} from '../foundation/wing.ts';
import { erasureChores } from './erasure-chores.ts';
import {
  createPrintPartners,
  mayBeHandedOverIn,
  printFolders,
  servingPartner,
  unknownJobsIn,
} from './print-partners.ts';
import { createDoubtWatch } from './watch-doubts.ts';

type Failing = { failure(): string | undefined };

const healthOf = (again: Failing, doubts: { health(): WingHealth }): WingHealth => {
  const detail = again.failure();
  return detail === undefined ? doubts.health() : { status: 'degraded', detail };
};

const openInbox = (
  foundation: Foundation,
  counted: NonNullable<Parameters<typeof createInbox>[0]['counted']>,
) => {
  const { config, clock, log, commands, storage } = foundation;
  return createInbox({
    folder: printFolders(config).inbox,
    handler: commands.handler,
    log,
    clock,
    datedAt: createHandOverMarks(storage.readDb, 'hotfolder').datedAt,
    mayBeHandedOver: mayBeHandedOverIn(foundation),
    counted,
  });
};

export const startProduction = async (
  foundation: Foundation & Pick<Site, 'isUpToDate'>,
  tools: Pick<DocumentTools, 'render'>,
  {
    stopping,
    clocks,
    closing,
    statusOf,
  }: Pick<Reacting, 'stopping' | 'clocks' | 'closing' | 'statusOf'>,
): Promise<Reactions> => {
  const { config, clock, log, commands, keys, storage } = foundation;
  const { handler } = commands;
  const { traces } = storage;
  const partners = await createPrintPartners(config, storage.readDb, clock);
  // Calls in progress end at once, so that the reactors that wait for them can.
  stopping.addEventListener('abort', () => void partners.close());
  const letters = foundation.shared.lettersAtHand;
  const restored = createRestoredJobs(storage.readDb, servingPartner(config));
  const jobs = createCounters(['accepted', 'refused']);
  const files = createCounters(['stored', 'rejected']);
  const produce = createProduceLetters({
    letters,
    partner: partners.partner,
    partners: traces ? partners.all.map((one) => tracedPartner(one, traces)) : partners.all,
    render: tools.render,
    restored,
    clock,
    counted: jobs.add,
  });
  const owns = (): boolean => (statusOf(produce.name)?.state ?? 'standing-by') !== 'standing-by';
  const { partner, all } = partners;
  const doubts = createDoubtWatch(foundation, { letters, restored, partner, partners: all });
  const erase = createEraseLetters({
    handler,
    dataKeys: keys.dataKeys,
    files: commands.files,
    partners: partners.all,
    restored,
  });
  const inbox = openInbox(foundation, files.add);
  const releasing = releaseDueLetters(
    {
      letters,
      clock,
      log,
      ...partners,
      handOverAt: handOverOf(config),
      production: produce.inProduction,
      due: (countries, limit, test) =>
        dueLetters(
          storage.readDb,
          toTimestamp(clock()),
          { countries, test },
          limit,
          clocks.deeds.skipped(),
        ),
      owns,
      waitingPrintJobs: config.limits.waitingPrintJobs,
      answering: hearAnswering(stopping),
    },
    stopping,
  );
  closing.defer(() => releasing);

  const again = createHandOverAgain({
    toHandOver: restored.toHandOver,
    handOver: (letterId) =>
      produce.handOverAgain(letterId, async () => {
        if (!owns()) throw new Error('another process makes letters now');
      }),
    owns,
    log,
  });
  const erasing = erasureChores(foundation, clocks.erasureClock, stopping);
  const tidy = () => partners.tidy(unknownJobsIn(commands, storage.readDb));
  return {
    reactors: [produce, erase],
    health: () => healthOf(again, doubts),
    samples: () => [
      ...countersOf('print_jobs_total', 'result', jobs),
      ...countersOf('print_status_files_total', 'result', files),
      ...erasing.samples(),
    ],
    chores: [
      { what: 'handing letters over again', everyMs: 2_000, work: again.work },
      { what: 'looking at letters in doubt', everyMs: 10_000, work: doubts.look },
      { what: 'reading status reports', everyMs: 2_000, work: () => inbox.poll() },
      { what: 'tidying print folders', everyMs: 3_600_000, work: tidy },
      ...erasing.chores,
    ],
  };
};
