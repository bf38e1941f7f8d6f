/** Steps of a service that finds its data restored from a backup. */

import type { EventStore } from '../../events/event-store.ts';
import type { Clock } from '../../ground/clock.ts';
import type { Db, TransactionalDb } from '../../ground/db.ts';
import type { Log } from '../../ground/log.ts';
import { messageOf } from '../../ground/message-of.ts';
import { pause } from '../../ground/pause.ts';
import { rewindBlockCursors } from '../../infra/postgres/block-cursors.ts';
import { forgetOldMarks, lastMarked } from '../../infra/postgres/folder-marks.ts';
import {
  allGenerations,
  beginGeneration,
  beginRestored,
  currentGeneration,
  generationAt,
  type LogGeneration,
  recordPartner,
  withGenerations,
  withMark,
} from '../../infra/postgres/log-generations.ts';
import type { Hotfolder } from '../../infra/print/hotfolder.ts';
import {
  compareMarker,
  isMarked,
  markFolder,
  restFolder,
} from '../../infra/print/restore-marker.ts';
import type { Foundation } from '../foundation/wing.ts';
import { type HeldMail, holdMails } from './held-mails.ts';
import { hotfolderOf, printFolders, servingPartner } from './print-partners.ts';

type Ports = {
  db: TransactionalDb;
  store: Pick<EventStore, 'head'>;
  /** The print folder, `outbox`. */
  folder: string;
  /** Whether live letters are handed over in it; all nodes then share it. */
  isUsed: boolean;
  hotfolder: Pick<Hotfolder, 'makeFolder' | 'setAside'>;
  clock: Clock;
  log: Pick<Log, 'warn' | 'error'>;
  /** Takes mails that may have been sent out of the queue. */
  holdMails(): Promise<HeldMail[]>;
};

/** Says that the data was restored, unless that was just said. Returns how many tickets were set aside. */
export const declareRestore = async ({ db, store, hotfolder, clock }: Ports): Promise<number> => {
  const head = await store.head();
  await withGenerations(db, async (tx, current) => {
    if (current && !current.settled && current.mark === null) return;
    await beginRestored(tx, current, { at: clock(), head });
    await rewindBlockCursors(tx);
    await forgetOldMarks(tx);
  });
  return hotfolder.setAside();
};

/** A full disk, or a folder that is away, does not keep the service from working. */
const mark = async ({ db, folder, hotfolder, log }: Ports): Promise<void> => {
  try {
    await hotfolder.makeFolder();
    await markFolder(db, folder);
  } catch (error) {
    log.warn({ err: messageOf(error) }, 'the print folder cannot be marked');
  }
};

/** A node marks its folder every 10 seconds. */
const watchedS = 25;

/**
 * Whether a node with a folder of its own works on this database. Such a node would notice a restore, so a folder without
 * a known mark belongs to a new node. In a restored database the times are those of the backup, and no longer change.
 */
const anotherNodeWorks = async (db: Db): Promise<boolean> => {
  const before = await lastMarked(db);
  for (let second = 0; before !== undefined && second < watchedS; second++) {
    await pause(1_000, new AbortController().signal);
    if ((await lastMarked(db)) !== before) return true;
  }
  return false;
};

/** How the print folder relates to the database. */
type Found = Awaited<ReturnType<typeof compareMarker>>;

/**
 * A folder that goes missing while the service runs was removed by hand. Where each node has a folder of its own, the first
 * one that starts on a restored database declares the restore, and the folders of the others are `earlier`.
 */
const isRestored = (found: Found, isRunning: boolean, isUsed: boolean): boolean =>
  found === 'other' || (found === 'missing' && !isRunning) || (found === 'earlier' && isUsed);

/**
 * Whether to look more closely, while no mark is renewed. If each node has a folder of its own, the folder of a new node
 * may be a copy of another node's folder.
 */
const mayBeRestored = async (
  { db, folder, isUsed }: Ports,
  current: LogGeneration,
  isRunning: boolean,
): Promise<boolean> => {
  const found = await compareMarker(db, folder, current);
  if (found === 'missing' && isRunning) return false;
  const mayBeNew = found === 'missing' || (found === 'other' && !isRunning && !isUsed);
  return found !== 'same' && !(mayBeNew && (await anotherNodeWorks(db)));
};

/**
 * Declares a restore if the marks differ while nobody renews them: two that were read one after the other may
 * differ because another process renewed them in between. Returns how many tickets were set aside.
 */
const declareIfRestored = (ports: Ports, isRunning: boolean): Promise<number | undefined> =>
  withMark(ports.db, async () => {
    const current = await currentGeneration(ports.db);
    const found = current ? await compareMarker(ports.db, ports.folder, current) : 'same';
    if (isRestored(found, isRunning, ports.isUsed)) return declareRestore(ports);
    if (found === 'earlier') await ports.hotfolder.setAside();
    return undefined;
  });

/**
 * Compares the print folder with the database and begins a new generation of the log where one of them was
 * restored. `isRunning`: it was compared before.
 */
const noticeRestore = async (ports: Ports, isRunning: boolean): Promise<void> => {
  const { db, store, folder, clock, log } = ports;
  const known = await currentGeneration(db);
  if (!known) {
    // The first start; a folder that was marked belonged to a database that is gone.
    const [head, settled] = [await store.head(), !(await isMarked(folder))];
    await withGenerations(db, async (tx, current) => {
      if (!current) await beginGeneration(tx, { at: clock(), head, settled });
    });
  } else if (await mayBeRestored(ports, known, isRunning)) {
    const setAside = await declareIfRestored(ports, isRunning);
    if (setAside !== undefined) {
      const mails = await ports.holdMails();
      log.error(
        { setAside, mails, folder },
        'the data was restored from a backup, or PRINT_HOTFOLDER names another folder: letters that the print house may have are held back until the operator decides, and mails that may have been sent are not sent; npm run operator -- restored',
      );
    }
  }
  await mark(ports);
};

export const restorePortsOf = (foundation: Foundation): Ports => {
  const { config, clock, log, storage } = foundation;
  const { readDb: db, store } = storage;
  const folder = printFolders(config).outbox;
  const hotfolder = hotfolderOf(config, db);
  const isUsed = servingPartner(config).name === 'hotfolder';
  return {
    db,
    store,
    folder,
    isUsed,
    hotfolder,
    clock,
    log,
    holdMails: () => holdMails(foundation),
  };
};

/** Which generation of the log events are of, in the process that tells others about them. */
type LogIds = {
  /** The generation in which the event at a position was appended. */
  logIdAt(position: bigint): string;
  /** Looks whether the data was restored. To be called now and then. */
  look(): Promise<void>;
  /** A node that starts next with a folder of its own need not wait to see whether this one works. */
  stop(): Promise<void>;
};

/** To be called before anything is handed over or published. */
export const openRestores = async (foundation: Foundation): Promise<LogIds> => {
  const ports = restorePortsOf(foundation);
  await noticeRestore(ports, false);
  await recordPartner(ports.db, servingPartner(foundation.config).recordedAs);
  let generations = await allGenerations(ports.db);
  return {
    logIdAt: (position) => generationAt(generations, position).log_id,
    async look() {
      await noticeRestore(ports, true);
      generations = await allGenerations(ports.db);
    },
    async stop() {
      await restFolder(ports.db, ports.folder).catch((error: unknown) => {
        ports.log.warn(
          { err: messageOf(error) },
          'the mark of the print folder still looks as if it were renewed',
        );
      });
    },
  };
};
