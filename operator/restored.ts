/** After a restore: letters that the print house may have. The operator records their outcomes. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { letterAggregate } from '../commands/letters/letter.ts';
import { startProduction } from '../commands/letters/letter-production.ts';
import { createLettersAtHand } from '../commands/letters/letters-at-hand.ts';
import type { Position } from '../events/position.ts';
import { toTimestamp } from '../ground/clock.ts';
import type { Db } from '../ground/db.ts';
import { numberOf } from '../ground/plural.ts';
import { currentGeneration, settleGeneration } from '../infra/postgres/log-generations.ts';
import type { Hotfolder } from '../infra/print/hotfolder.ts';
import { createRestoredJobs } from '../infra/print/restored-jobs.ts';
import { lettersInProduction } from '../projections/letters/query.ts';
import { type InDoubt, lettersInDoubt, takeHandedOver } from '../reactors/letters-in-doubt.ts';
import { PartnerUnavailable } from '../reactors/print-partner.ts';
import { erasureJournalsOf } from '../service/foundation/storage.ts';
import type { Foundation } from '../service/foundation/wing.ts';
import { holdMails } from '../service/wings/held-mails.ts';
import {
  createPrintPartners,
  hotfolderOf,
  servingPartner,
  unknownJobsIn,
} from '../service/wings/print-partners.ts';
import { declareRestore, restorePortsOf } from '../service/wings/restores.ts';
import { type CommandWork, count, type Print, Refused, UsageError } from './command.ts';
import { defineCommand } from './define-command.ts';
import { printHeldMails } from './restore/print-held-mails.ts';
import { printReplayed, replayErasures } from './restore/replay-erasures.ts';

const actions = ['begin', 'printed', 'not-printed', 'remove', 'erasures'] as const;
type Action = (typeof actions)[number];

const lookEveryMs = 100;
/** A read model that stays where it is for that long is not followed by a service. */
const standsStillMs = 2_000;

/** Where the read model of letters stands in the log. */
const reachedByLetters = async (db: Db): Promise<Position> => {
  const { rows } = await db.query<{ position: Position }>(
    `select c.position from read_models.checkpoints c join read_models.projections p
       on p.name = c.name and p.generation = c.generation where c.name = 'letters'`,
  );
  return rows[0]?.position ?? 0n;
};

/**
 * Rows of letters may lag behind the log, and a letter that has none yet would be missed. Waits until they have what the
 * log has now, as long as a running service goes on with them.
 * @throws Refused
 */
const assertComplete = async ({ storage: { readDb, store } }: Foundation): Promise<void> => {
  const head = await store.head();
  let reached = await reachedByLetters(readDb);
  for (let stoodMs = 0; reached < head; stoodMs += lookEveryMs) {
    if (stoodMs >= standsStillMs) {
      throw new Refused(
        'the read model of letters is behind the log. Start the service with ROLES=projections until /ready answers 200, or run: npm run operator -- rebuild letters',
      );
    }
    await delay(lookEveryMs);
    const before = reached;
    reached = await reachedByLetters(readDb);
    if (reached > before) stoodMs = 0;
  }
};

/**
 * Letters that the operator has not decided about. `asks`: queued letters that the print house knows are taken into
 * production. @throws PartnerUnavailable
 */
const inDoubt = async (foundation: Foundation, { asks = false } = {}): Promise<InDoubt[]> => {
  const { config, clock, commands, storage } = foundation;
  const db = storage.readDb;
  const generation = await currentGeneration(db);
  if (!generation || generation.settled) return [];
  const { partner, all, close } = await createPrintPartners(config, db, clock);
  try {
    const candidates = await lettersInProduction(db, toTimestamp(generation.began_at.getTime()));
    const ports = {
      letters: createLettersAtHand(commands.handler),
      restored: createRestoredJobs(db, servingPartner(config)),
      partner,
      partners: all,
    };
    const found = await Array.fromAsync(lettersInDoubt(ports, candidates));
    if (asks && found.length === 0) await takeHandedOver(ports, candidates);
    return found;
  } finally {
    await close();
  }
};

