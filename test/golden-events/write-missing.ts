/** Writes a golden file for each event type that has none at its current version. See README.md. */
import { existsSync, writeFileSync } from 'node:fs';
import type { DomainEvent } from '../../events/definition.ts';
import { encodeEvent } from '../../events/envelope.ts';
import { registry } from '../../events/registry.ts';
import { uuidv5 } from '../../ground/uuid.ts';
import { drafted, queued, samplePersonal, sampleTerms } from '../support/letter-samples.ts';
import { goldenKey, goldenPath } from './golden.ts';

const at = '2026-03-01T12:00:00.000Z';
const digest = 'd'.repeat(43);
const letterId = '0b6c6a52-7d5c-5a3e-9d55-2f8d9b1c7e11';
const accountId = 'acct_4uPzq1';
const attemptId = 'a7e0a1de-52a4-5f0b-8c1d-6e1f0f8b6a01';
const amounts = { cryptoMicro: 410_000, fiatMicro: 630_000 };
const commission = { commissionCryptoMicro: 10_000, commissionFiatMicro: 30_000 };
const purpose = { kind: 'letter', id: letterId };
const commitmentId = 'commitment_AAECAwQFBgcICQoLDA0ODw';
const source = 'partner';
const cid = 'bafkreie4vnvbxzc7vqtnnlpn45cutybv7tb5gykekhbruls3aknlm6ehrm';
const contractPeriod = { contractId: 'contract_1', accountId, number: 1 };
const multikey = (name: string): string => `z6Mk${name.replaceAll(/[0OIl]/g, '1').padEnd(44, '2')}`;
const did = (name: string): string => `did:key:${multikey(name)}`;

const used = { since: 1_772_319_600_000, amountMicro: 1_040_000, letters: 1 };
const count = { counter: 101, ...used };
const emailApprover = `email:${digest}`;
const policy = {
  subject: 'key_1',
  version: 1,
  timeZone: 'Europe/Berlin',
  rules: [
    {
      id: 'bills',
      effect: 'deny',
      when: {
        countries: ['US'],
        services: ['us_certified'],
        intents: ['confidential'],
        contentKinds: ['pdf'],
        recipients: [digest],
      },
    },
    { id: 'new', effect: 'alert', when: { knownRecipient: false } },
    { id: 'ask', effect: 'hold', when: { priceAboveCents: 500 } },
    { id: 'daily', effect: 'allow', limit: { amountCents: 2_000, per: 'day' }, counter: 101 },
    { id: 'each', effect: 'allow', limit: { letters: 5, per: 'rolling_24h' }, counter: 102 },
  ],
  approvals: { quorum: 2, approvers: ['key_2', emailApprover], expiresInHours: 48 },
};
const approvers = { emails: { [emailApprover]: 'owner@example.com' } };
const needs = [{ policy: 'key_1', rules: ['ask'], quorum: 2, approvers: ['key_2', emailApprover] }];
const approvalId = 'c1c7e0a2-52a4-5f0b-8c1d-6e1f0f8b6a02';
const decision = {
  approvalId,
  approver: 'key_2',
  credential: { own: ['key_2'], line: ['key_2', 'key_0'] },
};

const change = {
  approvalId: `apc_${'a'.repeat(40)}`,
  subject: 'key_1',
  baseVersion: 1,
  timeZone: policy.timeZone,
  rules: policy.rules,
  approvals: policy.approvals,
  isRemoval: true,
  commitment: digest,
  quorum: 2,
  approvers: ['key_2', emailApprover],
  requester: { own: ['key_1'], line: ['key_1', 'key_0'] },
  expiresAt: at,
};

const terms = sampleTerms({ referenceHash: digest, layout: 2 });

