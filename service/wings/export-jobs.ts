import { createExportStore } from '../../infra/exports/export-store.ts';
import { addJob } from '../../infra/jobs/add-job.ts';
import type { Foundation } from '../foundation/wing.ts';

/** The task that makes the next part of an export. Processes of earlier versions, which make other parts, have `make-export`. */
export const exportTask = 'make-export-in-pieces';

export const exportStoreOf = ({ storage, keys }: Pick<Foundation, 'storage' | 'keys'>) =>
  createExportStore({ db: storage.readDb, blobs: storage.blobs, dataKeys: keys.dataKeys });

export const enqueueExportsIn =
  ({ storage: { readDb } }: Pick<Foundation, 'storage'>) =>
  (exportId: string): Promise<void> =>
    addJob(readDb, exportTask, { exportId }, { key: `export ${exportId}` });
