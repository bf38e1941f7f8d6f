/**
 * The public part of events. Every member of every event type is judged here, once: an unjudged type or member
 * does not compile. Sealed data (`personal`) never gets here.
 * Withheld is everything that a published message could not take back: hashes that match a guess of personal
 * data (a reference, a request, a key), tracking numbers and places, which lead to the recipient, free text,
 * DIDs of people other than the account, and the location of documents.
 */
import type { AnyDomainEvent } from '../../events/registry.ts';

/** Of an array, what holds for each of its items. */
type Judged<T> = T extends readonly (infer I)[]
  ? Judged<I>
  : T extends object
    ? { readonly [K in keyof T]-?: Judged<Exclude<T[K], undefined>> | false }
    : boolean;

export type Judgement = boolean | { readonly [member: string]: Judgement };

const publish = true;
const withhold = false;

const charge = {
  subtotalCryptoCents: publish,
  commissionCryptoCents: publish,
  subtotalFiatCents: publish,
  commissionFiatCents: publish,
};

const transfer = {
  network: publish,
  asset: publish,
  transaction: withhold,
  logIndex: withhold,
  block: withhold,
  amountMicro: publish,
};

const price = {
  postageCents: publish,
  printCents: publish,
  surchargeCents: publish,
  charge,
  pricingVersion: publish,
  discount: { contractId: publish, basisPoints: publish, amountCents: publish },
  local: { currency: publish, postageCents: publish, rate: publish },
};

const terms = {
  accountId: publish,
  test: publish,
  service: publish,
  intent: publish,
  country: publish,
  pages: publish,
  sheets: publish,
  color: publish,
  duplex: publish,
  envelope: publish,
  price,
  commitment: publish,
  referenceHash: withhold,
  metadataHashes: withhold,
  sendDate: publish,
  expectedDelivery: { earliest: publish, latest: publish },
  kind: publish,
  coverPage: publish,
  addressInDocument: publish,
  layout: publish,
  blobs: withhold,
};

const step = { source: publish, inferred: publish, reportedAt: publish };
const amounts = { cryptoMicro: publish, fiatMicro: publish };
const purpose = { kind: publish, id: publish };
/** The id of a credit by the operator is a keyed hash of its reference. */
const receipt = { method: publish, id: withhold };
const commission = { commissionCryptoMicro: publish, commissionFiatMicro: publish };
const contractPeriod = { contractId: publish, accountId: publish, number: publish };
const needs = { policy: publish, rules: publish, quorum: publish, approvers: withhold };
const attempt = {
  attemptId: publish,
  ...amounts,
  ...commission,
  commitmentId: publish,
  held: { needs, expiresInHours: publish },
};
const count = { counter: publish, since: publish, amountMicro: publish, letters: publish };
const credential = { own: publish, line: publish };
const decision = { approvalId: publish, approver: withhold, credential };
const wantedPolicy = {
  timeZone: publish,
  rules: {
    id: publish,
    effect: publish,
    when: {
      countries: publish,
      services: publish,
      intents: publish,
      contentKinds: publish,
      recipients: withhold,
      knownRecipient: publish,
      priceAboveCents: publish,
    },
    limit: { amountCents: publish, letters: publish, per: publish },
    counter: publish,
  },
  approvals: { quorum: publish, approvers: withhold, expiresInHours: publish },
};
const policy = { subject: publish, version: publish, ...wantedPolicy };
const policyChange = {
  approvalId: publish,
  subject: publish,
  baseVersion: publish,
  ...wantedPolicy,
  isRemoval: publish,
  commitment: publish,
  quorum: publish,
  approvers: withhold,
  requester: credential,
  expiresAt: publish,
};
/** The key is a digest of the request's id, which is public on its chain. */
const mechRequest = { requestKey: withhold, accountId: publish, test: publish };
const boundTo = { keys: publish, ucans: publish };
const mail = { mailId: publish, accountId: publish, kind: publish, letterId: publish };