const letterEvents: DomainEvent[] = [
  drafted(terms),
  queued(attemptId, terms),
  {
    type: 'LetterUpdated',
    data: {
      terms,
      attemptId,
      changed: ['to'],
      cancellableUntil: '2026-03-02T05:00:00.000Z',
      releaseAt: '2026-03-02T05:00:00.000Z',
    },
    personal: samplePersonal({ reference: 'R-1', metadata: { order: '7' } }),
  },
  { type: 'SendAbandoned', data: { accountId, attemptId } },
  {
    type: 'ApprovalRequested',
    data: {
      approvalId,
      attemptId,
      terms,
      commitment: digest,
      needs,
      requester: { own: ['key_1'], line: ['key_1'] },
      expiresAt: '2026-03-04T12:00:00.000Z',
      requestHash: digest,
    },
    personal: samplePersonal(),
  },
  { type: 'ApprovalGiven', data: { ...decision, policies: ['key_1'] } },
  { type: 'ApprovalRejected', data: decision, personal: { reason: 'Too dear.' } },
  { type: 'ApprovalExpired', data: { approvalId } },
  {
    type: 'LetterProcessingStarted',
    data: { partner: 'http', jobId: letterId, house: 'https://print.example/api', source },
  },
  {
    type: 'PrintJobAccepted',
    data: { partner: 'http', jobId: letterId, house: 'https://print.example/api', datedAt: at },
  },
  { type: 'LetterPosted', data: { source, inferred: true } },
  { type: 'LetterInTransit', data: { source: 'carrier', reportedAt: at, location: 'Lyon' } },
  { type: 'LetterDelivered', data: { source: 'carrier', evidence: 'carrier_scan' } },
  { type: 'LetterReturned', data: { source: 'carrier', reason: 'returned_to_sender' } },
  { type: 'TrackingNumberAssigned', data: { trackingNumber: 'LL123456789FR', source } },
  { type: 'LetterCancellationRequested', data: {} },
  { type: 'LetterCancellationRejected', data: { reason: 'printed' } },
  { type: 'LetterCancelled', data: { from: 'queued' } },
  {
    type: 'LetterFailed',
    data: { code: 'jam', stage: 'print', retryable: false, detail: 'A jam.', source },
  },
  { type: 'LetterErased', data: { reason: 'deleted' } },
];

const walletEvents: DomainEvent[] = [
  { type: 'WalletOpened', data: { accountId, test: false, remembersRefunds: true } },
  {
    type: 'FundsCredited',
    data: {
      receipt: { method: 'card', id: 'cs_live_1' },
      bucket: 'fiat',
      amountMicro: 5_000_000,
    },
    personal: { reference: 'invoice 7' },
  },
  {
    type: 'FundsChargedBack',
    personal: { reference: 'credited twice' },
    data: {
      receipt: { method: 'card', id: 'dp_1' },
      creditId: 'cs_live_1',
      bucket: 'fiat',
      amountMicro: 5_000_000,
    },
  },
  {
    type: 'FundsReserved',
    data: {
      purpose,
      attemptId,
      ...amounts,
      ...commission,
      commitmentId,
      held: { needs, expiresInHours: 48 },
      counts: [count],
    },
  },
  { type: 'LetterCounted', data: { purpose, attemptId, counts: [count] } },
  { type: 'HoldLifted', data: { purpose, attemptId } },
  { type: 'PolicySet', data: policy, personal: approvers },
  { type: 'PolicyRemoved', data: { subject: 'key_1', version: 2 } },
  {
    type: 'PoliciesCarriedForward',
    data: {
      changes: 7,
      policy,
      used: [{ counter: 101, slots: [used], alerted: { since: 1_767_225_600_000, percent: 50 } }],
      seen: ['DE', 'FR'],
    },
    personal: approvers,
  },
  {
    type: 'BudgetThresholdReached',
    data: { subject: 'key_1', rule: 'daily', counter: 101, since: 1_767_225_600_000, percent: 80 },
  },
  {
    type: 'AlertRaised',
    data: { purpose, subject: 'key_1', alert: 'rule', country: 'DE', rule: 'new' },
  },
  { type: 'PolicyChangeRequested', data: change, personal: approvers },
  { type: 'PolicyChangeApproved', data: { ...decision, subject: 'key_1' } },
  {
    type: 'PolicyChangeRejected',
    data: { ...decision, subject: 'key_1' },
    personal: { reason: 'next month' },
  },
  {
    type: 'PolicyChangeCarriedForward',
    data: {
      change,
      given: [{ approver: decision.approver, credential: decision.credential }],
      askedBefore: 1,
      isRejected: true,
      isSuperseded: true,
      askedAt: [1_767_225_600_000, 1_767_225_660_000],
    },
    personal: { ...approvers, reason: 'next month' },
  },
  { type: 'SpendingFrozen', data: { subject: 'key_1' } },
  { type: 'SpendingUnfrozen', data: { subject: 'key_1' } },
  { type: 'FreezesCarriedForward', data: { frozen: [{ subject: 'account', since: at }] } },
  { type: 'WalletRanLow', data: { availableMicro: -9_120_000, thresholdMicro: 10_000_000 } },
  {
    type: 'FundsReleased',
    data: { purpose, ...amounts, undone: [attemptId], undecided: ['another attempt'] },
  },
  { type: 'FundsCaptured', data: { purpose, ...amounts, ...commission } },
  { type: 'FundsRefunded', data: { purpose, ...amounts } },
  { type: 'WalletPeriodClosed', data: { nextPeriod: 1 } },
  {
    type: 'WalletPeriodOpened',
    data: {
      accountId,
      test: false,
      period: 1,
      availableCryptoMicro: -10_000,
      availableFiatMicro: 5_000_000,
      remembersRefunds: true,
    },
  },
  {
    type: 'ReservationsCarriedForward',
    data: {
      reservations: [
        {
          purpose: { kind: 'volume-contract', id: 'vc_1' },
          attempts: [
            {
              attemptId,
              ...amounts,
              ...commission,
              commitmentId,
              held: { needs, expiresInHours: 48 },
            },
          ],
          state: 'held',
          since: at,
          ...amounts,
          counts: [{ ...count, attemptId }],
          alerted: ['key_1 new'],
        },
      ],
    },
  },
  {
    type: 'CreditsCarriedForward',
    data: {
      receipts: [
        { id: 'cs_live_1', bucket: 'fiat', reversibleMicro: 0 },
        { id: `eip155:8453/0x${'a'.repeat(64)}/7`, bucket: 'crypto', reversibleMicro: 410_000 },
      ],
    },
  },
  { type: 'RefundsCarriedForward', data: { purposes: [purpose] } },
];

