/** Letters: quoted, sent, changed, printed, read, erased. */
import { recipientDigest } from '../../commands/guards/guarded-letter.ts';
import { finishErasure, settleWallet } from '../../commands/letters/follow-up.ts';
import { createQuoteLetter } from '../../commands/preparation/quote-letter.ts';
import { createRelease } from '../../commands/preparation/release.ts';
import { toTimestamp } from '../../ground/clock.ts';
import type { Log } from '../../ground/log.ts';
import { createRecipientIndex } from '../../infra/guards/recipient-index.ts';
import { createHandOverMarks } from '../../infra/print/hand-over-marks.ts';
import { createPartnerSignature } from '../../infra/print/partner-signature.ts';
import type { Address, CountryCode } from '../../postal/types.ts';
import { letters as letterRows } from '../../projections/letters/project.ts';
import type { LetterRecord } from '../../projections/letters/query.ts';
import { catalogueOperations } from '../../read-api/catalogue.ts';
import { letterReadOperations } from '../../read-api/letters.ts';
import { quotePreviewOperation } from '../../read-api/quote-preview.ts';
import type { Recipient } from '../../read-api/search-letters.ts';
import { letterOperations } from '../../write-api/letters.ts';
import { partnerOperations } from '../../write-api/partner.ts';
import { quoteOperation } from '../../write-api/quotes.ts';
import { testWalletOperation } from '../../write-api/test-wallet.ts';
import type { DocumentTools } from '../foundation/documents.ts';
import { handOverOf } from '../foundation/hand-over.ts';
import type { Foundation, Site, Wing } from '../foundation/wing.ts';
import { approvalUrlIn } from './approval-page.ts';
import { createAttestation } from './identity-operations.ts';
import { mayBeHandedOverIn, mayBePrintedIn } from './print-partners.ts';
import { startProduction } from './production.ts';
import { createKeepQuoted, createOpenQuoted } from './quote-previews.ts';

/** Absent: no print house has a secret to sign its reports with. */
const partnerPortsOf = (foundation: Foundation) => {
  const { config, commands, clock, log, storage } = foundation;
  const { webhookSecret: secret } = config.print;
  if (secret === undefined) return undefined;
  const { datedAt } = createHandOverMarks(storage.readDb, 'http');
  return {
    handler: commands.handler,
    log,
    clock,
    datedAt,
    mayBeHandedOver: mayBeHandedOverIn(foundation),
    checkSignature: createPartnerSignature({ secret, clock }),
  };
};

const writeOperations = (site: Site) => {
  const { clock, keys, commands, shared, baseUrl } = site;
  const { handler, files } = commands;
  const { dataKeys } = keys;
  const { sendPorts, letters, quotes } = shared;
  const context = {
    ...sendPorts,
    letters,
    quotes,
    quoteLetter: createQuoteLetter({
      ...sendPorts,
      quotes,
      baseUrl,
      keepQuoted: createKeepQuoted(site),
    }),
    settle: (letterId: string, command: Parameters<typeof settleWallet>[2]) =>
      settleWallet({ handler }, letterId, command),
    forget: (letterId: string) => finishErasure({ handler, dataKeys, files }, letterId),
    approvalUrl: approvalUrlIn(site),
    readLetter: shared.letterReader.readLetter,
    quota: shared.quota,
    mayBePrinted: mayBePrintedIn(site),
  };
  return [
    quoteOperation(context),
    ...letterOperations(context),
    ...partnerOperations(partnerPortsOf(site)),
    testWalletOperation({ handler, clock }),
  ];
};

/**
 * When the pages of a letter were or will be set, RFC 3339: the date that the letter bears.
 * - A letter that waits for its print house is dated now.
 * - A letter that ended before it was handed over is dated at the start of its production.
 * - Earlier versions recorded only when the print house confirmed the letter, so their letters are dated then.
 */
export const expectedReleaseOf = ({ config, clock }: Pick<Foundation, 'config' | 'clock'>) => {
  const cancellationWindowMs = config.cancellationWindowSeconds * 1_000;
  const release = createRelease({ clock, cancellationWindowMs, handOverAt: handOverOf(config) });
  return ({ status, doc: { terms, releaseAt, handOver, datedAt } }: LetterRecord): string => {
    if (datedAt !== undefined) return datedAt;
    if (handOver) {
      const waits = status === 'processing' && handOver.state === 'waiting_for_partner';
      return waits ? toTimestamp(clock()) : handOver.since;
    }
    const { test, sendDate } = terms;
    const country = terms.country as CountryCode;
    return toTimestamp(release.expectedRelease({ status, country, test, sendDate, releaseAt }));
  };
};

const readOperations = (site: Site, tools: DocumentTools) => {
  const { config, clock, keys, storage, baseUrl } = site;
  const context = {
    clock,
    limits: config.limits,
    baseUrl,
    indexOf: keys.indexOf,
    db: storage.readDb,
    ...site.shared.letterReader,
    preview: tools.preview,
    render: tools.render,
    expectedRelease: expectedReleaseOf(site),
    renderCertificate: tools.certificate,
    certificateLinks: site.shared.certificateLinks,
    prices: site.prices,
    serviceName: config.serviceName,
    attest: createAttestation(site, baseUrl),
    openQuoted: createOpenQuoted(site, tools),
    recipients: {
      digestOf: (accountId: string, to: Recipient) =>
        recipientDigest(keys.indexOf, accountId, to as Address),
      lettersTo: createRecipientIndex(storage.readDb).lettersTo,
    },
  };
  return [
    ...catalogueOperations(context),
    quotePreviewOperation(context),
    ...letterReadOperations(context),
  ];
};

/** Said once, at the start, before the first HTML letter comes. */
const warnWithoutSandbox = async (log: Log): Promise<void> => {
  const { noSandboxWarning, sandboxHere } = await import(
    '../../documents/render/chromium-sandbox.ts'
  );
  if ((await sandboxHere()) === 'none') log.warn({}, noSandboxWarning);
};

export const letters: Wing = {
  name: 'letters',
  projections: [letterRows],
  metrics: [
    {
      name: 'html_printing_failing',
      help: '1 if the browser that prints HTML letters does not start',
    },
    {
      name: 'print_jobs_total',
      help: 'Print jobs by what the print house answered: accepted, or refused for good',
      labels: ['result'],
      kind: 'counter',
    },
    {
      name: 'print_status_files_total',
      help: 'Status files of a hotfolder, by whether they were stored or rejected',
      labels: ['result'],
      kind: 'counter',
    },
  ],
  open(site) {
    const { config, log } = site;
    const tools = site.shared.documentTools;
    const stopping = new AbortController();
    site.closing.defer(() => stopping.abort());
    return {
      write() {
        void warnWithoutSandbox(log);
        return writeOperations(site);
      },
      read: () => readOperations(site, tools),
      health: () => {
        const health = tools.browser.health();
        if (!health) return undefined;
        const failing = health.status === 'ok' ? 0 : 1;
        return { ...health, metrics: { html_printing_failing: failing } };
      },
      started() {
        if (!config.browserCheck || !config.roles.includes('write-api')) return;
        void tools.browser.watch(stopping.signal);
      },
      react: (reacting) => startProduction(site, tools, reacting),
    };
  },
};
