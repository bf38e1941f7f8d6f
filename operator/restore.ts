/** Brings a backup into an empty place. */
import type { Log } from '../ground/log.ts';
import { messageOf } from '../ground/message-of.ts';
import { unmarkRestore } from '../infra/backup/restore-mark.ts';
import { ensureReadModels } from '../projections/rebuild.ts';
import { type Config, readConfig } from '../service/config/config.ts';
import { erasureJournalOf, erasureJournalsOf } from '../service/foundation/storage.ts';
import { openFoundation } from '../service/run/foundation.ts';
import { holdMails } from '../service/wings/held-mails.ts';
import { declareRestore, restorePortsOf } from '../service/wings/restores.ts';
import { projectionsOf, wings } from '../service/wings/wings.ts';
import { booksDifferences, describeBooks } from './backup/books.ts';
import { bareCommand, type Command, count, exitCodes, type Print, UsageError } from './command.ts';
import { defineCommand } from './define-command.ts';
import { fillPlace } from './restore/fill.ts';
import { assertLogFits, fillLog } from './restore/fill-log.ts';
import { type OpenBackup, openBackup } from './restore/open-backup.ts';
import { assertEmptyPlace } from './restore/place.ts';
import { printHeldMails } from './restore/print-held-mails.ts';
import {
  mergeJournal,
  printReplayed,
  replayErasures,
  savedJournal,
} from './restore/replay-erasures.ts';
import { assertReportsFit } from './restore/reports.ts';
import { RestoreIncomplete } from './restore/restore-incomplete.ts';

/** Prevents things from happening twice, before a service starts on the data. */
const settle = async (
  config: Config,
  log: Log,
  { root, note }: OpenBackup,
  print: Print,
): Promise<boolean> => {
  await using foundation = await openFoundation(config, log, { isRestore: true });
  const { store, rebuildDb: db } = foundation.storage;
  const setAside = await declareRestore(restorePortsOf(foundation));
  print(`print: letters that the print house may have are held back, ${count(setAside)} tickets`);
  printHeldMails(await holdMails(foundation), print);
  await mergeJournal(erasureJournalOf(config), await savedJournal(root));
  const journals = erasureJournalsOf(config);
  printReplayed(await replayErasures(foundation, journals, note.savedLog?.beganAt), print);
  await ensureReadModels({ store, db, log }, projectionsOf(wings));
  const wrong = await booksDifferences(db, note);
  for (const one of wrong) print(`WRONG: ${one}`);
  if (note.books && wrong.length === 0)
    print(`books: ${describeBooks(note.books)}, as in the backup`);
  return wrong.length === 0;
};

/** @throws Refused before anything was changed, RestoreIncomplete */
export const restoreInto = async (
  config: Config,
  log: Log,
  { from, identity }: { from: string; identity: string | undefined },
  print: Print,
) => {
  await assertEmptyPlace(config);
  const backup = await openBackup(from, identity, config);
  const { note, folder } = backup;
  await assertLogFits(config, log, note);
  await assertReportsFit(config, backup);
  print(`backup: ${folder}`);
  let areBooksSame = false;
  try {
    await fillPlace(config, log, backup);
    await fillLog(config, log, backup);
    areBooksSame = await settle(config, log, backup, print);
    await unmarkRestore(config.dataDir);
  } catch (error) {
    const log = config.eventStore === 'eventstoredb' ? ', the EventStoreDB' : '';
    throw new RestoreIncomplete(
      `the restore is not complete: empty ${config.dataDir}${log} and the database before you repeat it (${messageOf(error)})`,
      { cause: error },
    );
  }
  print(`log: head ${note.log.head}, as of ${note.at}`);
  return { ...backup, areBooksSame };
};

type Options = { from?: string; identity?: string };

/** @throws UsageError */
const restore = (positionals: string[], { from, identity }: Options): Command => {
  if (positionals.length > 0 || from === undefined) {
    throw new UsageError('restore takes --from FOLDER');
  }
  return bareCommand(async (env, log, print) => {
    const { areBooksSame } = await restoreInto(readConfig(env), log, { from, identity }, print);
    print('Next: npm run operator -- verify, reconcile, and restored (docs/backup.md).');
    return areBooksSame ? exitCodes.done : exitCodes.refused;
  });
};

export const restoreCommand = defineCommand({
  name: 'restore',
  usage: '--from FOLDER [--identity FILE]',
  summary: 'Brings a backup into an empty place, and holds back what may have happened since.',
  help: `FOLDER: a backup, or a folder of backups, of which the newest is taken. The place is that of DATA_DIR, DATABASE_URL and EVENT_STORE, and must be empty. A log that was in EventStoreDB may be restored into PostgreSQL.
--identity: the file with the secret key of age. Not needed where the key settings are those of the backup.
Refuses an occupied place, a damaged backup, a backup of another version, and a wrong key; nothing is changed then.`,
  examples: ['restore --from /var/backups/letters --identity /media/usb/letters.age'],
  options: { from: 'text', identity: 'text' },
  read: restore,
});
