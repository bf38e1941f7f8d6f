import { dirname, join } from 'node:path';
import { JobRecalled, PartnerUnavailable } from '../../reactors/print-partner.ts';
import type { Disk } from './disk.ts';
import { type HandOverMarks, over } from './hand-over-marks.ts';

/** Where a job's files lie. */
export const pathsOf = (folder: string) => {
  const drafts = join(folder, '.drafts');
  const graveyard = join(folder, '.recalled');
  const aside = join(folder, '.restored');
  const ticketOf = (jobId: string): string => join(folder, `${jobId}.json`);
  const pdfOf = (jobId: string): string => join(folder, `${jobId}.pdf`);
  const asideOf = (jobId: string): string => join(aside, `${jobId}.json`);
  const recalledOf = (jobId: string): string => join(graveyard, `${jobId}.json`);
  const draftOf = (jobId: string, attempt: string, kind: 'json' | 'pdf'): string =>
    join(drafts, `${jobId}.${attempt}.${kind}`);
  return { folder, drafts, graveyard, aside, ticketOf, pdfOf, asideOf, recalledOf, draftOf };
};

/** A folder that a print house watches. */
export type Folder = ReturnType<typeof pathsOf> & { disk: Disk; marks: HandOverMarks };

/**
 * Whether an attempt is not published yet. A folder that is away shows nothing either, so a missing file does not mean
 * that the print house took the job. @throws PartnerUnavailable
 */
export const isDraft = async (
  { disk, drafts, draftOf }: Folder,
  jobId: string,
  attempt: string,
): Promise<boolean> => {
  if (await disk.exists(draftOf(jobId, attempt, 'json'))) return true;
  if (await disk.exists(drafts)) return false;
  throw new PartnerUnavailable(`${drafts} is missing: the print folder is away.`, false);
};

/** The folder of drafts. It is made only on the file system where the print folder was. */
const createDraftsFolder = ({
  disk,
  folder,
  drafts,
}: Pick<Folder, 'disk' | 'folder' | 'drafts'>) => {
  let made: Promise<void> | undefined;
  /** The number of the file system of the print folder; absent: the folder was never there. */
  let device: number | undefined;

  const isAway = (why: string): PartnerUnavailable =>
    new PartnerUnavailable(`The file system of the print folder ${folder} is away. ${why}`, true);

  const noteDevice = async (): Promise<void> => {
    device = (await disk.deviceOf(folder)) ?? device;
  };

  const assertMounted = async (): Promise<void> => {
    const present = (await disk.deviceOf(folder)) ?? (await disk.deviceOf(dirname(folder)));
    if (device === undefined || present === device) return;
    // A file system that comes back may have another number. The drafts on it show that it is the same one.
    if (!(await disk.exists(drafts))) {
      throw isAway('Mount it again. If you replaced it, restart the service.');
    }
    device = present;
  };

  const makeNow = async (): Promise<void> => {
    await assertMounted();
    // The start gave the print house access to the folder, but somebody may have removed it since.
    await disk.openFolder(folder);
    await disk.makeFolder(drafts);
    await noteDevice();
  };

  return {
    noteDevice,
    /**
     * For the folder of live letters. Each start makes it, so a folder that is missing counts as away.
     * @throws PartnerUnavailable
     */
    async assertThere(): Promise<void> {
      await assertMounted();
      if (!(await disk.exists(folder))) throw isAway('Mount it.');
    },
    /** Makes the print folder, but not the folder of drafts. @throws PartnerUnavailable like `make` */
    async makeFolder(): Promise<void> {
      await assertMounted();
      await disk.makeFolder(folder);
      await noteDevice();
    },
    /** @throws PartnerUnavailable while the file system of the print folder is away */
    assertMounted,
    /** @throws PartnerUnavailable if the file system is away and only its mount point is left */
    make(): Promise<void> {
      made ??= makeNow();
      return made;
    },
    /** Somebody may have removed the folder, so the next attempt makes it again. */
    doubt(): void {
      made = undefined;
    },
  };
};

