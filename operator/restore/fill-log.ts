/** Appends the log of a backup to an empty store, compares both, and lets the database follow the copy. */
import { asPosition } from '../../events/position.ts';
import type { Log } from '../../ground/log.ts';
import { messageOf } from '../../ground/message-of.ts';
import type { BackupNote } from '../../infra/backup/note.ts';
import { openSavedLog } from '../../infra/backup/saved-log.ts';
import type { Config } from '../../service/config/config.ts';
import { logNameOf, openLog, openStorage } from '../../service/foundation/storage.ts';
import { Refused } from '../command.ts';
import { copyAfter } from '../copy-log/copy.ts';
import { switchLog } from '../copy-log/switch.ts';

/** @throws Refused before anything was changed */
export const assertLogFits = async (config: Config, log: Log, note: BackupNote): Promise<void> => {
  if (config.eventStore !== 'eventstoredb') return;
  const name = logNameOf(config);
  if (!note.savedLog) {
    throw new Refused(
      'the backup is of a log in PostgreSQL: restore it with EVENT_STORE=postgres, then move the log with copy-log; nothing was changed',
    );
  }
  const store = await openLog(config, { url: '', log });
  try {
    const found = await store.readAll({ after: 0n, limit: 1 }).catch((error: unknown) => {
      throw new Refused(
        `the log ${name} does not answer (${messageOf(error)}); nothing was changed`,
      );
    });
    if (found.length > 0) {
      throw new Refused(
        `the log ${name} is not empty: restore into an empty one; nothing was changed`,
      );
    }
  } finally {
    await store.close();
  }
};

/** Positions in the database are those of the log that was saved; they are translated for the new one. */
export const fillLog = async (
  config: Config,
  log: Log,
  { folder, note }: { folder: string; note: BackupNote },
): Promise<void> => {
  if (!note.savedLog) return;
  await using storage = await openStorage(config, log, 1);
  const saved = openSavedLog(folder, note.savedLog, asPosition(BigInt(note.log.head)));
  await copyAfter(saved, storage.store, 0n, () => undefined);
  await storage.readDb.transaction((tx) => switchLog(tx, saved, storage.store), {
    unlimited: true,
  });
};
