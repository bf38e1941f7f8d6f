import { randomUUID } from 'node:crypto';
import { access, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../contract/clock.ts';
import { JobRecalled, type PrintPartner } from '../../reactors/print-partner.ts';

const sync = async (path: string): Promise<void> => {
  const handle = await open(path, 'r');
  await handle.sync().finally(() => handle.close());
};

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** On disk under a name that no other process writes. Returns where. */
const writeDraft = async (folder: string, jobId: string, bytes: Buffer | string) => {
  const draft = join(folder, `${jobId}.${randomUUID()}`);
  const handle = await open(draft, 'wx', 0o600);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
  return draft;
};

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT';

/** Moves a file if it is there. */
const moved = async (from: string, to: string): Promise<boolean> => {
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
};

const remove = (path: string): Promise<void> => rm(path, { force: true });

/** Names in a folder; none where there is no folder. */
const namesIn = async (folder: string): Promise<string[]> => {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
};

const msPerDay = 86_400_000;
/** No hand-over lasts so long: a draft of it was left by a crash. */
const draftForMs = msPerDay;
/** So long a hand-over that was under way at the erasure is kept from writing the job again. */
const forgottenForMs = 7 * msPerDay;

const isOlder = async (path: string, than: number): Promise<boolean> => {
  try {
    return (await stat(path)).mtimeMs < than;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
};

export type Hotfolder = PrintPartner & {
  /** Removes what crashes left. To be called now and then. */
  tidy(): Promise<void>;
};

/**
 * A print partner that watches a folder: `<job_id>.pdf`, then `<job_id>.json`, the job ticket. Whoever
 * sees the ticket finds the PDF complete. The same job again writes the same files.
 *
 * Whoever moves the ticket away has the job: the print house prints it, or a recall moves it to
 * `.recalled`, where it also stands for that the job must not be written again. `.forgotten` holds an
 * empty file for each job whose letter was erased: it too must not be written again.
 */
export const createHotfolder = (
  name: string,
  folder: string,
  clock: Clock = Date.now,
): Hotfolder => {
  const drafts = join(folder, '.drafts');
  const graveyard = join(folder, '.recalled');
  const forgotten = join(folder, '.forgotten');
  const ticketOf = (jobId: string): string => join(folder, `${jobId}.json`);
  const pdfOf = (jobId: string): string => join(folder, `${jobId}.pdf`);
  const recalledOf = (jobId: string): string => join(graveyard, `${jobId}.json`);
  const forgottenOf = (jobId: string): string => join(forgotten, jobId);

  const isOver = async (jobId: string): Promise<boolean> =>
    (await exists(recalledOf(jobId))) || (await exists(forgottenOf(jobId)));

  /** Drafts of other processes included: who wrote them finds that the job is over. */
  const removeJob = async (jobId: string): Promise<void> => {
    const own = (await namesIn(drafts)).filter((one) => one.startsWith(`${jobId}.`));
    const kept = [ticketOf(jobId), pdfOf(jobId), ...own.map((one) => join(drafts, one))];
    for (const path of kept) await remove(path);
  };

  /** A hand-over beside the erasure may have written once more and died. */
  const endForgotten = async (jobId: string, before: number): Promise<void> => {
    await removeJob(jobId);
    if (await isOlder(forgottenOf(jobId), before)) await remove(forgottenOf(jobId));
  };

  /** @throws JobRecalled when the job was recalled or forgotten meanwhile; nothing of it stays */
  const assertOpen = async (jobId: string): Promise<void> => {
    if (!(await isOver(jobId))) return;
    await removeJob(jobId);
    throw new JobRecalled(jobId);
  };

  return {
    name,
    recallsUnseen: false,
    async submit({ ticket, pdf }) {
      const { job_id: jobId } = ticket;
      await mkdir(drafts, { recursive: true, mode: 0o700 });
      const text = `${JSON.stringify(ticket, null, 2)}\n`;
      await assertOpen(jobId);
      try {
        await rename(await writeDraft(drafts, jobId, pdf), pdfOf(jobId));
        const draft = await writeDraft(drafts, jobId, text);
        await assertOpen(jobId);
        await rename(draft, ticketOf(jobId));
      } catch (error) {
        if (isMissing(error)) await assertOpen(jobId);
        throw error;
      }
      await assertOpen(jobId);
      await sync(folder);
    },
    async status(jobId) {
      if (await isOver(jobId)) return 'recalled';
      return (await exists(ticketOf(jobId))) ? 'accepted' : 'unknown';
    },
    async recall(jobId) {
      await mkdir(graveyard, { recursive: true, mode: 0o700 });
      const taken = (await moved(ticketOf(jobId), recalledOf(jobId))) || (await isOver(jobId));
      if (!taken) return { answer: 'rejected', reason: 'taken_by_print_house' };
      await remove(pdfOf(jobId));
      await Promise.all([sync(graveyard), sync(folder)]);
      return { answer: 'accepted' };
    },
    async forget(jobId) {
      await mkdir(forgotten, { recursive: true, mode: 0o700 });
      await (await open(forgottenOf(jobId), 'a', 0o600)).close();
      await sync(forgotten);
      await removeJob(jobId);
      await remove(recalledOf(jobId));
    },
    async tidy() {
      const now = clock();
      for (const one of await namesIn(drafts)) {
        const path = join(drafts, one);
        if (await isOlder(path, now - draftForMs)) await remove(path);
      }
      for (const jobId of await namesIn(forgotten)) {
        await endForgotten(jobId, now - forgottenForMs);
      }
    },
  };
};
