/** Exports: everything that the service has of an account, in one archive. */
import { setTimeout as pause } from 'node:timers/promises';
import { isAppError } from '../../contract/errors.ts';
import type { Caller } from '../../contract/operation.ts';
import { letterStream } from '../../events/letter.ts';
import { createBackoff } from '../../ground/backoff.ts';
import { toTimestamp } from '../../ground/clock.ts';
import type { ExportRow } from '../../infra/exports/export-store.ts';
import { createZipWriter } from '../../infra/exports/zip-writer.ts';
import { exportPage } from '../../pages/export/export-page.ts';
import { presentLetter } from '../../presenters/letter.ts';
import { lettersOfAccount } from '../../projections/letters/query.ts';
import { linesOf } from '../../reactors/export-events.ts';
import {
  type Archive,
  createMakeExport,
  type Export,
  type ExportedLetter,
} from '../../reactors/make-export.ts';
import { createAuditBundles } from '../../read-api/audit.ts';
import { exportReadOperation } from '../../read-api/exports.ts';
import { createOwnLetters } from '../../read-api/own-letters.ts';
import { exportOperation } from '../../write-api/exports.ts';
import type { Site, Wing } from '../foundation/wing.ts';
import { eventPortsOf, json, writingAccount } from './export-account.ts';
import { enqueueExportsIn, exportStoreOf, exportTask } from './export-jobs.ts';
import { auditPortsOf } from './identity-operations.ts';
import { expectedReleaseOf } from './letters.ts';

const readModels = ['accounts', 'ledger', 'letters', 'payments', 'top-ups', 'ucans'];
/** So often a document waits for its turn before it is left out. */
const mostTries = 8;

/** Waits while the service is busy; undefined where the document cannot be made. */
const whenFree = async (work: () => Promise<Buffer | undefined>): Promise<Buffer | undefined> => {
  const backoff = createBackoff({ firstMs: 500, mostMs: 30_000 });
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (!isAppError(error)) throw error;
      const isBusy = error.status === 429 || error.status === 503;
      if (!isBusy) return undefined;
      if (tries === mostTries) throw error;
      await pause(backoff.nextMs());
    }
  }
};

const writingLetters = (site: Site) => {
  const { shared } = site;
  const audit = auditPortsOf(site, site.baseUrl);
  const bundleOf = createAuditBundles(audit);
  const own = createOwnLetters({
    ...shared.letterReader,
    expectedRelease: expectedReleaseOf(site),
  });
  const { letterById, openWhole } = shared.letterReader;
  const eventsOf = async function* (stream: string): AsyncGenerator<string> {
    for await (const { lines } of linesOf(eventPortsOf(site), stream)) yield lines;
  };
  return async (
    archive: Archive,
    letterId: string,
    { accountId, documents }: Export,
  ): Promise<ExportedLetter | undefined> => {
    const record = await letterById(letterId);
    if (!record || record.doc.deleted) return undefined;
    const personal = await openWhole(record);
    const shown = presentLetter(record, personal, { content: true });
    const { createdAt, terms } = record.doc;
    const folder = `letters/${createdAt.slice(0, 10)}-${letterId}`;
    const files: string[] = [];
    const add: Archive['add'] = (file, content, how) => {
      files.push(file);
      return archive.add(`${folder}/${file}`, content, how);
    };
    await add('letter.json', json(shown));
    const text = personal?.content;
    if (text !== undefined && terms.kind !== 'pdf') {
      await add(terms.kind === 'html' ? 'letter.html' : 'letter.txt', text);
    }
    await add('events.ndjson', eventsOf(letterStream(letterId)));
    const caller: Caller = { accountId, keyId: 'export', scope: 'read', test: terms.test };
    if (documents && personal !== undefined) {
      const pdf = await whenFree(async () =>
        shared.documentTools.render((await own.printedLetter(letterId, caller, '')).letter),
      );
      if (pdf) await add('letter.pdf', pdf, { stored: true });
    }
    // Left out where the history is too long for a bundle.
    const bundle = await whenFree(async () => {
      const read = await shared.auditReader.readAudit(letterId);
      return read && bundleOf(read.history, { account: accountId });
    });
    if (bundle) await add('audit.zip', bundle, { stored: true });
    return {
      letterId,
      folder,
      createdAt,
      files,
      status: record.status,
      service: terms.service,
      recipient: personal?.to.name ?? '[erased]',
      price: `${shown.price.total.toFixed(2)} USD`,
    };
  };
};

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
      read: () => [exportReadOperation<ExportRow>(store)],
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
