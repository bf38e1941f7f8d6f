/** Letters that are due are printed; those that are over may be erased. */
import { toTimestamp } from '../contract/clock.ts';
import { pause } from '../contract/pause.ts';
import { createInbox } from '../infra/print/inbox.ts';
import { createRestoredJobs } from '../infra/print/restored-jobs.ts';
import { dueLetters } from '../projections/letters/query.ts';
import { createEraseLetters } from '../reactors/erase-letters.ts';
import { createGently } from '../reactors/gently.ts';
import { createProduceLetters } from '../reactors/produce-letters.ts';
import { releaseDueLetters } from '../reactors/release-due-letters.ts';
import { hearAnswering } from './answering-load.ts';
import type { DocumentTools } from './documents.ts';
import { erasureChores } from './erasure-chores.ts';
import { lettersAtHandOf } from './letters-at-hand.ts';
import { createPrintPartners, handOverOf, printFolders } from './print-partners.ts';
import { createDoubtWatch } from './watch-doubts.ts';
import type { Foundation, Reacting, Reactions, Site } from './wing.ts';

/** How many letters are handed over again in one go. */
const againLimit = 100;

/** CHOICE: a text of more pages may take this process so long that others notice; of fewer, 20 ms at most. */
const longPages = 10;

export const startProduction = async (
  foundation: Foundation & Pick<Site, 'isUpToDate'>,
  tools: Pick<DocumentTools, 'render'>,
  { stopping, closing, statusOf }: Pick<Reacting, 'stopping' | 'closing' | 'statusOf'>,
): Promise<Reactions> => {
  const { config, clock, log, commands, keys, storage } = foundation;
  const { handler, files } = commands;
  const partners = await createPrintPartners(config, storage.readDb, clock);
  // Calls in progress end at once, so that the reactors that wait for them can.
  stopping.addEventListener('abort', () => void partners.close());
  const letters = lettersAtHandOf(foundation);
  const gently = createGently({
    elapsedMs: () => performance.now(),
    pause: (ms) => pause(ms, stopping),
  });
  const render: DocumentTools['render'] = (letter) => {
    const { kind, pages } = letter.terms;
    const isLong = kind !== 'pdf' && kind !== 'html' && pages > longPages;
    return isLong ? gently(() => tools.render(letter)) : tools.render(letter);
  };
  const restored = createRestoredJobs(storage.readDb);
  const produce = createProduceLetters({
    ...{ letters, partners: partners.all, render, restored, clock },
  });
  const owns = (): boolean => (statusOf(produce.name)?.state ?? 'standing-by') !== 'standing-by';
  const doubts = createDoubtWatch(foundation, {
    ...{ letters, restored, partner: partners.partner, partners: partners.all },
  });
  const erase = createEraseLetters({
    ...{ handler, dataKeys: keys.dataKeys, files },
    partners: partners.all,
  });
  const inbox = createInbox({ folder: printFolders(config).inbox, handler, log, clock });
  const releasing = releaseDueLetters(
    {
      ...{ letters, clock, log, ...partners, handOverAt: handOverOf(config) },
      production: produce.inProduction,
      due: (countries, limit) => dueLetters(storage.readDb, toTimestamp(clock()), countries, limit),
      owns,
      waitingPrintJobs: config.limits.waitingPrintJobs,
      answering: hearAnswering(stopping),
    },
    stopping,
  );
  closing.defer(() => releasing);

  /** Letters of which the operator said that the print house does not have them. */
  const handOverAgain = async (): Promise<void> => {
    if (!owns()) return;
    for (const letterId of await restored.toHandOver(againLimit)) {
      await produce.handOverAgain(letterId);
    }
  };

  return {
    reactors: [produce, erase],
    health: doubts.health,
    chores: [
      { what: 'handing letters over again', everyMs: 2_000, work: handOverAgain },
      { what: 'looking at letters in doubt', everyMs: 10_000, work: doubts.look },
      { what: 'reading status reports', everyMs: 2_000, work: () => inbox.poll() },
      { what: 'tidying print folders', everyMs: 86_400_000, work: () => partners.tidy() },
      ...erasureChores(foundation, stopping),
    ],
  };
};
