import { createExportStore } from '../../infra/exports/export-store.ts';
import { addJob } from '../../infra/jobs/add-job.ts';
import type { Foundation } from '../foundation/wing.ts';

/** The task that makes the next part of an export. */
export const exportTask = 'make-export';

export const exportStoreOf = ({ storage, keys }: Pick<Foundation, 'storage' | 'keys'>) =>
  createExportStore({ db: storage.readDb, blobs: storage.blobs, dataKeys: keys.dataKeys });

export const enqueueExportsIn =
  ({ storage: { readDb } }: Pick<Foundation, 'storage'>) =>
  (exportId: string): Promise<void> =>
    addJob(readDb, exportTask, { exportId }, { key: `export ${exportId}` });

/** Leaves a letter or logo that was erased out of the exports of its account. Safe to repeat. */
export const leaveOutOfExports =
  (foundation: Pick<Foundation, 'storage' | 'keys' | 'clock'>) =>
  async (accountId: string, erasedAt: Date): Promise<void> => {
    const when = { erasedAt, now: foundation.clock() };
    const begunAnew = await exportStoreOf(foundation).leaveErasedOut(accountId, when);
    for (const exportId of begunAnew) await enqueueExportsIn(foundation)(exportId);
  };

/** After a restore: repeats the erasure of an archive. An export that is being made starts again. Safe to repeat. */
export const eraseExport =
  (foundation: Pick<Foundation, 'storage' | 'keys'>) =>
  async (subject: string): Promise<void> => {
    const begunAnew = await exportStoreOf(foundation).eraseRun(subject);
    for (const exportId of begunAnew) await enqueueExportsIn(foundation)(exportId);
  };
