import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Clock } from '../../ground/clock.ts';
import { dayMs } from '../../ground/day.ts';
import { uuidPattern } from '../../ground/uuid.ts';
import type { PrintPartner } from '../../reactors/print-partner.ts';
import { createDisk, type Disk } from './disk.ts';
import { type HandOverMarks, over } from './hand-over-marks.ts';
import { createAttempts, type Folder, isDraft, pathsOf } from './hotfolder-attempts.ts';

/** Longer than any attempt writes: a draft of this age that no job is marked for was left by a crash. */
const draftForMs = dayMs;
/** So long a hand-over that was under way at the erasure is kept from writing the job again. */
const forgottenForMs = 7 * dayMs;

/** How long files of a job that the log does not know stay after a restore, so that the operator can look at them. */
const unknownForMs = 30 * dayMs;

const fileName = new RegExp(`^${uuidPattern}\\.(json|pdf)$`);
const ticketName = new RegExp(`^${uuidPattern}\\.json$`);
const pdfName = new RegExp(`^${uuidPattern}\\.pdf$`);
/** No job: its mark says that those of versions that marked none are marked. */
const allAdopted = '00000000-0000-0000-0000-000000000000';

/** Returns those of the given jobs whose letters the log does not know. */
export type UnknownJobs = (jobIds: string[]) => Promise<string[]>;

export type Hotfolder = PrintPartner & {
  /** Marks the jobs of versions that marked none. To be called before anything else. */
  adopt(): Promise<void>;
  /** Removes what crashes left, and old files of jobs that the log does not know. To be called now and then. */
  tidy(unknownOf: UnknownJobs): Promise<void>;
  /**
   * Makes the folder if it is missing. After the first call it is made only on the file system where it was.
   * @throws PartnerUnavailable while that file system is away
   */
  makeFolder(): Promise<void>;
  /** Jobs whose PDF lies in the folder, or whose ticket was set aside. */
  jobs(): Promise<string[]>;
  /**
   * Takes every ticket out of the reach of the print house, after a restore: which of them it took since
   * the backup is not known. Returns how many there were.
   */
  setAside(): Promise<number>;
  /** Whether the ticket of a job was set aside. */
  isSetAside(jobId: string): Promise<boolean>;
  /** Whether the ticket of a job was taken back, so that the print house never got it. */
  isTakenBack(jobId: string): Promise<boolean>;
  /** Ends the doubt about a job: taken by the print house, or to be handed over once more. */
  decide(jobId: string, outcome: 'taken' | 'again'): Promise<void>;
};

/** @throws PartnerUnavailable while the folder is away: then a missing ticket does not mean that it was taken */
const recallFrom = async (
  { disk, marks, folder, graveyard, ticketOf, pdfOf, recalledOf, draftOf }: Folder,
  { isRecalled }: ReturnType<typeof createAttempts>,
  jobId: string,
  assertThere: () => Promise<void>,
): ReturnType<PrintPartner['recall']> => {
  await assertThere();
  await disk.makeFolder(graveyard);
  const mark = await marks.of(jobId);
  const attempt = mark ?? over;
  // In the order that a ticket moves in, so that it is not missed on its way.
  const back =
    (await disk.move(draftOf(jobId, attempt, 'json'), recalledOf(jobId))) ||
    (await disk.move(ticketOf(jobId), recalledOf(jobId))) ||
    (await isRecalled(jobId, mark));
  if (!back) {
    await assertThere();
    return { answer: 'rejected', reason: 'taken_by_print_house' };
  }
  await Promise.all([disk.sync(graveyard), disk.sync(folder)]);
  await disk.remove(draftOf(jobId, attempt, 'pdf'));
  await disk.remove(pdfOf(jobId));
  return { answer: 'accepted' };
};

const setAsideIn = async ({ folder, aside, disk }: Folder): Promise<number> => {
  const tickets = (await disk.namesIn(folder)).filter((one) => ticketName.test(one));
  if (tickets.length === 0) return 0;
  await disk.makeFolder(aside);
  for (const one of tickets) await disk.move(join(folder, one), join(aside, one));
  await Promise.all([disk.sync(aside), disk.sync(folder)]);
  return tickets.length;
};

const adoptIn = async ({ folder, disk, marks, graveyard }: Folder): Promise<void> => {
  if ((await marks.of(allAdopted)) !== undefined) return;
  const names = [...(await disk.namesIn(folder)), ...(await disk.namesIn(graveyard))];
  const tickets = names.filter((one) => ticketName.test(one));
  await Promise.all(tickets.map((one) => marks.claim(one.slice(0, 36), randomUUID())));
  await marks.claim(allAdopted, randomUUID());
};

const jobsIn = async ({ folder, aside, disk }: Folder): Promise<string[]> => {
  const pdfs = (await disk.namesIn(folder)).filter((one) => pdfName.test(one));
  const tickets = (await disk.namesIn(aside)).filter((one) => ticketName.test(one));
  return [...new Set([...pdfs, ...tickets].map((one) => one.slice(0, 36)))];
};

const tidyUnknown = async (
  paths: Folder,
  now: number,
  removeJob: (jobId: string) => Promise<void>,
  unknownOf: UnknownJobs,
): Promise<void> => {
  const { disk, marks, pdfOf, asideOf } = paths;
  const old: string[] = [];
  for (const jobId of await jobsIn(paths)) {
    const changedAt =
      (await disk.changedAt(pdfOf(jobId))) ?? (await disk.changedAt(asideOf(jobId)));
    if (changedAt !== undefined && changedAt < now - unknownForMs) old.push(jobId);
  }
  for (const jobId of await unknownOf(old)) {
    // The sender may have sent the letter again since the look-up.
    if ((await unknownOf([jobId])).length === 0) continue;
    await removeJob(jobId);
    // If the mark stayed, a letter that is sent again would count as taken by the print house.
    await marks.forget(jobId);
  }
};