/** Attempts to hand a job over, and the mark that says which of them counts. */
export const createAttempts = ({ disk, marks, ...paths }: Folder) => {
  const { folder, drafts, ticketOf, pdfOf, asideOf, recalledOf, draftOf } = paths;
  const draftsFolder = createDraftsFolder({ disk, folder, drafts });

  /** The ticket before the PDF, drafts before what they become: an attempt under way finds nothing to move. */
  const removeAttempt = async (jobId: string, attempt: string): Promise<void> => {
    await disk.remove(draftOf(jobId, attempt, 'json'));
    await disk.remove(draftOf(jobId, attempt, 'pdf'));
  };

  /** The drafts and the ticket. The PDF stays: a print house that took the ticket reads it later. */
  const removeTicket = async (jobId: string): Promise<void> => {
    const own = (await disk.namesIn(drafts)).filter((one) => one.startsWith(`${jobId}.`));
    for (const one of own.toSorted()) await disk.remove(join(drafts, one));
    const places = [ticketOf(jobId), recalledOf(jobId), asideOf(jobId)];
    for (const path of places) await disk.remove(path);
  };

  const removeJob = async (jobId: string): Promise<void> => {
    await removeTicket(jobId);
    await disk.remove(pdfOf(jobId));
  };

  /** Both files are on the disk when this resolves. */
  const draft = async (
    jobId: string,
    attempt: string,
    pdf: Buffer,
    ticket: string,
  ): Promise<void> => {
    try {
      await draftsFolder.make();
      const written = await Promise.allSettled([
        disk.write(draftOf(jobId, attempt, 'pdf'), pdf),
        disk.write(draftOf(jobId, attempt, 'json'), ticket),
      ]);
      // Both have ended, so that the written files can be removed.
      for (const one of written) if (one.status === 'rejected') throw one.reason;
      await disk.sync(drafts);
    } catch (error) {
      draftsFolder.doubt();
      // No job is marked for this attempt yet. Left behind, it would fill a disk that has no room.
      await removeAttempt(jobId, attempt).catch(() => {});
      throw error;
    }
  };

  /**
   * Finishes the attempt that the job is marked for, even if another process began it.
   * @throws JobRecalled, PartnerUnavailable
   */
  const publish = async (jobId: string, attempt: string): Promise<void> => {
    if (attempt === over) throw new JobRecalled(jobId);
    await disk.move(draftOf(jobId, attempt, 'pdf'), pdfOf(jobId));
    const published = await disk.move(draftOf(jobId, attempt, 'json'), ticketOf(jobId));
    await disk.sync(folder);
    if (published) return;
    if (await isDraft({ disk, marks, ...paths }, jobId, attempt)) {
      throw new PartnerUnavailable(`The print folder ${folder} was away.`, false);
    }
    if (await isRecalled(jobId, await marks.of(jobId))) throw new JobRecalled(jobId);
  };

  const isRecalled = async (jobId: string, mark: string | undefined): Promise<boolean> =>
    mark === over || (await disk.exists(recalledOf(jobId)));

  /** Attempts whose mark may not have been written, so that their drafts had to stay. By job. */
  const unclear = new Map<string, string[]>();

  /** The mark of a job, once it is written. Drafts of attempts that it does not name are removed. */
  const claim = async (jobId: string, attempt: string, datedAt: string): Promise<string> => {
    const attempts = [...(unclear.get(jobId) ?? []), attempt];
    unclear.set(jobId, attempts);
    const claimed = await marks.claim(jobId, attempt, datedAt);
    unclear.delete(jobId);
    for (const one of attempts) if (one !== claimed) await removeAttempt(jobId, one);
    return claimed;
  };

  return { draftsFolder, draft, publish, isRecalled, claim, removeTicket, removeJob };
};