/** Doubts end when the operator has decided about every letter and the print house was asked for the others. */
const settleIfDone = async (foundation: Foundation, print: Print): Promise<void> => {
  const { readDb } = foundation.storage;
  const left = await inDoubt(foundation, { asks: true }).catch((error: unknown) => {
    if (error instanceof PartnerUnavailable) return undefined;
    throw error;
  });
  if (left === undefined) {
    print('The print house does not answer. The service asks again which letters it has.');
    return;
  }
  const generation = await currentGeneration(readDb);
  if (!generation || generation.settled) {
    print('No letter is in doubt.');
    return;
  }
  if (left.length > 0) {
    print(`${numberOf(left.length, 'letter is', 'letters are')} still in doubt.`);
    return;
  }
  await settleGeneration(readDb, generation.number);
  print('No letter is in doubt any longer.');
};

/** Letters that were sent after the backup and have files in the print folder. */
const unknownLetters = async ({ config, commands, storage }: Foundation): Promise<string[]> => {
  const { readDb } = storage;
  return unknownJobsIn(commands, readDb)(await hotfolderOf(config, readDb).jobs());
};

/** The trace of a letter in the print folder that shows that the print house did not get it. */
const traceOf = async (hotfolder: Hotfolder, letterId: string): Promise<string> => {
  if (await hotfolder.isSetAside(letterId)) return '  ticket was in outbox';
  return (await hotfolder.isTakenBack(letterId)) ? '  ticket was taken back' : '';
};

const list = async (foundation: Foundation, print: Print): Promise<void> => {
  const hotfolder = hotfolderOf(foundation.config, foundation.storage.readDb);
  const found = await inDoubt(foundation);
  for (const { letterId, letter } of found) {
    const trace = await traceOf(hotfolder, letterId);
    print(`${letterId}  ${letter.status}  ${letter.releaseAt}  ${letter.terms.service}${trace}`);
  }
  for (const letterId of await unknownLetters(foundation)) {
    print(`${letterId}  unknown to the restored log${await traceOf(hotfolder, letterId)}`);
  }
  await settleIfDone(foundation, print);
};

const begin = async (foundation: Foundation, print: Print): Promise<void> => {
  const setAside = await declareRestore(restorePortsOf(foundation));
  print(
    `Letters that the print house may have are held back. Tickets set aside: ${count(setAside)}.`,
  );
  printHeldMails(await holdMails(foundation), print);
};

/** Letters that were under way when the data was restored may be over by now. */
const repeatErasures = async (foundation: Foundation, print: Print): Promise<void> => {
  printReplayed(await replayErasures(foundation, erasureJournalsOf(foundation.config)), print);
};

/** The partner that has the letters printed since the backup, and reports about them. */
const earlierPartner = async ({ config, storage }: Foundation) => {
  const serving = servingPartner(config);
  const earlier = (await currentGeneration(storage.readDb))?.earlier_partners ?? [];
  const [house] = earlier.flatMap((one) => (one.startsWith('http ') ? [one.slice(5)] : []));
  return serving.name === 'http' && house !== undefined && !earlier.includes('hotfolder')
    ? { partner: 'http', house }
    : { partner: 'hotfolder' };
};

/** The print house has a queued letter: it is in production, and its sender cannot cancel it any more. */
const takeIntoProduction = async (foundation: Foundation, letterId: string): Promise<void> => {
  const { commands } = foundation;
  const printer = await earlierPartner(foundation);
  const context = { commandId: randomUUID(), actor: 'operator' };
  await commands.handler.handle(letterAggregate, letterId, context, (letter) =>
    letter.status === 'queued'
      ? startProduction(letter, {
          type: 'StartProduction',
          ...printer,
          jobId: letterId,
          source: 'operator',
        })
      : [],
  );
};

