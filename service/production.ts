/** Letters that are due are printed; those that are over may be erased. */

import { createInbox } from '../infra/print/inbox.ts';
import { dueLetters } from '../projections/letters/query.ts';
import { createEraseLetters } from '../reactors/erase-letters.ts';
import { createProduceLetters } from '../reactors/produce-letters.ts';
import { openCountries, releaseLetters } from '../reactors/release-letters.ts';
import type { DocumentTools } from './documents.ts';
import { erasureChores } from './erasure-chores.ts';
import { createPrintPartners, handOverOf, printFolders } from './print-partners.ts';
import type { Foundation, Reacting, Reactions } from './wing.ts';

const dueBatch = 200;

export const startProduction = (
  foundation: Foundation,
  { render }: Pick<DocumentTools, 'render'>,
  { stopping, statusOf }: Pick<Reacting, 'stopping' | 'statusOf'>,
): Reactions => {
  const { config, clock, log, commands, keys, storage } = foundation;
  const { handler, files } = commands;
  const partners = createPrintPartners(config, clock);
  // Calls in progress end at once, so that the reactors that wait for them can.
  stopping.addEventListener('abort', () => void partners.close());
  const produce = createProduceLetters({ handler, partners: partners.all, render });
  const erase = createEraseLetters({
    ...{ handler, dataKeys: keys.dataKeys, files },
    partners: partners.all,
  });
  const inbox = createInbox({ folder: printFolders(config).inbox, handler, log });
  const releasing = { handler, clock, ...partners, handOverAt: handOverOf(config) };

  const release = async (): Promise<void> => {
    const now = new Date(clock()).toISOString();
    const failing = statusOf(produce.name)?.failing.length ?? 0;
    // A partner that is down is not given more to wait for: queued letters can still be changed.
    const full = failing >= config.limits.waitingPrintJobs;
    const countries = full ? [] : openCountries(releasing);
    await releaseLetters(releasing, await dueLetters(storage.readDb, now, countries, dueBatch));
  };

  return {
    reactors: [produce, erase],
    chores: [
      { what: 'releasing due letters', everyMs: 1_000, work: release },
      { what: 'reading status reports', everyMs: 2_000, work: () => inbox.poll() },
      { what: 'tidying print folders', everyMs: 86_400_000, work: () => partners.tidy() },
      ...erasureChores(foundation, stopping),
    ],
  };
};
