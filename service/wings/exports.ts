/** Exports: everything that the service has of an account, in one archive. */
import { setTimeout as pause } from 'node:timers/promises';
import { accountAggregate } from '../../commands/accounts/account.ts';
import { activeKeys } from '../../commands/accounts/keys.ts';
import { AppError, isAppError } from '../../contract/errors.ts';
import type { Caller } from '../../contract/operation.ts';
import { accountStream } from '../../events/account.ts';
import { walletStream } from '../../events/wallet.ts';
import { createBackoff } from '../../ground/backoff.ts';
import { toTimestamp } from '../../ground/clock.ts';
import type { CredentialLog } from '../../identity/credential-log.ts';
import type { ExportRow } from '../../infra/exports/export-store.ts';
import { createZipWriter } from '../../infra/exports/zip-writer.ts';
import { exportPage } from '../../pages/export/export-page.ts';
import { presentLetter } from '../../presenters/letter.ts';
import { lettersOfAccount } from '../../projections/letters/query.ts';
import {
  type Archive,
  createMakeExport,
  type Export,
  type ExportedLetter,
} from '../../reactors/make-export.ts';
import { createAuditBundles } from '../../read-api/audit.ts';
import { exportReadOperation } from '../../read-api/exports.ts';
import { createOwnLetters } from '../../read-api/own-letters.ts';
import { readStatement } from '../../read-api/statement.ts';
import { exportOperation } from '../../write-api/exports.ts';
import type { Site, Wing } from '../foundation/wing.ts';
import { enqueueExportsIn, exportStoreOf, exportTask } from './export-jobs.ts';
import { auditPortsOf } from './identity-operations.ts';
import { expectedReleaseOf } from './letters.ts';

const readModels = ['accounts', 'ledger', 'letters'];
const eventsAtOnce = 500;
/** So often a document waits for its turn before it is left out. */
const mostTries = 8;

const json = (value: unknown): string => `${JSON.stringify(value, null, 1)}\n`;

/** Settings and keys without their secrets. */
const accountFacts = async (site: Site, accountId: string): Promise<object> => {
  const { state } = await site.commands.handler.load(accountAggregate, accountId);
  if (state.status !== 'open') throw new AppError('account_not_found', 'The account was erased.');
  const { kind, name, test, confirmedAt, settings, did, language } = state;
  const keys = activeKeys(state, toTimestamp(site.clock()));
  return {
    account_id: accountId,
    kind,
    name,
    test,
    confirmed_at: confirmedAt ?? null,
    language: language ?? null,
    did: did?.did ?? null,
    webhook_url: settings.webhookUrl ?? null,
    notification_email: settings.notificationEmail ?? null,
    audit_webhooks: [...state.subscriptions.values()].map(({ subscriptionId: id, url }) => ({
      id,
      url,
    })),
    keys: keys.map(({ keyId: id, label, scope, prefix, createdAt, expiresAt }) => ({
      id,
      label,
      scope,
      prefix,
      created_at: createdAt,
      expires_at: expiresAt ?? null,
    })),
  };
};

/** The lines of a stream: its events as they are stored, with their credentials. */
const linesOf = async (
  { store, credentials }: Site['storage'] & { credentials: CredentialLog },
  stream: string,
): Promise<string[]> => {
  const lines: string[] = [];
  for (let from = 0n; ; from += BigInt(eventsAtOnce)) {
    const events = await store.readStream(stream, { from, limit: eventsAtOnce });
    if (events.length === 0) return lines;
    const range = { from: Number(from) + 1, limit: eventsAtOnce };
    const issued = await credentials.ofStream(stream, range);
    const bySequence = new Map(issued.map((one) => [one.sequence, one.jwt]));
    for (const { version, position, ...event } of events) {
      const credential = bySequence.get(Number(version) + 1) ?? null;
      const shown = { ...event, version: Number(version), position: String(position), credential };
      lines.push(`${JSON.stringify(shown)}\n`);
    }
  }
};

const accountLines = async (site: Site, accountId: string): Promise<string> => {
  const lines = await linesOf(site.storage, accountStream(accountId));
  for (let period = 0; ; period += 1) {
    const more = await linesOf(site.storage, walletStream(accountId, period));
    if (more.length === 0) return lines.join('');
    lines.push(...more);
  }
};

const writingAccount =
  (site: Site) =>
  async (archive: Archive, accountId: string): Promise<void> => {
    const { storage, clock, config, shared } = site;
    const { openForAccount } = shared.letterReader;
    const ports = { db: storage.readDb, clock, limits: config.limits, openForAccount };
    await archive.add('account.json', json(await accountFacts(site, accountId)));
    await archive.add('statement.csv', await readStatement(ports, accountId, {}));
    await archive.add('events.ndjson', await accountLines(site, accountId));
  };

/** Waits while the service is busy; undefined where the letter cannot be printed. */
const whenFree = async (work: () => Promise<Buffer>): Promise<Buffer | undefined> => {
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
    const caller: Caller = { accountId, keyId: 'export', scope: 'read', test: terms.test };
    if (documents && personal !== undefined) {
      const pdf = await whenFree(async () =>
        shared.documentTools.render((await own.printedLetter(letterId, caller, '')).letter),
      );
      if (pdf) await add('letter.pdf', pdf, { stored: true });
    }
    const history = (await shared.auditReader.readAudit(letterId))?.history;
    const bundle = history && (await whenFree(() => bundleOf(history, { account: accountId })));
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
    async writeIndex(archive, { of, part, letters, isLast }) {
      const madeAt = toTimestamp(clock());
      const about = { accountId: of.accountId, service: config.serviceName.name, madeAt };
      await archive.add('index.html', exportPage({ ...about, part, letters, isLast }));
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
