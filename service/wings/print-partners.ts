import { join } from 'node:path';
import { letterAggregate } from '../../commands/letters/letter.ts';
import { type Clock, toTimestamp } from '../../ground/clock.ts';
import type { Db } from '../../ground/db.ts';
import { createDisk } from '../../infra/print/disk.ts';
import {
  assertNoFile,
  ownAccess,
  resolveAccess,
  shareFolder,
} from '../../infra/print/folder-access.ts';
import { createHandOverMarks } from '../../infra/print/hand-over-marks.ts';
import { createHotfolder, type Hotfolder, type UnknownJobs } from '../../infra/print/hotfolder.ts';
import { createHttpPartner, houseOf } from '../../infra/print/http-partner.ts';
import { createRestoredJobs, type Serving } from '../../infra/print/restored-jobs.ts';
import { accountsOf } from '../../projections/letters/query.ts';
import type { Doubt, PrintPartner } from '../../reactors/print-partner.ts';
import type { Config } from '../config/config.ts';
import type { Commands } from '../foundation/basics.ts';
import type { Foundation } from '../foundation/wing.ts';

const jobsAtOnce = 1_000;

/**
 * Finds the jobs whose letters the log does not know, because they were sent after the restored backup. Streams are read
 * only for letters that the read model does not know, which are few.
 */
export const unknownJobsIn =
  ({ handler }: Pick<Commands, 'handler'>, db: Db): UnknownJobs =>
  async (jobIds) => {
    const unknown: string[] = [];
    for (let at = 0; at < jobIds.length; at += jobsAtOnce) {
      const some = jobIds.slice(at, at + jobsAtOnce);
      const known = await accountsOf(db, some);
      for (const jobId of some.filter((one) => !known.has(one))) {
        const { state } = await handler.load(letterAggregate, jobId);
        if (state.status === 'none') unknown.push(jobId);
      }
    }
    return unknown;
  };

/** Where the files of print partners lie. */
export const printFolders = (config: Config) => {
  const folder = config.print.hotfolder ?? config.dataDir;
  return {
    outbox: join(folder, 'outbox'),
    inbox: join(folder, 'inbox'),
    simulator: join(config.dataDir, 'simulator'),
  };
};

/** @throws StartRefused where a file has the place of a print folder */
export const assertPrintFolders = async (config: Config): Promise<void> => {
  for (const path of Object.values(printFolders(config))) await assertNoFile(path);
};

/** The print partner of live letters. Another address is another print house, which knows no earlier jobs. */
export const servingPartner = ({ print }: Config): Serving => {
  if (print.partner !== 'http' || !print.httpUrl)
    return { name: 'hotfolder', recordedAs: 'hotfolder' };
  const house = houseOf(print.httpUrl);
  return { name: 'http', house, recordedAs: `http ${house}` };
};

/** Until the restore is settled, letters also wait for a print house that remembers its jobs to be asked. */
const unasked = { name: 'unasked', remembersJobs: false };

/** Only letters that are due can have been handed over, so others cost no question. */
const doubtIn = (
  { config, clock, storage }: Pick<Foundation, 'config' | 'clock' | 'storage'>,
  which: Doubt[],
) => {
  const restored = createRestoredJobs(storage.readDb, servingPartner(config));
  return async (letterId: string, releaseAt: string): Promise<boolean> =>
    releaseAt <= toTimestamp(clock()) &&
    which.includes(await restored.doubtOf(letterId, releaseAt, unasked));
};

/**
 * Whether the print house may have a queued letter, because the service was restored from a backup and does not know.
 * `releaseAt`: when the letter could be handed over, RFC 3339.
 */
export const mayBePrintedIn = (foundation: Parameters<typeof doubtIn>[0]) =>
  doubtIn(foundation, ['undecided', 'printed']);

/** The same for a report of the print house, which knows better than an operator who said that it has no such letter. */
export const mayBeHandedOverIn = (foundation: Parameters<typeof doubtIn>[0]) =>
  doubtIn(foundation, ['undecided', 'printed', 'again']);

const createHttp = ({ print }: Config, db: Db, clock: Clock) => {
  const { httpUrl: url, httpToken: token, webhookSecret: secret } = print;
  if (!url || !token || !secret) return undefined;
  return createHttpPartner({ url, token, secret, clock, marks: createHandOverMarks(db, 'http') });
};

/** The disk that writes for the print house, once both folders belong to the configured users. */
const shareHotfolder = async (config: Config) => {
  const { access: wish } = config.print;
  if (wish === undefined) return createDisk();
  const access = await resolveAccess(wish);
  const { outbox, inbox } = printFolders(config);
  for (const folder of [outbox, inbox]) await shareFolder(folder, access);
  return createDisk(access);
};

/** The hotfolder of live letters, for commands. */
export const hotfolderOf = (config: Config, db: Db): Hotfolder =>
  createHotfolder({
    name: 'hotfolder',
    folder: printFolders(config).outbox,
    marks: createHandOverMarks(db, 'hotfolder'),
    disk: createDisk(ownAccess, config.print.access?.owner !== undefined),
  });

/**
 * The print partners that are configured. Letters that were handed to another one than the current are
 * still asked back from it.
 */
export const createPrintPartners = async (config: Config, db: Db, clock: Clock) => {
  const folders = printFolders(config);
  const folderPartner = (name: string, folder: string, disk = createDisk()) =>
    createHotfolder({
      name,
      folder,
      marks: createHandOverMarks(db, name),
      disk,
      clock,
      isOwn: name === 'simulator',
      isServing: name === servingPartner(config).name,
    });
  const hotfolder = folderPartner('hotfolder', folders.outbox, await shareHotfolder(config));
  const simulator = folderPartner('simulator', folders.simulator);
  await Promise.all([hotfolder.adopt(), simulator.adopt()]);
  const http = createHttp(config, db, clock);
  const partner: PrintPartner | undefined = config.print.partner === 'http' ? http : hotfolder;
  if (!partner) throw new Error('PRINT_PARTNER=http needs its URL, token and secret.');
  return {
    /** Prints live letters. */
    partner,
    /** Takes test letters; prints nothing. */
    simulator,
    all: http ? [hotfolder, simulator, http] : [hotfolder, simulator],
    /** Like `tidy` of a hotfolder, for all folders. */
    async tidy(unknownOf: UnknownJobs): Promise<void> {
      await hotfolder.tidy(unknownOf);
      await simulator.tidy(unknownOf);
    },
    close: async (): Promise<void> => http?.close(),
  };
};