const decide = async (
  foundation: Foundation,
  printed: boolean,
  letterIds: readonly string[],
  print: Print,
): Promise<void> => {
  const { config, storage } = foundation;
  const hotfolder = hotfolderOf(config, storage.readDb);
  const restored = createRestoredJobs(storage.readDb, servingPartner(config));
  for (const letterId of letterIds) {
    if (printed) {
      await restored.decide(letterId, true);
      await hotfolder.decide(letterId, 'taken');
      await takeIntoProduction(foundation, letterId);
    } else {
      // While it is in doubt, nothing hands it over, so its mark can be forgotten before that ends.
      await hotfolder.decide(letterId, 'again');
      await restored.decide(letterId, false);
    }
    print(`${letterId} ${printed ? 'is with the print house' : 'will be handed over'}`);
  }
};

/** Removes print files of letters that the restored log does not know. A repeated send is handed over like any other. */
const removeFiles = async (
  { config, commands, storage }: Foundation,
  letterIds: readonly string[],
  print: Print,
): Promise<void> => {
  const { readDb } = storage;
  const hotfolder = hotfolderOf(config, readDb);
  const unknownOf = unknownJobsIn(commands, readDb);
  for (const letterId of letterIds) {
    // The sender may have sent the letter again since it was listed.
    if ((await unknownOf([letterId])).length === 0) continue;
    await hotfolder.decide(letterId, 'again');
    print(`${letterId} no longer has files in the print folder`);
  }
};

/** @throws Refused for a letter that was not `found` */
const namedOf = (named: string[], found: string[], whatTheyAre: string): string[] => {
  if (named.length === 1 && named[0] === 'all') return found;
  const other = named.find((letterId) => !found.includes(letterId));
  if (other !== undefined) {
    throw new Refused(`letter ${other} is not ${whatTheyAre}; nothing was changed`);
  }
  return named;
};

const letterIdsOf = async (foundation: Foundation, named: string[]): Promise<string[]> => {
  const found = (await inDoubt(foundation)).map(({ letterId }) => letterId);
  return namedOf(named, found, 'in doubt');
};

/** @throws UsageError */
const restored = ([action, ...letters]: string[]): CommandWork => {
  const known = actions.find((one) => one === action) as Action | undefined;
  if (action !== undefined && known === undefined) {
    throw new UsageError(`restored ${action} is not one of ${actions.join(', ')}`);
  }
  const takesLetters = known === 'printed' || known === 'not-printed' || known === 'remove';
  if (takesLetters !== letters.length > 0) {
    throw new UsageError(
      'printed, not-printed and remove take letters or all; the other actions take none',
    );
  }
  return async (foundation, print) => {
    if (known === 'begin') {
      await begin(foundation, print);
      return;
    }
    if (known === 'erasures') {
      await repeatErasures(foundation, print);
      return;
    }
    if (known === 'remove') {
      const found = await unknownLetters(foundation);
      const named = namedOf(letters, found, 'unknown to the log, with files in the print folder');
      if (named.length === 0) print('Every letter with files in the print folder is in the log.');
      await removeFiles(foundation, named, print);
      return;
    }
    await assertComplete(foundation);
    if (known === undefined) {
      await list(foundation, print);
      return;
    }
    const letterIds = await letterIdsOf(foundation, letters);
    await decide(foundation, known === 'printed', letterIds, print);
    await settleIfDone(foundation, print);
  };
};

export const restoredCommand = defineCommand({
  name: 'restored',
  usage: '[begin | printed LETTER…|all | not-printed LETTER…|all | remove LETTER…|all | erasures]',
  summary: 'Decides, after a restore from a backup, which letters the print house has.',
  help: `begin, before the service is started: holds back letters that the print house may have got since the backup, and mails that may have been sent.
Without an action: lists them.
printed: the print house has them. not-printed: it does not, so they are handed over.
remove: deletes the files in the print folder of letters that are unknown to the restored log, because they were sent after the backup.
erasures: erases again what the journal of erasures lists and the backup brought back.`,
  examples: ['restored printed 7c1e…', 'restored not-printed all'],
  read: restored,
});
