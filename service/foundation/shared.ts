/** The parts that several wings and the operator's commands use: each is made once, where it is first used. */

import { randomBytes } from 'node:crypto';
import { type CallerDids, createCallerDids } from '../../commands/accounts/caller-did.ts';
import { createKnownRecipients } from '../../commands/letters/known-recipients.ts';
import { createLettersAtHand, type LettersAtHand } from '../../commands/letters/letters-at-hand.ts';
import {
  createSendLetter,
  type SendLetterService,
  type SendPorts,
} from '../../commands/letters/send-letter.ts';
import { createLogos, type Logos } from '../../commands/logos/logos.ts';
import { createIsOrdered } from '../../commands/payments/order.ts';
import { createFileWork } from '../../commands/preparation/file-work.ts';
import { createQuotes, type Quotes } from '../../commands/preparation/quote.ts';
import {
  createQuoteDocuments,
  type QuoteDocuments,
} from '../../commands/preparation/quote-documents.ts';
import { fontMetrics } from '../../documents/render/font-metrics.ts';
import { lazily } from '../../ground/lazily.ts';
import { createSafeFetch, type SafeFetch } from '../../infra/fetch/safe-fetch.ts';
import { createRecipientIndex } from '../../infra/guards/recipient-index.ts';
import { createOfferStore, type OfferStore } from '../../infra/postgres/offers.ts';
import { createQuoteStore } from '../../infra/postgres/quotes.ts';
import { createQuotaCheck, type QuotaCheck } from '../../infra/quotas/quota-check.ts';
import {
  type AccountAuditLinks,
  createAccountAuditLinks,
} from '../../infra/readers/account-audit-links.ts';
import { type AuditReader, createAuditReader } from '../../infra/readers/audit-reader.ts';
import { createLetterReader, type LetterReader } from '../../infra/readers/letter-reader.ts';
import { type CertificateLinks, createCertificateLinks } from '../../read-api/certificate-links.ts';
import type { Basics } from './basics.ts';
import { startChores } from './chores.ts';
import { createDocumentTools, type DocumentTools } from './documents.ts';
import { handOverOf } from './hand-over.ts';

export type Shared = {
  documentTools: DocumentTools;
  logos: Logos;
  quotes: Quotes;
  /** Documents of dry runs. */
  quoteDocuments: QuoteDocuments;
  /** Ports to check, price and send a letter. */
  sendPorts: SendPorts;
  letters: SendLetterService;
  /** Letters on their way, folded once for production and for the wallet that follows them. */
  lettersAtHand: LettersAtHand;
  /** Reads letters for the APIs; lookups that are made at the same time are one query. */
  letterReader: LetterReader;
  auditReader: AuditReader;
  accountAuditLinks: AccountAuditLinks;
  /** Quotas of accounts for sending and keeping letters. */
  quota: QuotaCheck;
  offers: OfferStore;
  callerDids: CallerDids;
  certificateLinks: CertificateLinks;
  /** Calls addresses that callers named: never private ones, unless told otherwise. */
  outbound: SafeFetch;
};

const tidyQuotasEveryMs = 5_000;

const openQuota = ({ storage, config, log }: Basics, closing: AsyncDisposableStack): QuotaCheck => {
  const check = createQuotaCheck({ db: storage.readDb, limits: config.limits });
  closing.defer(() =>
    check.close().catch((err) => log.warn({ err: String(err) }, 'letters were not given back')),
  );
  const what = 'giving back letters of quotas that were not used';
  closing.defer(startChores([{ what, everyMs: tidyQuotasEveryMs, work: check.tidy }], log));
  return check;
};

/** @param closing closes the parts that were made */
export const createShared = (foundation: Basics, closing: AsyncDisposableStack): Shared => {
  const { config, log, clock, storage, keys, commands, workers } = foundation;
  const { handler, files } = commands;
  const { dataKeys, indexOf } = keys;
  const { readDb: db, store, blobs } = storage;
  const { claim } = storage.storedBytes;
  const { limits } = config;
  const shared: Shared = lazily<Shared>({
    documentTools: () =>
      closing.adopt(createDocumentTools(config, log, files, workers), (tools) => tools.close()),
    logos: () =>
      createLogos({
        handler,
        dataKeys,
        indexOf,
        clock,
        blobs,
        claim,
        retentionDays: config.retentionDays,
        documents: shared.documentTools.documents,
      }),
    quotes: () => createQuotes(createQuoteStore(db)),
    quoteDocuments: () =>
      createQuoteDocuments({
        blobs,
        claim,
        key: keys.derive('quote-documents'),
        work: createFileWork(workers.pool),
      }),
    sendPorts: () => ({
      handler,
      files,
      dataKeys,
      indexOf,
      clock,
      limits,
      prices: foundation.prices,
      documents: shared.documentTools.documents,
      logos: shared.logos,
      metrics: fontMetrics(),
      discountOf: foundation.discounts.of,
      cancellationWindowMs: config.cancellationWindowSeconds * 1_000,
      handOverAt: handOverOf(config),
      isOrdered: createIsOrdered({ handler }),
      isKnownRecipient: createKnownRecipients({
        handler,
        indexOf,
        index: createRecipientIndex(db),
      }),
    }),
    letters: () => createSendLetter(shared.sendPorts),
    lettersAtHand: () => createLettersAtHand(handler),
    letterReader: () => createLetterReader({ db, store, dataKeys, files }),
    auditReader: () => createAuditReader({ ...storage, maxEvents: limits.auditEvents }),
    accountAuditLinks: () =>
      createAccountAuditLinks({ db, clock, hasEnded: foundation.authority.check.hasEnded }),
    quota: () => openQuota(foundation, closing),
    offers: () => createOfferStore(db),
    callerDids: () => createCallerDids({ handler, newSeed: () => randomBytes(32) }),
    certificateLinks: () => createCertificateLinks(keys.derive('certificate-links')),
    outbound: () =>
      closing.adopt(createSafeFetch({ allowPrivate: config.allowPrivateFetch }), (one) =>
        one.close(),
      ),
  });
  return shared;
};
