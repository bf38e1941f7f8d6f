import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Clock } from '../../ground/clock.ts';
import { JobRecalled, type PrintPartner } from '../../reactors/print-partner.ts';
import { createDisk, type Disk } from './disk.ts';
import { type HandOverMarks, over } from './hand-over-marks.ts';

const msPerDay = 86_400_000;
/** No attempt writes for so long: a draft that no job is marked for was left by a crash. */
const draftForMs = msPerDay;
/** So long a hand-over that was under way at the erasure is kept from writing the job again. */
const forgottenForMs = 7 * msPerDay;

const ticketName = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.json$/;
/** No job: its mark says that those of versions that marked none are marked. */
const allAdopted = '00000000-0000-0000-0000-000000000000';

export type Hotfolder = PrintPartner & {
  /** Marks the jobs of versions that marked none. To be called before anything else. */
  adopt(): Promise<void>;
  /** Removes what crashes left. To be called now and then. */
  tidy(): Promise<void>;
  /**
   * Takes every ticket out of the reach of the print house, after a restore: which of them it took since
   * the backup is not known. Returns how many there were.
   */
  setAside(): Promise<number>;
  /** Whether the ticket of a job was set aside. */
  isSetAside(jobId: string): Promise<boolean>;
  /** Ends the doubt about a job: taken by the print house, or to be handed over once more. */
  decide(jobId: string, outcome: 'taken' | 'again'): Promise<void>;
};

