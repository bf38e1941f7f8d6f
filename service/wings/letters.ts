/** Letters: quoted, sent, changed, printed, read, erased. */
import { finishErasure, settleWallet } from '../../commands/letters/consequences.ts';
import { createSendLetter } from '../../commands/letters/send-letter.ts';
import { createQuotes } from '../../commands/preparation/quote.ts';
import { createQuoteLetter } from '../../commands/preparation/quote-letter.ts';
import { createRelease } from '../../commands/preparation/release.ts';
import { fontMetrics } from '../../documents/render/font-metrics.ts';
import { toTimestamp } from '../../ground/clock.ts';
import type { Log } from '../../ground/log.ts';
import { createQuoteStore } from '../../infra/postgres/quotes.ts';
import { createPartnerSignature } from '../../infra/print/partner-signature.ts';
import type { CountryCode } from '../../postal/types.ts';
import { letters as letterRows } from '../../projections/letters/project.ts';
import type { LetterRecord } from '../../projections/letters/query.ts';
import { catalogueOperations } from '../../read-api/catalogue.ts';
import { createCertificateLinks } from '../../read-api/certificate-links.ts';
import { letterReadOperations } from '../../read-api/letters.ts';
import { quotePreviewOperation } from '../../read-api/quote-preview.ts';
import { letterOperations } from '../../write-api/letters.ts';
import { partnerOperations } from '../../write-api/partner.ts';
import { quoteOperation } from '../../write-api/quotes.ts';
import { testWalletOperation } from '../../write-api/test-wallet.ts';
import type { Foundation, Site, Wing } from '../foundation/wing.ts';
import { type DocumentTools, documentToolsOf } from './documents.ts';
import { createAttestation } from './identity-operations.ts';
import { letterReaderOf } from './letter-reader.ts';
import { logosOf } from './logos.ts';
import { handOverOf } from './print-partners.ts';
import { startProduction } from './production.ts';
import { quotaCheckOf } from './quotas.ts';
import { createKeepQuoted, createOpenQuoted } from './quote-previews.ts';

export const quotesOf = ({ storage }: Foundation) => createQuotes(createQuoteStore(storage.readDb));

/** Absent: no print house has a secret to sign its reports with. */
const partnerPortsOf = ({ config, commands: { handler }, clock, log }: Foundation) => {
  const { webhookSecret: secret } = config.print;
  if (secret === undefined) return undefined;
  return { handler, log, clock, checkSignature: createPartnerSignature({ secret, clock }) };
};

/** What checking, pricing and sending a letter needs. */
export const sendPortsOf = (
  site: Foundation & Pick<Site, 'closing'>,
  { documents }: Pick<DocumentTools, 'documents'>,
) => {
  const { config, clock, keys, commands } = site;
  const { handler, files } = commands;
  const { dataKeys, indexOf } = keys;
  return {
    ...{ handler, files, dataKeys, indexOf, clock, documents, logos: logosOf(site) },
    metrics: fontMetrics(),
    limits: config.limits,
    discountOf: site.discounts.of,
    cancellationWindowMs: config.cancellationWindowSeconds * 1_000,
    handOverAt: handOverOf(config),
  };
};

const writeOperations = (site: Site, tools: DocumentTools) => {
  const { clock, keys, commands, baseUrl } = site;
  const { handler, files } = commands;
  const { dataKeys } = keys;
  const ports = sendPortsOf(site, tools);
  const quotes = quotesOf(site);
  const context = {
    ...ports,
    letters: createSendLetter(ports),
    quotes,
    quoteLetter: createQuoteLetter({
      ...{ ...ports, quotes, baseUrl },
      keepQuoted: createKeepQuoted(site),
    }),
    settle: (letterId: string, command: Parameters<typeof settleWallet>[2]) =>
      settleWallet({ handler }, letterId, command),
    forget: (letterId: string) => finishErasure({ handler, dataKeys, files }, letterId),
    readLetter: letterReaderOf(site).readLetter,
    quota: quotaCheckOf(site),
  };
  return [
    quoteOperation(context),
    ...letterOperations(context),
    ...partnerOperations(partnerPortsOf(site)),
    testWalletOperation({ handler, clock }),
  ];
};

/** When production of a letter that is not produced will begin, RFC 3339: the day that it is dated. */
export const expectedReleaseOf = ({ config, clock }: Pick<Foundation, 'config' | 'clock'>) => {
  const cancellationWindowMs = config.cancellationWindowSeconds * 1_000;
  const release = createRelease({ clock, cancellationWindowMs, handOverAt: handOverOf(config) });
  return ({ status, doc: { terms, releaseAt } }: LetterRecord): string => {
    const { test, sendDate } = terms;
    const country = terms.country as CountryCode;
    return toTimestamp(release.expectedRelease({ status, country, test, sendDate, releaseAt }));
  };
};

const readOperations = (site: Site, tools: DocumentTools) => {
  const { config, clock, keys, storage, baseUrl } = site;
  const context = {
    ...{ clock, limits: config.limits, baseUrl, indexOf: keys.indexOf, db: storage.readDb },
    ...letterReaderOf(site),
    preview: tools.preview,
    render: tools.render,
    expectedRelease: expectedReleaseOf(site),
    renderCertificate: tools.certificate,
    certificateLinks: createCertificateLinks(keys.derive('certificate-links')),
    serviceName: config.serviceName,
    attest: createAttestation(site, baseUrl),
    openQuoted: createOpenQuoted(site, quotesOf(site), tools),
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
    const { log } = site;
    const tools = documentToolsOf(site);
    const stopping = new AbortController();
    site.closing.defer(() => stopping.abort());
    return {
      write() {
        void warnWithoutSandbox(log);
        return writeOperations(site, tools);
      },
      read: () => readOperations(site, tools),
      health: () => {
        const health = tools.browser.health();
        if (!health) return undefined;
        const failing = health.status === 'ok' ? 0 : 1;
        return { ...health, metrics: { html_printing_failing: failing } };
      },
      started() {
        if (!site.config.roles.includes('write-api')) return;
        void tools.browser.watch(stopping.signal);
      },
      react: (reacting) => startProduction(site, tools, reacting),
    };
  },
};
