/** Exports: everything that the service has of an account, in one archive. */
import { setTimeout as pause } from 'node:timers/promises';
import type { ExportRow } from '../../infra/exports/export-store.ts';
import { createPartWriter } from '../../infra/exports/part-writer.ts';
import { createZipWriter } from '../../infra/exports/zip-writer.ts';
import { exportPage } from '../../pages/export/export-page.ts';
import { lettersOfAccount } from '../../projections/letters/query.ts';
import { createMakeExport } from '../../reactors/make-export.ts';
import { exportReadOperations } from '../../read-api/exports.ts';
import { exportOperation } from '../../write-api/exports.ts';
import type { Site, Wing } from '../foundation/wing.ts';
import { writingAccount } from './export-account.ts';
import { earlierExportTask, enqueueExportsIn, exportStoreOf, exportTask } from './export-jobs.ts';
import { writingLetters } from './export-letters.ts';
import { auditPortsOf } from './identity-operations.ts';

const readModels = [
  ...['accounts', 'commitments', 'ledger', 'letters', 'payments', 'top-ups', 'ucans'],
];

/** Reads a part as a zip that is complete in itself. Undefined: it was removed. */
const zipsOf = (site: Site) => {
  const store = exportStoreOf(site);
  const { verifier } = auditPortsOf(site, site.baseUrl);
  return async (row: ExportRow, part: number): Promise<Buffer | undefined> => {
    const opened = await store.readPart(row, part);
    if (!opened) return undefined;
    const { pieces, madeAt, isLast } = opened;
    const zip = createZipWriter();
    for (const file of pieces.flatMap(({ files }) => files)) zip.append(file);
    const page = exportPage({
      accountId: row.accountId,
      service: site.config.serviceName.name,
      madeAt,
      part,
      isLast,
      files: pieces.flatMap(({ letter, files }) => (letter ? [] : files.map(({ file }) => file))),
      letters: pieces.flatMap(({ letter }) => letter ?? []),
    });
    await zip.add('index.html', page);
    await zip.add('verify-audit.mjs', verifier);
    return zip.end();
  };
};

const makerOf = (site: Site) => {
  const { storage, keys, clock } = site;
  const zipOf = zipsOf(site);
  return createMakeExport({
    ...exportStoreOf(site),
    clock,
    enqueue: enqueueExportsIn(storage.readDb),
    openPart: () => createPartWriter(keys.dataKeys),
    lettersAfter: (accountId, after, limit) =>
      lettersOfAccount(storage.readDb, accountId, after, limit),
    writeAccount: writingAccount(site),
    writeLetter: writingLetters(site),
    sizeOf: async (row: ExportRow, part) => (await zipOf(row, part))?.length,
    pause: (ms) => pause(ms),
  });
};

/** Begins an export together with its job. A row without a job would keep the account from another export. */
const beginningIn =
  (site: Site) =>
  (...wanted: Parameters<ReturnType<typeof exportStoreOf>['begin']>) =>
    site.storage.readDb.transaction(async (db) => {
      const begun = await exportStoreOf(site, db).begin(...wanted);
      if ('row' in begun && begun.isNew) await enqueueExportsIn(db)(begun.row.exportId);
      return begun;
    });

export const exports: Wing = {
  name: 'exports',
  open(site) {
    const store = exportStoreOf(site);
    return {
      write: () => [
        exportOperation({
          clock: site.clock,
          begin: beginningIn(site),
          enqueue: enqueueExportsIn(site.storage.readDb),
        }),
      ],
      read: () => exportReadOperations({ ...store, readPart: zipsOf(site) }),
      react() {
        const make = makerOf(site);
        return {
          tasks: {
            async [exportTask](payload, context) {
              // The archive contains everything written before the request.
              if (!(await site.isUpToDate(readModels))) throw new Error('read models are behind');
              await make(payload as { exportId: string }, context);
            },
            // Its archive is removed. Without the task, the job would stay in the list of jobs for ever.
            async [earlierExportTask]() {},
          },
          chores: [
            {
              what: 'removing exports that expired',
              everyMs: 60_000,
              work: () => store.sweep(new Date(site.clock())),
            },
          ],
        };
      },
    };
  },
};
