/** Letters: quoted, sent, changed, printed, read, erased. */
import { finishErasure, settleWallet } from '../commands/letters/consequences.ts';
import { createSendLetter } from '../commands/letters/send-letter.ts';
import { createQuoteTokens } from '../commands/preparation/quote.ts';
import { renderCertificate } from '../documents/certificate/certificate-pdf.ts';
import { letterFont } from '../documents/render/fonts.ts';
import { createPartnerSignature } from '../infra/print/partner-signature.ts';
import { letters as letterRows } from '../projections/letters/project.ts';
import { catalogueOperations } from '../read-api/catalogue.ts';
import { letterReadOperations } from '../read-api/letters.ts';
import { quotePreviewOperation } from '../read-api/quote-preview.ts';
import { letterOperations } from '../write-api/letters.ts';
import { partnerOperations } from '../write-api/partner.ts';
import { quoteOperations } from '../write-api/quotes.ts';
import { createDocumentTools, type DocumentTools } from './documents.ts';
import { createAttestation } from './identity-operations.ts';
import { letterReaderOf } from './letter-reader.ts';
import { handOverOf } from './print-partners.ts';
import { startProduction } from './production.ts';
import { createKeepQuoted, createOpenQuoted } from './quote-previews.ts';
import type { ApiPorts, Foundation, Site, Wing } from './wing.ts';

const quoteTokensOf = ({ keys }: Foundation) => createQuoteTokens(keys.derive('quotes'));

/** Absent: no print house has a secret to sign its reports with. */
const partnerPortsOf = ({ config, commands: { handler }, clock, log }: Foundation) => {
  const { webhookSecret: secret } = config.print;
  if (secret === undefined) return undefined;
  return { handler, log, checkSignature: createPartnerSignature({ secret, clock }) };
};

const writeOperations = (site: Site, { documents }: DocumentTools, { waitFor }: ApiPorts) => {
  const { config, clock, keys, commands } = site;
  const { handler, files } = commands;
  const { dataKeys, indexOf } = keys;
  const ports = {
    ...{ handler, files, dataKeys, indexOf, clock, documents },
    metrics: letterFont().metrics,
    limits: config.limits,
    cancellationWindowMs: config.cancellationWindowSeconds * 1_000,
    handOverAt: handOverOf(config),
  };
  const context = {
    ...ports,
    letters: createSendLetter(ports),
    quotes: quoteTokensOf(site),
    keepQuoted: createKeepQuoted(site),
    settle: (letterId: string, command: Parameters<typeof settleWallet>[2]) =>
      settleWallet({ handler }, letterId, command),
    forget: (letterId: string) => finishErasure({ handler, dataKeys, files }, letterId),
    readLetter: letterReaderOf(site).readLetter,
    waitFor,
  };
  return [
    ...quoteOperations(context),
    ...letterOperations(context),
    ...partnerOperations(partnerPortsOf(site)),
  ];
};

const readOperations = (site: Site, tools: DocumentTools) => {
  const { config, clock, keys, storage, baseUrl } = site;
  const context = {
    ...{ clock, limits: config.limits, baseUrl, indexOf: keys.indexOf, db: storage.readDb },
    ...letterReaderOf(site),
    ...{ preview: tools.preview, renderCertificate },
    attest: createAttestation(site, baseUrl),
    openQuoted: createOpenQuoted(site, quoteTokensOf(site), tools),
  };
  return [
    ...catalogueOperations(context),
    quotePreviewOperation(context),
    ...letterReadOperations(context),
  ];
};

export const letters: Wing = {
  name: 'letters',
  projections: [letterRows],
  open(site) {
    const { config, log, commands, closing } = site;
    const tools = closing.adopt(createDocumentTools(config, log, commands.files), (one) =>
      one.close(),
    );
    return {
      write: (api) => writeOperations(site, tools, api),
      read: () => readOperations(site, tools),
      react: (reacting) => startProduction(site, tools, reacting),
    };
  },
};
