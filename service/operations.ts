import { finishErasure, settleWallet } from '../commands/letters/consequences.ts';
import { createSendLetter } from '../commands/letters/send-letter.ts';
import { createQuotes } from '../commands/preparation/quote.ts';
import { createQuoteLetter } from '../commands/preparation/quote-letter.ts';
import { renderCertificate } from '../documents/certificate/certificate-pdf.ts';
import { letterFont } from '../documents/render/fonts.ts';
import { logOriginOf } from '../identity/service-did.ts';
import { mailChannelsOf, mergeChannels } from '../infra/mail/mail-channels.ts';
import { createQuoteStore } from '../infra/postgres/quotes.ts';
import { createPartnerSignature } from '../infra/print/partner-signature.ts';
import { createLetterReader } from '../infra/readers/letter-reader.ts';
import { webhookChannels } from '../infra/webhooks/channels.ts';
import { newWebhookSecret } from '../infra/webhooks/standard-webhooks.ts';
import { createWebhookSettings } from '../infra/webhooks/webhook-settings.ts';
import { accountReadOperations } from '../read-api/accounts.ts';
import { catalogueOperations } from '../read-api/catalogue.ts';
import { generalOperations } from '../read-api/general.ts';
import { letterReadOperations } from '../read-api/letters.ts';
import { notificationReadOperations } from '../read-api/notifications.ts';
import { quotePreviewOperation } from '../read-api/quote-preview.ts';
import { didOperations } from '../read-api/service-did.ts';
import { accountOperations } from '../write-api/accounts.ts';
import { auditWebhookOperations } from '../write-api/audit-webhooks.ts';
import { letterOperations } from '../write-api/letters.ts';
import { notificationOperations } from '../write-api/notifications.ts';
import { partnerOperations } from '../write-api/partner.ts';
import { quoteOperation } from '../write-api/quotes.ts';
import type { Foundation } from './foundation.ts';
import {
  createAttestation,
  identityReadOperations,
  identityWriteOperations,
} from './identity-operations.ts';
import { publicLogOperations } from './log-operations.ts';
import { createRecovery } from './mails.ts';
import { handOverOf } from './print-partners.ts';
import { createKeepQuoted, createOpenQuoted } from './quote-previews.ts';

/** Absent: no print house has a secret to sign its reports with. */
const partnerPortsOf = ({ config, handler, clock, log }: Foundation) => {
  const { webhookSecret: secret } = config.print;
  if (secret === undefined) return undefined;
  return { handler, log, checkSignature: createPartnerSignature({ secret, clock }) };
};

const quotesOf = ({ readDb }: Foundation) => createQuotes(createQuoteStore(readDb));

/** The operations of the write API, over the foundation. */
export const writeOperations = (
  foundation: Foundation,
  baseUrl: string,
  keysChanged: () => void,
) => {
  const { config, handler, dataKeys, clock, indexOf } = foundation;
  const cancellationWindowMs = config.cancellationWindowSeconds * 1_000;
  const { metrics } = letterFont();
  const { documents, files } = foundation.documentTools;
  const ports = {
    handler,
    dataKeys,
    clock,
    metrics,
    documents,
    files,
    limits: config.limits,
    cancellationWindowMs,
    handOverAt: handOverOf(config),
    indexOf,
  };
  const reader = createLetterReader({ ...foundation, files, db: foundation.readDb });
  const quotes = quotesOf(foundation);
  const context = {
    ...ports,
    letters: createSendLetter(ports),
    accounts: foundation.accounts,
    quotes,
    quoteLetter: createQuoteLetter({
      ...{ ...ports, quotes, baseUrl },
      keepQuoted: createKeepQuoted(foundation),
    }),
    settle: (letterId: string, command: Parameters<typeof settleWallet>[2]) =>
      settleWallet({ handler }, letterId, command),
    forget: (letterId: string) => finishErasure({ handler, dataKeys, files }, letterId),
    readLetter: reader.readLetter,
    keysChanged,
    recovery: createRecovery(foundation),
    newSecret: newWebhookSecret,
    ...createWebhookSettings({
      ...{ db: foundation.readDb, outbound: foundation.outbound, clock, indexOf },
      webhookKey: () => foundation.serviceKeys.signingKey('webhook').publicKey.bytes,
    }),
  };
  return [
    ...accountOperations(context),
    quoteOperation(context),
    ...letterOperations(context),
    ...notificationOperations(context),
    ...auditWebhookOperations(context),
    ...partnerOperations(partnerPortsOf(foundation)),
    ...identityWriteOperations(foundation),
  ];
};

/** The operations of the read API, over the foundation. */
export const readOperations = (
  foundation: Foundation,
  baseUrl: string,
  lastUsed: (keyIds: string[]) => Promise<Map<string, Date>>,
) => {
  const { config, clock, indexOf, readDb: db } = foundation;
  const { files, preview, render } = foundation.documentTools;
  const reader = createLetterReader({ ...foundation, files, db });
  const context = {
    ...{ db, preview, render, renderCertificate, clock, limits: config.limits },
    attest: createAttestation(foundation, baseUrl),
    ...{ baseUrl, indexOf, ...reader, lastUsed },
    openQuoted: createOpenQuoted(foundation, quotesOf(foundation)),
    channelsOf: async (accountId: string, eventIds: string[]) =>
      mergeChannels(
        ...(await Promise.all([
          webhookChannels(db, accountId, eventIds),
          mailChannelsOf(db, eventIds),
        ])),
      ),
  };
  return [
    ...generalOperations({
      baseUrl,
      did: () => foundation.serviceKeys.identity().did,
      mail: config.mail !== undefined,
      credentials: config.credentials,
    }),
    ...catalogueOperations(context),
    quotePreviewOperation(context),
    ...letterReadOperations(context),
    ...accountReadOperations(context),
    ...notificationReadOperations(context),
    ...didOperations({
      identity: foundation.serviceKeys.identity,
      resolver: foundation.didResolver,
      checkpointOrigin: logOriginOf(baseUrl),
    }),
    ...identityReadOperations(foundation, reader, baseUrl),
    ...publicLogOperations(foundation, baseUrl),
  ];
};