const accountEvents: DomainEvent[] = [
  {
    type: 'AccountRegistered',
    data: { accountId, kind: 'email', test: false, requestHash: digest },
    personal: { name: 'ada@example.org', displayName: 'Ada' },
  },
  {
    type: 'KeyCreated',
    data: {
      accountId,
      test: false,
      keyId: 'key_1',
      secretHash: digest,
      prefix: 'svc_live_abcd',
      scope: 'full',
      expiresAt: '2027-01-01T00:00:00.000Z',
      requestHash: digest,
      rotatedFrom: 'key_0',
      madeBy: `ucan:${cid}`,
      boundTo: { keys: ['key_0'], ucans: [cid] },
    },
    personal: { label: 'registration' },
  },
  {
    type: 'KeyRevoked',
    data: { accountId, keyId: 'key_1', reason: 'rotated', repeatableUntil: at },
  },
  {
    type: 'EmailConfirmed',
    data: {
      accountId,
      address: 'registered',
      by: 'recovery',
      keep: ['key_1'],
      endsIssued: true,
      settlesSettings: true,
    },
    personal: { email: 'ada@example.org' },
  },
  { type: 'EmailUnsubscribed', data: { accountId }, personal: { email: 'ada@example.org' } },
  {
    type: 'EmailChangeRequested',
    data: { accountId, changeId: attemptId, madeBy: 'key_1', expiresAt: at },
    personal: { email: 'anna.new@example.com' },
  },
  {
    type: 'EmailChanged',
    data: { accountId, changeId: attemptId, by: 'link', stoppableUntil: at },
    personal: { email: 'anna.new@example.com', previous: 'anna@example.com' },
  },
  {
    type: 'EmailChangeStopped',
    data: { accountId, changeId: attemptId },
    personal: { email: 'anna@example.com' },
  },
  {
    type: 'EmailAddressClaimed',
    data: { addressId: 'acct_7bQz', holderId: accountId, changeId: attemptId },
  },
  { type: 'AccountBlocked', data: { accountId }, personal: { reason: 'stolen card' } },
  { type: 'AccountUnblocked', data: { accountId } },
  {
    type: 'AccountInspected',
    data: { accountId, inspector: 'opr_AAECAwQFBgcICQoLDA0ODw', rights: 'operator' },
  },
  { type: 'LanguageChosen', data: { accountId, language: 'de' } },
  {
    type: 'AccountClosureRequested',
    data: {
      accountId,
      closureId: attemptId,
      erasesAt: at,
      forfeitsBalance: false,
      requestHash: digest,
    },
  },
  { type: 'AccountClosureWithdrawn', data: { accountId, closureId: attemptId } },
  { type: 'AccountErasureBegun', data: { accountId, closureId: attemptId } },
  {
    type: 'AccountErased',
    data: { accountId, closureId: attemptId, letters: 12, ucans: 1, payments: 3, booksOf: [2026] },
  },
  {
    type: 'BooksKept',
    data: { accountId, year: 2026 },
    personal: {
      name: 'ada@example.org',
      references: [{ eventId: attemptId, reference: 'bank transfer 8841' }],
    },
  },
  {
    type: 'LogoUploaded',
    data: {
      accountId,
      logoId: 'logo_0123456789abcdef0123456789abcdef',
      blob: 'logo-6f1c2f6e-6d0c-4f3c-9d0f-0d1c2b3a4f5e',
      mediaType: 'image/png',
      bytes: 1_234,
      width: 120,
      height: 40,
      requestId: '6f1c2f6e-6d0c-4f3c-9d0f-0d1c2b3a4f5e',
      requestHash: 'r'.repeat(43),
    },
  },
  { type: 'LogoUsed', data: { accountId, logoId: 'logo_0123456789abcdef0123456789abcdef' } },
  {
    type: 'LogoDeleted',
    data: {
      accountId,
      logoId: 'logo_0123456789abcdef0123456789abcdef',
      blob: 'logo-6f1c2f6e-6d0c-4f3c-9d0f-0d1c2b3a4f5e',
    },
  },
  {
    type: 'QuotasSet',
    data: {
      accountId,
      liveLettersPerDay: 50_000,
      testLettersPerDay: 100,
      draftsPerAccount: 10,
      storedBytesPerAccount: 1_000_000_000,
    },
  },
  {
    type: 'SettingsChanged',
    data: {
      accountId,
      webhook: true,
      notificationEmail: true,
      confirmed: true,
      keepsWebhook: true,
    },
    personal: {
      webhookUrl: 'https://a.example/hook',
      notificationEmail: 'ada@example.org',
      webhookSecret: 'secret-2',
      previousSecret: 'secret-1',
      previousSecretUntil: at,
    },
  },
  { type: 'WebhookDisabled', data: { accountId, reason: 'gone' } },
  { type: 'WebhookTested', data: { accountId } },
  {
    type: 'DidCreated',
    data: { accountId, did: did('Alice'), custody: 'service' },
    personal: { seed: digest },
  },
  {
    type: 'AuditSubscribed',
    data: {
      accountId,
      subscriptionId: 'sub_1',
      events: ['letter.posted'],
      letterId,
      expiresAt: '2027-01-01T00:00:00.000Z',
      boundTo: { keys: ['key_1'], ucans: [cid] },
    },
    personal: { url: 'https://a.example/audit', secret: 'whsec_1' },
  },
  { type: 'AuditWebhookDisabled', data: { accountId, subscriptionId: 'sub_1', reason: 'gone' } },
  { type: 'AuditWebhookTested', data: { accountId, subscriptionId: 'sub_1' } },
  { type: 'AuditUnsubscribed', data: { accountId, subscriptionId: 'sub_1', reason: 'removed' } },
];