/**
 * A print partner that watches a folder: `<job_id>.pdf`, then `<job_id>.json`, the job ticket. Whoever
 * sees the ticket finds the PDF complete.
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
}): Hotfolder => {
  const { name, folder, marks, disk = createDisk(), clock = Date.now } = options;
  const drafts = join(folder, '.drafts');
  const graveyard = join(folder, '.recalled');
  const aside = join(folder, '.restored');
  const ticketOf = (jobId: string): string => join(folder, `${jobId}.json`);
  const pdfOf = (jobId: string): string => join(folder, `${jobId}.pdf`);
  const asideOf = (jobId: string): string => join(aside, `${jobId}.json`);
  const recalledOf = (jobId: string): string => join(graveyard, `${jobId}.json`);
  const draftOf = (jobId: string, attempt: string, kind: 'json' | 'pdf'): string =>
    join(drafts, `${jobId}.${attempt}.${kind}`);

  /** The ticket before the PDF, drafts before what they become: an attempt under way finds nothing to move. */
  const removeAttempt = async (jobId: string, attempt: string): Promise<void> => {
    await disk.remove(draftOf(jobId, attempt, 'json'));
    await disk.remove(draftOf(jobId, attempt, 'pdf'));
  };

  const removeJob = async (jobId: string): Promise<void> => {
    const own = (await disk.namesIn(drafts)).filter((one) => one.startsWith(`${jobId}.`));
    for (const one of own.toSorted()) await disk.remove(join(drafts, one));
    const places = [ticketOf(jobId), pdfOf(jobId), recalledOf(jobId), asideOf(jobId)];
    for (const path of places) await disk.remove(path);
  };

  let madeDrafts: Promise<void> | undefined;

  /** Both files are on the disk when this resolves. */
  const draft = async (
    jobId: string,
    attempt: string,
    pdf: Buffer,
    ticket: string,
  ): Promise<void> => {
    try {
      madeDrafts ??= disk.makeFolder(drafts);
      await madeDrafts;
      const written = await Promise.allSettled([
        disk.write(draftOf(jobId, attempt, 'pdf'), pdf),
        disk.write(draftOf(jobId, attempt, 'json'), ticket),
      ]);
      // Both have ended, so that what was written can be removed.
      for (const one of written) if (one.status === 'rejected') throw one.reason;
      await disk.sync(drafts);
    } catch (error) {
      // Somebody may have removed the folder: it is made again for the next one.
      madeDrafts = undefined;
      // No job is marked for this attempt yet. Left behind, it would fill a disk that has no room.
      await removeAttempt(jobId, attempt).catch(() => {});
      throw error;
    }
  };

  /** Finishes the attempt that the job is marked for, whoever began it. @throws JobRecalled */
  const publish = async (jobId: string, attempt: string): Promise<void> => {
    if (attempt === over) throw new JobRecalled(jobId);
    await disk.move(draftOf(jobId, attempt, 'pdf'), pdfOf(jobId));
    const published = await disk.move(draftOf(jobId, attempt, 'json'), ticketOf(jobId));
    await disk.sync(folder);
    if (!published && (await isRecalled(jobId, await marks.of(jobId))))
      throw new JobRecalled(jobId);
  };

  const isRecalled = async (jobId: string, mark: string | undefined): Promise<boolean> =>
    mark === over || (await disk.exists(recalledOf(jobId)));

  /** Attempts whose mark may not have been written, so that their drafts had to stay. By job. */
  const unclear = new Map<string, string[]>();

  /** The mark of a job, once it is written. Drafts of attempts that it does not name are removed. */
  const claim = async (jobId: string, attempt: string): Promise<string> => {
    const attempts = [...(unclear.get(jobId) ?? []), attempt];
    unclear.set(jobId, attempts);
    const claimed = await marks.claim(jobId, attempt);
    unclear.delete(jobId);
    for (const one of attempts) if (one !== claimed) await removeAttempt(jobId, one);
    return claimed;
  };

  return {
    name,
    remembersJobs: false,
    recallsUnseen: false,
    async submit({ ticket, pdf }) {
      const { job_id: jobId } = ticket;
      const attempt = randomUUID();
      await draft(jobId, attempt, pdf, `${JSON.stringify(ticket, null, 2)}\n`);
      await publish(jobId, await claim(jobId, attempt));
    },
    async status(jobId) {
      const mark = await marks.of(jobId);
      if (mark === undefined) return 'unknown';
      if (await isRecalled(jobId, mark)) return 'recalled';
      return (await disk.exists(draftOf(jobId, mark, 'json'))) ? 'unknown' : 'accepted';
    },
    async recall(jobId) {
      await disk.makeFolder(graveyard);
      const mark = await marks.of(jobId);
      const attempt = mark ?? over;
      // In the order that a ticket moves in, so that it is not missed on its way.
      const back =
        (await disk.move(draftOf(jobId, attempt, 'json'), recalledOf(jobId))) ||
        (await disk.move(ticketOf(jobId), recalledOf(jobId))) ||
        (await isRecalled(jobId, mark));
      if (!back) return { answer: 'rejected', reason: 'taken_by_print_house' };
      await Promise.all([disk.sync(graveyard), disk.sync(folder)]);
      await disk.remove(draftOf(jobId, attempt, 'pdf'));
      await disk.remove(pdfOf(jobId));
      return { answer: 'accepted' };
    },
    async forget(jobId) {
      await marks.end(jobId);
      await removeJob(jobId);
    },
    async setAside() {
      const tickets = (await disk.namesIn(folder)).filter((one) => ticketName.test(one));
      if (tickets.length === 0) return 0;
      await disk.makeFolder(aside);
      for (const one of tickets) await disk.move(join(folder, one), join(aside, one));
      await Promise.all([disk.sync(aside), disk.sync(folder)]);
      return tickets.length;
    },
    isSetAside: (jobId) => disk.exists(asideOf(jobId)),
    async decide(jobId, outcome) {
      await removeJob(jobId);
      if (outcome === 'again') await marks.forget(jobId);
      else await marks.claim(jobId, randomUUID());
    },
    async adopt() {
      if ((await marks.of(allAdopted)) !== undefined) return;
      const names = [...(await disk.namesIn(folder)), ...(await disk.namesIn(graveyard))];
      const tickets = names.filter((one) => ticketName.test(one));
      await Promise.all(tickets.map((one) => marks.claim(one.slice(0, 36), randomUUID())));
      await marks.claim(allAdopted, randomUUID());
    },
    async tidy() {
      const now = clock();
      for (const one of await disk.namesIn(drafts)) {
        const [jobId = '', attempt] = one.split('.');
        const changedAt = await disk.changedAt(join(drafts, one));
        if (changedAt === undefined || changedAt >= now - draftForMs) continue;
        if ((await marks.of(jobId)) !== attempt) await disk.remove(join(drafts, one));
      }
      await marks.prune(now - forgottenForMs);
      // Of versions that kept a file for each job that must not be written again.
      const forgotten = join(folder, '.forgotten');
      for (const one of await disk.namesIn(forgotten)) await disk.remove(join(forgotten, one));
    },
  };
};
