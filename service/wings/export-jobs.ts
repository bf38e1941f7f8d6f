import type { Db } from '../../ground/db.ts';
import { createExportStore } from '../../infra/exports/export-store.ts';
import { addJob } from '../../infra/jobs/add-job.ts';
import type { Foundation } from '../foundation/wing.ts';

/** The task that makes the next part of an export. */
export const exportTask = 'make-export-in-pieces';
/** The same task of earlier versions, which make other parts. */
export const earlierExportTask = 'make-export';

export const exportStoreOf = (
  { storage, keys }: Pick<Foundation, 'storage' | 'keys'>,
  db: Db = storage.readDb,
) => createExportStore({ db, blobs: storage.blobs, dataKeys: keys.dataKeys });

export const enqueueExportsIn =
  (db: Db) =>
  (exportId: string): Promise<void> =>
    addJob(db, exportTask, { exportId }, { key: `export ${exportId}` });