const mail = { mailId: attemptId, accountId, kind: 'letter.posted', letterId };

const transfer = {
  network: 'eip155:8453',
  asset: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
  transaction: `0x${'cd'.repeat(32)}`,
  logIndex: 7,
  block: 42,
  amountMicro: 1_640_000,
};

const mechRequest = { requestKey: attemptId, accountId, test: false };
const mechPrice = { action: 'send', priceWei: '20000000000000000' };

const mechEvents: DomainEvent[] = [
  {
    type: 'MechRequestClaimed',
    data: {
      ...mechRequest,
      ...mechPrice,
      requestHash: digest,
      proof: 'chain',
      letterId,
      chain: {
        network: 'eip155:100',
        marketplace: `0x${'7'.repeat(40)}`,
        requestId: `0x${'a'.repeat(64)}`,
      },
      day: '2026-03-01',
    },
  },
  { type: 'MechRequestServed', data: { ...mechRequest, ...mechPrice, letterId } },
  { type: 'MechRequestRefused', data: { ...mechRequest, code: 'address_invalid' } },
  {
    type: 'MechRequestCounted',
    data: { ...mechRequest, day: '2026-03-01', letters: 1, priceWei: '20000000000000000' },
  },
  { type: 'MechRequestUncounted', data: { ...mechRequest, day: '2026-03-01' } },
];

