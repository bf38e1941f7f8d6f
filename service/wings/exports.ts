/** Exports: everything that the service has of an account, in one archive. */
import { setTimeout as pause } from 'node:timers/promises';
import { toTimestamp } from '../../ground/clock.ts';
import type { ExportRow } from '../../infra/exports/export-store.ts';
import { createZipWriter } from '../../infra/exports/zip-writer.ts';
import { exportPage } from '../../pages/export/export-page.ts';
import { lettersOfAccount } from '../../projections/letters/query.ts';
import { createMakeExport } from '../../reactors/make-export.ts';
import { exportReadOperations } from '../../read-api/exports.ts';
import { exportOperation } from '../../write-api/exports.ts';
import type { Site, Wing } from '../foundation/wing.ts';
import { writingAccount } from './export-account.ts';
import { enqueueExportsIn, exportStoreOf, exportTask } from './export-jobs.ts';
import { writingLetters } from './export-letters.ts';
import { auditPortsOf } from './identity-operations.ts';

const readModels = [
  ...['accounts', 'commitments', 'ledger', 'letters', 'payments', 'top-ups', 'ucans'],
];
const makerOf = (site: Site) => {
  const { storage, clock, config } = site;
  const store = exportStoreOf(site);
  const { verifier } = auditPortsOf(site, site.baseUrl);
  return createMakeExport<ExportRow>({
    ...store,
    clock,
    enqueue: enqueueExportsIn(site),
    openArchive: createZipWriter,
    lettersAfter: (accountId, after, limit) =>
      lettersOfAccount(storage.readDb, accountId, after, limit),
    writeAccount: writingAccount(site),
    writeLetter: writingLetters(site),
    async writeIndex(archive, { of, ...rest }) {
      const madeAt = toTimestamp(clock());
      const about = { accountId: of.accountId, service: config.serviceName.name, madeAt };
      await archive.add('index.html', exportPage({ ...about, ...rest }));
      await archive.add('verify-audit.mjs', verifier);
    },
    pause: (ms) => pause(ms),
  });
};

export const exports: Wing = {
  name: 'exports',
  open(site) {
    const store = exportStoreOf(site);
    return {
      write: () => [
        exportOperation({ clock: site.clock, begin: store.begin, enqueue: enqueueExportsIn(site) }),
      ],
      read: () => exportReadOperations<ExportRow>(store),
      react() {
        const make = makerOf(site);
        return {
          tasks: {
            async [exportTask](payload, context) {
              // The archive contains everything written before the request.
              if (!(await site.isUpToDate(readModels))) throw new Error('read models are behind');
              await make(payload as { exportId: string }, context);
            },
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