export const publicData = {
  AccountRegistered: { accountId: publish, kind: publish, test: publish, requestHash: withhold },
  KeyCreated: {
    accountId: publish,
    test: publish,
    keyId: publish,
    secretHash: withhold,
    prefix: withhold,
    scope: publish,
    expiresAt: publish,
    requestHash: withhold,
    rotatedFrom: publish,
    madeBy: publish,
    boundTo,
  },
  KeyRevoked: {
    accountId: publish,
    keyId: publish,
    reason: publish,
    worksUntil: publish,
    repeatableUntil: publish,
  },
  EmailConfirmed: {
    accountId: publish,
    address: publish,
    by: publish,
    keep: publish,
    endsIssued: publish,
    settlesSettings: publish,
  },
  EmailUnsubscribed: { accountId: publish },
  EmailChangeRequested: {
    accountId: publish,
    changeId: publish,
    madeBy: publish,
    expiresAt: publish,
  },
  EmailChanged: {
    accountId: publish,
    changeId: publish,
    by: publish,
    stoppableUntil: publish,
  },
  EmailChangeStopped: { accountId: publish, changeId: publish },
  // That two addresses were the same person's.
  EmailAddressClaimed: { addressId: withhold, holderId: withhold, changeId: publish },
  AccountBlocked: { accountId: publish },
  AccountUnblocked: { accountId: publish },
  AccountInspected: { accountId: publish, inspector: withhold, rights: publish },
  LanguageChosen: { accountId: publish, language: publish, requestHash: withhold },
  AccountClosureRequested: {
    accountId: publish,
    closureId: publish,
    erasesAt: publish,
    forfeitsBalance: publish,
    requestHash: withhold,
  },
  AccountClosureWithdrawn: { accountId: publish, closureId: publish },
  AccountErasureBegun: { accountId: publish, closureId: publish },
  AccountErased: {
    accountId: publish,
    closureId: publish,
    letters: publish,
    ucans: publish,
    payments: publish,
    booksOf: publish,
  },
  BooksKept: { accountId: publish, year: publish },
  QuotasSet: {
    accountId: publish,
    liveLettersPerDay: publish,
    testLettersPerDay: publish,
    draftsPerAccount: publish,
    storedBytesPerAccount: publish,
  },
  SettingsChanged: {
    accountId: publish,
    webhook: publish,
    notificationEmail: publish,
    // The actor of the event contains it, too.
    madeBy: withhold,
    requestHash: withhold,
    confirmed: publish,
    keepsWebhook: publish,
  },
  WebhookDisabled: { accountId: publish, reason: publish },
  WebhookTested: { accountId: publish },
  // The credential of the event says it, too.
  DidCreated: { accountId: publish, did: publish, custody: publish },
  AuditSubscribed: {
    accountId: publish,
    subscriptionId: publish,
    events: publish,
    letterId: publish,
    expiresAt: publish,
    boundTo,
  },
  AuditWebhookDisabled: { accountId: publish, subscriptionId: publish, reason: publish },
  AuditWebhookTested: { accountId: publish, subscriptionId: publish },
  AuditUnsubscribed: { accountId: publish, subscriptionId: publish, reason: publish },

  LetterDrafted: { terms, holdReason: publish, requestHash: withhold },
  LetterQueued: {
    terms,
    attemptId: publish,
    cancellableUntil: publish,
    releaseAt: publish,
    requestHash: withhold,
  },
  LetterUpdated: {
    terms,
    attemptId: publish,
    changed: publish,
    cancellableUntil: publish,
    releaseAt: publish,
  },
  SendAbandoned: { accountId: publish, attemptId: publish },
  ApprovalRequested: {
    approvalId: publish,
    attemptId: publish,
    terms,
    commitment: publish,
    needs,
    requester: credential,
    expiresAt: publish,
    requestHash: withhold,
  },
  ApprovalGiven: { ...decision, policies: publish },
  ApprovalRejected: decision,
  ApprovalExpired: { approvalId: publish },
  LetterProcessingStarted: { partner: publish, jobId: publish, house: withhold, ...step },
  PrintJobAccepted: { partner: publish, jobId: publish, house: withhold, datedAt: publish },
  LetterPosted: step,
  LetterInTransit: { ...step, location: withhold },
  LetterDelivered: { ...step, evidence: publish },
  LetterReturned: { ...step, reason: publish },
  TrackingNumberAssigned: { trackingNumber: withhold, source: publish },
  LetterCancellationRequested: {},
  LetterCancellationRejected: { reason: publish },
  LetterCancelled: { from: publish },
  LetterFailed: {
    code: publish,
    stage: publish,
    retryable: publish,
    detail: withhold,
    source: publish,
  },
  LetterErased: { reason: publish },

  WalletOpened: { accountId: publish, test: publish, remembersRefunds: publish },
  FundsCredited: { receipt, bucket: publish, amountMicro: publish },
  FundsChargedBack: { receipt, creditId: withhold, bucket: publish, amountMicro: publish },
  FundsReserved: { purpose, ...attempt, counts: count },
  LetterCounted: { purpose, attemptId: publish, counts: count },
  HoldLifted: { purpose, attemptId: publish },
  PolicySet: policy,
  PolicyRemoved: { subject: publish, version: publish },
  PolicyChangeRequested: policyChange,
  PolicyChangeApproved: { ...decision, subject: publish },
  PolicyChangeRejected: { ...decision, subject: publish },
  AlertRaised: { purpose, subject: publish, alert: publish, country: publish, rule: publish },
  BudgetThresholdReached: {
    subject: publish,
    rule: publish,
    counter: publish,
    since: publish,
    percent: publish,
  },
  SpendingFrozen: { subject: publish },
  SpendingUnfrozen: { subject: publish },
  WalletRanLow: { availableMicro: publish, thresholdMicro: publish },
  FundsReleased: { purpose, ...amounts, undone: publish, undecided: publish },
  FundsCaptured: { purpose, ...amounts, ...commission },
  FundsRefunded: { purpose, ...amounts },
  WalletPeriodClosed: { nextPeriod: publish },
  WalletPeriodOpened: {
    accountId: publish,
    test: publish,
    period: publish,
    availableCryptoMicro: publish,
    availableFiatMicro: publish,
    remembersRefunds: publish,
  },
  ReservationsCarriedForward: {
    reservations: {
      purpose,
      attempts: attempt,
      state: publish,
      since: publish,
      ...amounts,
      counts: { ...count, attemptId: publish },
      alerted: publish,
    },
  },
  PoliciesCarriedForward: {
    changes: publish,
    policy,
    used: {
      counter: publish,
      slots: { since: publish, amountMicro: publish, letters: publish },
      alerted: { since: publish, percent: publish },
    },
    seen: publish,
  },
  PolicyChangeCarriedForward: {
    change: policyChange,
    given: { approver: withhold, credential },
    askedBefore: publish,
    isRejected: publish,
    isSuperseded: publish,
    askedAt: publish,
  },
  FreezesCarriedForward: { frozen: { subject: publish, since: publish } },
  CreditsCarriedForward: {
    receipts: { id: withhold, bucket: publish, reversibleMicro: publish },
  },
  RefundsCarriedForward: { purposes: purpose },

  OfferAccepted: {
    commitmentId: publish,
    offerId: publish,
    offerHash: withhold,
    accountId: publish,
    test: publish,
    tier: publish,
    paymentMethod: publish,
    intent: publish,
    service: publish,
    country: publish,
    pages: publish,
    color: publish,
    duplex: publish,
    sendDate: publish,
    quantity: publish,
    price,
    expiresAt: publish,
    commandId: publish,
    requestHash: withhold,
  },

  // Transactions and addresses lead to the payer's wallet.
  PaymentClaimed: {
    paymentId: publish,
    network: publish,
    asset: publish,
    payTo: publish,
    amountMicro: publish,
    validBefore: publish,
    accountId: publish,
    operation: publish,
    requestHash: withhold,
    block: withhold,
    signer: withhold,
  },
  PaymentSettled: {
    paymentId: publish,
    accountId: publish,
    transfer,
    ours: publish,
    feeWei: publish,
    found: publish,
  },
  PaymentReverted: {
    paymentId: publish,
    transfer,
    ours: publish,
    feeWei: publish,
    found: publish,
  },
  PaymentLapsed: { paymentId: publish, reason: publish },
  TransferClaimed: { accountId: publish, transfer, paymentId: publish },
  // The transaction reveals the payer.
  SettlementFailed: {
    payerId: publish,
    paymentId: publish,
    network: publish,
    transaction: withhold,
    feeWei: publish,
    paidByAnother: publish,
  },

  // The way of payment reveals the payer.
  TopUpRequested: {
    topUpId: publish,
    accountId: publish,
    amountMicro: publish,
    terms: withhold,
    expiresAt: publish,
    requestHash: withhold,
  },
  TopUpPaid: { topUpId: publish, receiptId: withhold, amountMicro: publish },
  TopUpExpired: { topUpId: publish },
  TransferAmountAnnounced: { topUpId: publish, accountId: publish, until: publish },

  OrderPlaced: {
    orderId: publish,
    accountId: publish,
    letterId: publish,
    amountMicro: publish,
    commissionMicro: publish,
    currency: publish,
    amountMinor: publish,
    expiresAt: publish,
    requestHash: withhold,
    keyIds: publish,
  },
  OrderFulfilled: { orderId: publish, letterId: publish },
  OrderCredited: { orderId: publish, accountId: publish, letterId: publish, reason: publish },
  OrderExpired: { orderId: publish, accountId: publish, letterId: publish },

  MechRequestClaimed: {
    ...mechRequest,
    action: publish,
    requestHash: withhold,
    priceWei: publish,
    proof: publish,
    // The id reveals the account of the request.
    chain: { network: publish, marketplace: publish, requestId: withhold },
    day: publish,
    letterId: publish,
  },
  MechRequestServed: {
    ...mechRequest,
    action: publish,
    priceWei: publish,
    letterId: publish,
    sealedAnswer: withhold,
    answer: withhold,
  },
  MechRequestRefused: { ...mechRequest, code: publish },
  MechRequestCounted: { ...mechRequest, day: publish, letters: publish, priceWei: publish },
  MechRequestUncounted: { ...mechRequest, day: publish },

  MailAttempted: { ...mail, attempt: publish, again: withhold },
  MailSent: mail,
  MailFailed: { ...mail, code: publish, final: publish },

  ServiceIdentityChanged: {
    did: publish,
    reason: publish,
    keys: {
      keyId: publish,
      purpose: publish,
      publicKey: publish,
      state: publish,
      validFrom: publish,
      validUntil: publish,
      trustedLogSize: publish,
    },
    credentialSchema: publish,
  },

  LogoUploaded: {
    accountId: publish,
    logoId: publish,
    blob: withhold,
    mediaType: publish,
    bytes: publish,
    width: publish,
    height: publish,
    requestId: withhold,
    requestHash: withhold,
  },
  LogoUsed: { accountId: publish, logoId: publish },
  LogoDeleted: { accountId: publish, logoId: publish, blob: withhold },
  UcanRequested: { accountId: publish, cids: publish, requestHash: withhold },
  UcanIssued: {
    cid: publish,
    accountId: publish,
    kind: publish,
    issuer: withhold,
    audience: withhold,
    expiresAt: publish,
    proofs: publish,
    requestHash: withhold,
    boundTo,
  },
  AuditLinkCreated: {
    accountId: publish,
    letterId: publish,
    linkId: publish,
    expiresAt: publish,
    boundTo,
    requestHash: withhold,
  },
  AuditLinkRevoked: { accountId: publish, letterId: publish, linkId: publish },
  TrackingLinkRenewed: { accountId: publish, letterId: publish, linkId: publish },
  TrackingLinkRevoked: { accountId: publish, letterId: publish },
  VolumeContractCreated: {
    contractId: publish,
    accountId: publish,
    test: publish,
    committedUnits: publish,
    period: publish,
    timeZone: publish,
    periods: { startsAt: publish, endsAt: publish },
    tiers: { from: publish, to: publish, basisPoints: publish },
    breachTerms: { shortfall: publish, graceDays: publish },
    countsPrinted: publish,
    requestHash: withhold,
  },
  VolumeContractPeriodEnded: contractPeriod,
  VolumeContractPeriodFulfilled: { ...contractPeriod, units: publish },
  VolumeContractPeriodBreached: {
    ...contractPeriod,
    units: publish,
    shortfall: publish,
    billMicro: publish,
  },
  VolumeContractShortfallBilled: {
    ...contractPeriod,
    amountMicro: publish,
    commissionMicro: publish,
  },
  VolumeContractShortfallReduced: {
    ...contractPeriod,
    discountMicro: publish,
    amountMicro: publish,
  },
  UcanRevoked: { cid: publish, accountId: publish, by: withhold },
  UcanUsed: { cid: publish, accountId: publish, purpose: publish, use: publish },
} satisfies {
  readonly [T in AnyDomainEvent['type']]: Judged<Extract<AnyDomainEvent, { type: T }>['data']>;
};

/** The published part of a value; unjudged members are left out. */
export const publicPart = (value: unknown, judged: Judgement): unknown => {
  if (typeof judged === 'boolean') return judged ? value : undefined;
  if (Array.isArray(value)) return value.map((item) => publicPart(item, judged));
  const part: Record<string, unknown> = {};
  for (const [member, one] of Object.entries(judged)) {
    const found = (value as Record<string, unknown>)[member];
    if (found !== undefined && one !== false) part[member] = publicPart(found, one);
  }
  return part;
};