const otherEvents: DomainEvent[] = [
  { type: 'MailAttempted', data: { ...mail, attempt: 2, again: attemptId } },
  { type: 'MailSent', data: mail },
  {
    type: 'TopUpRequested',
    data: {
      topUpId: letterId,
      accountId,
      amountMicro: 10_000_000,
      terms: {
        method: 'lightning',
        paymentHash: 'ab'.repeat(32),
        amountSat: 10_297,
        rate: { value: '97123.45', source: 'configuration', at },
      },
      expiresAt: at,
      requestHash: digest,
    },
    personal: { handed: 'lnbcrt102970n1…', sender: `0x${'11'.repeat(20)}` },
  },
  {
    type: 'TopUpPaid',
    data: { topUpId: letterId, receiptId: 'ab'.repeat(32), amountMicro: 10_000_000 },
  },
  { type: 'TopUpExpired', data: { topUpId: letterId } },
  { type: 'TransferAmountAnnounced', data: { topUpId: letterId, accountId, until: at } },
  {
    type: 'OrderPlaced',
    data: {
      orderId: letterId,
      accountId,
      letterId,
      amountMicro: 3_150_000,
      commissionMicro: 150_000,
      currency: 'EUR',
      amountMinor: 272,
      expiresAt: at,
      requestHash: digest,
      keyIds: ['key_1'],
    },
    personal: { email: 'payer@example.com', checkoutUrl: 'https://checkout.example/cs_live_1' },
  },
  { type: 'OrderFulfilled', data: { orderId: letterId, letterId } },
  {
    type: 'OrderCredited',
    data: { orderId: letterId, accountId, letterId, reason: 'letter_changed' },
  },
  { type: 'OrderExpired', data: { orderId: letterId, accountId, letterId } },
  {
    type: 'PaymentClaimed',
    data: {
      paymentId: letterId,
      network: transfer.network,
      asset: transfer.asset,
      payTo: `0x${'22'.repeat(20)}`,
      amountMicro: 1_640_000,
      validBefore: Number.MAX_SAFE_INTEGER,
      accountId,
      operation: 'send_letter',
      requestHash: digest,
      block: 41,
      signer: `0x${'33'.repeat(20)}`,
    },
    personal: {
      payer: `0x${'11'.repeat(20)}`,
      nonce: `0x${'ab'.repeat(32)}`,
      validAfter: '0',
      validUntil: String(2n ** 256n - 1n),
      signature: `0x${'cd'.repeat(65)}`,
    },
  },
  {
    type: 'PaymentSettled',
    data: {
      paymentId: letterId,
      accountId,
      transfer,
      ours: false,
      feeWei: '123456789012345',
      found: true,
    },
  },
  {
    type: 'PaymentReverted',
    data: {
      paymentId: letterId,
      transfer,
      ours: false,
      feeWei: '123456789012345',
      found: true,
    },
  },
  { type: 'PaymentLapsed', data: { paymentId: letterId, reason: 'expired' } },
  { type: 'TransferClaimed', data: { accountId, transfer, paymentId: letterId } },
  {
    type: 'SettlementFailed',
    data: {
      payerId: accountId,
      paymentId: letterId,
      network: transfer.network,
      transaction: transfer.transaction,
      feeWei: '21000',
      paidByAnother: true,
    },
  },
  { type: 'MailFailed', data: { ...mail, code: 'refused', final: true } },
  {
    type: 'ServiceIdentityChanged',
    data: {
      did: 'did:web:letters.example',
      reason: 'rotated',
      keys: [
        {
          keyId: 'credential-1',
          purpose: 'credential',
          publicKey: multikey('Old'),
          state: 'revoked',
          validFrom: at,
          validUntil: at,
          trustedLogSize: 7,
        },
        ...['credential', 'ucan', 'log', 'webhook'].map((purpose) => ({
          keyId: `${purpose}-2`,
          purpose,
          publicKey: multikey(purpose.replaceAll('l', 'L')),
          state: 'active',
          validFrom: at,
        })),
      ],
      credentialSchema: 'https://letters.example/schemas/event-credential.v1',
    },
  },
  {
    type: 'UcanRequested',
    data: { accountId, cids: [cid], requestHash: digest },
    personal: { tokens: ['a.b.c'] },
  },
  {
    type: 'UcanIssued',
    data: {
      cid,
      accountId,
      kind: 'delegation',
      issuer: did('Alice'),
      audience: did('Bob'),
      expiresAt: 1_800_000_000,
      proofs: [cid],
      requestHash: digest,
      boundTo: { keys: ['key_1'], ucans: [cid] },
    },
    personal: { token: 'a.b.c' },
  },
  {
    type: 'AuditLinkCreated',
    data: {
      accountId,
      letterId,
      linkId: 'AAECAwQFBgcI',
      expiresAt: 1_800_000_000,
      boundTo: { keys: ['key_1'], ucans: [] },
      requestHash: digest,
    },
  },
  { type: 'AuditLinkRevoked', data: { accountId, letterId, linkId: 'AAECAwQFBgcI' } },
  { type: 'TrackingLinkRenewed', data: { accountId, letterId, linkId: 'AAECAwQFBgcI' } },
  { type: 'TrackingLinkRevoked', data: { accountId, letterId } },
  {
    type: 'VolumeContractCreated',
    data: {
      countsPrinted: true,
      contractId: 'contract_1',
      accountId,
      test: false,
      committedUnits: 300,
      period: 'month',
      timeZone: 'Europe/Berlin',
      periods: [{ startsAt: at, endsAt: '2026-04-01T11:00:00.000Z' }],
      tiers: [
        { from: 51, to: 250, basisPoints: 1_000 },
        { from: 251, to: null, basisPoints: 2_000 },
      ],
      breachTerms: { shortfall: 'rebill_at_undiscounted_price', graceDays: 7 },
      requestHash: digest,
    },
    personal: { customerDid: did('Alice'), jws: 'a.b.c' },
  },
  { type: 'VolumeContractPeriodEnded', data: contractPeriod },
  { type: 'VolumeContractPeriodFulfilled', data: { ...contractPeriod, units: 317 } },
  {
    type: 'VolumeContractPeriodBreached',
    data: { ...contractPeriod, units: 60, shortfall: 240, billMicro: 5_400_000 },
  },
  {
    type: 'VolumeContractShortfallBilled',
    data: { ...contractPeriod, amountMicro: 5_670_000, commissionMicro: 270_000 },
  },
  {
    type: 'VolumeContractShortfallReduced',
    data: { ...contractPeriod, discountMicro: 180_000, amountMicro: 190_000 },
  },
  {
    type: 'OfferAccepted',
    data: {
      commitmentId,
      offerId: 'offer_AAECAwQFBgcICQoLDA0ODw',
      offerHash: digest,
      accountId,
      test: false,
      tier: 'standard',
      paymentMethod: 'crypto',
      intent: 'legal_compliance',
      service: 'de_einschreiben',
      country: 'DE',
      pages: 2,
      color: false,
      duplex: true,
      sendDate: '2026-03-02',
      quantity: 1,
      price: sampleTerms().price,
      expiresAt: at,
      commandId: attemptId,
      requestHash: digest,
    },
  },
  { type: 'UcanRevoked', data: { cid, accountId, by: did('Alice') } },
  { type: 'UcanUsed', data: { cid, accountId, purpose: 'letter', use: letterId } },
];

for (const event of [
  ...letterEvents,
  ...walletEvents,
  ...accountEvents,
  ...mechEvents,
  ...otherEvents,
]) {
  const path = goldenPath(event.type, registry.check(event).version);
  if (existsSync(path)) continue;
  const cause = { id: uuidv5(letterId, event.type), at, command: attemptId, actor: 'key:key_1' };
  const place = { stream: `golden-${event.type}`, version: 0n, prev: '' };
  const stored = encodeEvent(event, place, cause, goldenKey).event;
  const schema = registry.check(event).version;
  const golden = { schema, ...stored, decoded: { data: event.data, personal: event.personal } };
  writeFileSync(path, `${JSON.stringify(golden, undefined, 2)}\n`);
}