/** `underWay`: attempts of this process. Their drafts stay, however old the clock makes them. */
const tidyIn = async (
  { folder, disk, marks, drafts, underWay }: Folder & { underWay: ReadonlySet<string> },
  now: number,
): Promise<void> => {
  for (const one of await disk.namesIn(drafts)) {
    const [jobId = '', attempt = ''] = one.split('.');
    if (underWay.has(attempt)) continue;
    const changedAt = await disk.changedAt(join(drafts, one));
    if (changedAt === undefined || changedAt >= now - draftForMs) continue;
    if ((await marks.of(jobId)) !== attempt) await disk.remove(join(drafts, one));
  }
  await marks.prune(now - forgottenForMs);
  // Of versions that kept a file for each job that must not be written again.
  const forgotten = join(folder, '.forgotten');
  for (const one of await disk.namesIn(forgotten)) await disk.remove(join(forgotten, one));
};

/**
 * Files of jobs that were erased on another node with a folder of its own. A job of this folder was marked before it was
 * written. A job without a mark was therefore erased, and its mark was pruned.
 */
const eraseIn = async (
  { folder, graveyard, disk, marks }: Folder,
  { removeJob }: ReturnType<typeof createAttempts>,
): Promise<void> => {
  const names = [...(await disk.namesIn(folder)), ...(await disk.namesIn(graveyard))];
  const jobIds = new Set(names.filter((one) => fileName.test(one)).map((one) => one.slice(0, 36)));
  const found = await Promise.all(
    [...jobIds].map(async (jobId) => ({ jobId, mark: await marks.of(jobId) })),
  );
  for (const { jobId, mark } of found) {
    if (mark === undefined || mark === over) await removeJob(jobId);
  }
};

/**
 * A print partner that watches a folder: `<job_id>.pdf`, then `<job_id>.json`, the job ticket. When the
 * ticket is visible, the PDF is complete.
 *
 * A ticket is one file that is only ever moved: from `.drafts` into the folder, and from there (or from
 * `.drafts`) to the print house or to `.recalled`. Of two who reach for it one gets it. Before it is moved
 * into the folder the job is marked, durably and once and for all, for the attempt that wrote it: a job
 * without a mark was never seen by the print house; one with a mark whose ticket lies nowhere was taken.
 */
export const createHotfolder = (options: {
  name: string;
  folder: string;
  marks: HandOverMarks;
  disk?: Disk;
  clock?: Clock;
  /** Nodes may have a folder each, so each one removes what is erased from its own. */
  isOwn?: boolean;
  /** Live letters go to this folder. */
  isServing?: boolean;
}): Hotfolder => {
  const { name, marks, disk = createDisk(), clock = Date.now, isOwn = false } = options;
  const { isServing = false } = options;
  const underWay = new Set<string>();
  const folder = { ...pathsOf(options.folder), disk, marks, underWay };
  const attempts = createAttempts(folder);
  const { draftsFolder, draft, publish, isRecalled, claim, removeTicket, removeJob } = attempts;
  const assertThere = isServing ? draftsFolder.assertThere : draftsFolder.assertMounted;

  return {
    name,
    remembersJobs: false,
    recallsUnseen: true,
    async submit({ ticket, pdf, datedAt }) {
      const { job_id: jobId } = ticket;
      const attempt = randomUUID();
      underWay.add(attempt);
      try {
        await draft(jobId, attempt, pdf, `${JSON.stringify(ticket, null, 2)}\n`);
        await publish(jobId, await claim(jobId, attempt, datedAt));
      } finally {
        underWay.delete(attempt);
      }
    },
    async status(jobId) {
      const mark = await marks.of(jobId);
      if (mark === undefined) return 'unknown';
      if (await isRecalled(jobId, mark)) return 'recalled';
      return (await isDraft(folder, jobId, mark)) ? 'unknown' : 'accepted';
    },
    datedAt: (jobId) => marks.datedAt(jobId),
    async forget(jobId) {
      await marks.end(jobId);
      await assertThere();
      await removeJob(jobId);
    },
    async recall(jobId, about) {
      // Nobody can publish the job after that, so neither the folder nor the document is needed.
      if (about?.isUnseen && (await marks.claim(jobId, over)) === over)
        return { answer: 'accepted' };
      return recallFrom(folder, attempts, jobId, assertThere);
    },
    setAside: () => setAsideIn(folder),
    isSetAside: (jobId) => disk.exists(folder.asideOf(jobId)),
    isTakenBack: (jobId) => disk.exists(folder.recalledOf(jobId)),
    async adopt() {
      await draftsFolder.noteDevice();
      await adoptIn(folder);
    },
    async tidy(unknownOf) {
      if (isOwn) await eraseIn(folder, attempts);
      await tidyIn(folder, clock());
      await tidyUnknown(folder, clock(), removeJob, unknownOf);
    },
    makeFolder: draftsFolder.makeFolder,
    jobs: () => jobsIn(folder),
    async decide(jobId, outcome) {
      if (outcome === 'again') {
        await removeJob(jobId);
        await marks.forget(jobId);
      } else {
        await removeTicket(jobId);
        await marks.claim(jobId, randomUUID());
      }
    },
  };
};
