// Generated from /openapi.json. Do not edit; RECORD_CLIENTS=1 writes it anew.

export type ErrorInfo = {
  code: string;
  status: number;
  /** The meaning of the error. */
  title: string;
  /** What the caller can do. */
  way_out: string;
  /** The title in problem documents. */
  type: string;
  /** The operations that can answer it. */
  operations: {
    name: string;
    method: string;
    path: string;
    summary: string;
  }[];
};

export type ErrorList = {
  data: ErrorInfo[];
};

export type ReadModelStatus = {
  name: string;
  state: 'running' | 'standing-by' | 'rebuilding' | 'halted' | 'stuck';
  position: string;
  /** Events behind the head of the log (positions, if they have gaps). */
  lag: string;
  /** Seconds since the oldest event happened that is not shown yet. */
  lag_seconds?: number;
  /** RFC 3339, UTC, with milliseconds. */
  since?: string;
  error?: string;
};

export type ReactorStatus = {
  name: string;
  state: 'running' | 'standing-by' | 'stuck';
  position: string;
  /** As of projections. */
  lag: string;
  /** Seconds since the oldest unprocessed event happened. */
  lag_seconds?: number;
  /** Failures that are tried again. */
  failing: number;
  /** Streams that were put aside because only a newer version of the service can read an event, or because what follows from an event is refused. */
  parked: number;
  /** RFC 3339, UTC, with milliseconds. */
  since?: string;
  /** Why it does not advance, or why one of the failing or parked reactions fails. */
  error?: string;
};

export type Health = {
  status: 'ok' | 'degraded';
  /** RFC 3339, UTC, with milliseconds. */
  timestamp: string;
  projections: ReadModelStatus[];
  reactors: ReactorStatus[];
  /** Reactors that no process of the service runs. */
  unowned: string[];
  /** The state of the systems that the service talks to. */
  parts?: {
    name: string;
    status: 'ok' | 'degraded';
    /** RFC 3339, UTC, with milliseconds. */
    since?: string;
    detail?: string;
  }[];
};

export type Ready = {
  ready: boolean;
  log_position: string;
  projections: ReadModelStatus[];
  /** As of health. */
  unowned: string[];
};

export type KeyScope = 'full' | 'send' | 'read';

/** How much it made so far, with things that were deleted or have ended. */
export type MadeThings = {
  /** Letters that it sent without a draft. GET /api/letters?made_by= lists them. */
  letters: number;
  /** Drafts, also those that were sent later. */
  drafts: number;
  /** Keys, without those that replaced another. */
  keys: number;
  ucans: number;
  /** Volume contracts. */
  contracts: number;
};

export type ListedUcan = {
  /** CIDv1 of the encoded token, bafkrei…. */
  cid: string;
  kind: 'root' | 'delegation';
  /** A DID. */
  issuer: string;
  /** A DID. */
  audience: string;
  scope: KeyScope | null;
  /** Resource → ability → caveats, as in the field `cap` of the token. */
  capabilities: { [key: string]: { [key: string]: { [key: string]: unknown }[] } };
  /** RFC 3339, UTC, with milliseconds. */
  issued_at: string;
  /** RFC 3339, UTC, with milliseconds. */
  expires_at: string | null;
  made: MadeThings;
};

export type Scopes = {
  scopes: {
    scope: KeyScope;
    description: string;
  }[];
};

export type Key = {
  id: string;
  prefix: string;
  label: string;
  scope: KeyScope;
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string;
  /** RFC 3339, UTC, with milliseconds. */
  last_used_at: string | null;
  /** RFC 3339, UTC, with milliseconds. */
  expires_at: string | null;
  /** Under this id GET /api/budgets lists the limits of the key: its own id, or that of the first key in a chain of rotations. */
  policy: string;
  made: MadeThings;
};

export type Keys = {
  data: Key[];
};

export type Transaction = {
  id: string;
  type: 'credit' | 'charge_back' | 'hold' | 'release' | 'refund';
  /** Change of the available balance, USD. */
  amount: number;
  /** Available balance after it, USD. */
  balance_after: number;
  letter_id: string | null;
  /** Your reference, or the reason of a change without a letter: `shortfall <contract>-<period>`, or `order <order_id>`. */
  reference: string | null;
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string;
};

export type StorageUse = {
  /** Stored documents and logos, in bytes. */
  used_bytes: number;
  /** Their limit, in bytes. */
  quota_bytes: number;
};

export type Balance = {
  /** Id of your account. UCANs name it as `letters://<account_id>/`. */
  account_id: string;
  /** available + held, USD. */
  balance: number;
  /** USD. */
  available: number;
  /** Reserved for letters that are not in production yet, USD. */
  held: number;
  /** The parts of `held`. Their amounts add up to it. */
  held_for: {
    /** letters: before production; approvals: letters that wait for approval; offers: letters before production at the price of an accepted offer; orders: paid, and their letters are not sent yet; contracts: charges of volume contracts. */
    what: 'letters' | 'approvals' | 'offers' | 'orders' | 'contracts';
    count: number;
    /** USD. */
    amount: number;
  }[];
  currency: 'USD';
  funding: {
    /** Part of the balance paid in crypto: 2.5 % commission. */
    crypto: number;
    /** Part of the balance paid in fiat: 5 % commission. */
    fiat: number;
  };
  /** The last 10, newest first. */
  transactions: Transaction[];
  storage: StorageUse;
  test: boolean;
  /** For the account of a payer (x402): the wallet it belongs to. */
  payer?: string;
};

export type Language = 'de' | 'fr' | 'en';

export type WebhookDisabledReason = 'gone' | 'failing';

export type Settings = {
  webhook_url: string | null;
  notification_email: string | null;
  /** Whether the address gets mail. Absent without an address, or if the service cannot send mail. */
  notification_email_confirmed?: boolean;
  /** Language of the mails about the account. Absent: none was chosen, and mails are in English. Letters have their own language. */
  language?: Language;
  /** Why the webhook is disabled: it answered 410, or every attempt in five days failed. Absent while it is active. Set webhook_url again to resume. */
  webhook_disabled?: WebhookDisabledReason;
  /** The secret that signs webhooks (Standard Webhooks). Shown once, when it is new. */
  webhook_secret?: string;
};

export type DayStatistics = {
  /** A day, as `2026-01-31`. */
  day: string;
  /** Letters that were accepted. A letter that is cancelled later still counts. */
  letters: number;
  /** USD: money that was reserved, less money that was released or refunded on the same day. Negative if more came back than was spent. */
  spent: number;
};

export type Statistics = {
  /** A day, as `2026-01-31`. */
  from: string;
  /** A day, as `2026-01-31`. */
  to: string;
  /** The time zone of the days. */
  time_zone: 'UTC';
  /** Letters that were accepted. A letter that is cancelled later still counts. */
  letters: number;
  /** USD: money that was reserved, less money that was released or refunded on the same day. Negative if more came back than was spent. */
  spent: number;
  /** Every day from `from` to `to`, the earliest first. */
  days: DayStatistics[];
};

export type DeliveryAttempt = {
  /** RFC 3339, UTC, with milliseconds. */
  at: string;
  /** HTTP status of the answer. */
  status: number | null;
  /** The error, if there was no answer. */
  error: string | null;
  duration_ms: number | null;
};

export type DeliveryChannel = {
  channel: 'webhook' | 'email';
  /** The kind of e-mail; absent before the first attempt. */
  mail?: string;
  /** delivered: for an e-mail, the mail server accepted it; failed: the last attempt failed; cancelled: the channel was removed or disabled before. */
  state: 'pending' | 'delivered' | 'failed' | 'cancelled';
  /** RFC 3339, UTC, with milliseconds. */
  next_attempt_at: string | null;
  /** Oldest first. Of many, the latest 50. */
  attempts: DeliveryAttempt[];
};

export type Notification = {
  id: string;
  /** letter.<status or change>, wallet.<change>, webhook.disabled, webhook.test and others. */
  type: string;
  letter_id: string | null;
  status: string | null;
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string;
  /** Empty if no channel was set when it happened. */
  channels: DeliveryChannel[];
};

export type WebhookMessage = {
  id: string;
  type: string;
  headers: {
    'content-type': string;
    'webhook-id': string;
  };
  /** JSON, as the signature covers it. */
  body: string;
};

export type Erasure = {
  closure_id: string;
  status: 'closing' | 'erasing' | 'erased';
  /** RFC 3339, UTC, with milliseconds. */
  erases_at: string | null;
  /** RFC 3339, UTC, with milliseconds. */
  erased_at: string | null;
  /** The signed credential (VC-JWT) of the event AccountErased. POST /api/identity/verify-vc checks it. */
  certificate: string | null;
};

export type Export = {
  export_id: string;
  status: 'making' | 'ready' | 'failed';
  /** RFC 3339, UTC, with milliseconds. */
  requested_at: string;
  /** When the archive is removed. Null until it is ready. */
  expires_at: string | null;
  /** Letters that were put into the archive so far. */
  letters: number;
  /** Zip files that the archive consists of. Large accounts have more than one. */
  parts: number;
  /** Size of all parts together, as they were made. */
  bytes: number;
};

export type Exports = {
  data: Export[];
};

export type CountryCode = 'US' | 'FR' | 'GB' | 'CA' | 'DE';

export type ServiceId = 'us_first_class' | 'us_certified' | 'us_priority' | 'fr_lettre_verte' | 'fr_lettre_suivie' | 'fr_lettre_recommandee' | 'gb_first_class' | 'gb_second_class' | 'gb_signed_for' | 'gb_special_delivery' | 'ca_lettermail' | 'ca_registered' | 'ca_priority' | 'de_standardbrief' | 'de_einschreiben' | 'de_einschreiben_einwurf';

export type TrackingClass = 'none' | 'sync' | 'async';

export type ProofLevel = 'basic' | 'tracking' | 'certified' | 'signature' | 'full_audit_trail';

export type IntentClass = 'confidential' | 'legal_compliance' | 'regulatory_filing' | 'time_critical' | 'transactional' | 'bulk_marketing';

export type Service = {
  service: ServiceId;
  /** The operator's own name of the product. */
  name: string;
  operator: string;
  tracking: TrackingClass;
  proof_levels: ProofLevel[];
  proof_of_posting: boolean;
  signature: boolean;
  /** Intent classes that it meets. */
  intents: IntentClass[];
  /** Business days from hand-over. */
  sla_days: number;
  /** Whether the operator guarantees them. */
  guaranteed: boolean;
  max_sheets: number;
  price_from: {
    /** USD. */
    total: number;
    currency: 'USD';
  };
  /** Whether the postage in the price is an estimate: no published tariff contains it, or the tariff is a year old or older and may have been replaced. `rate_valid_from` shows its age. */
  estimate: boolean;
  /** Source of the postage. */
  rate_source: string;
  /** The day from which the postage is valid. Postal operators change it about once a year. */
  rate_valid_from: string;
};

export type Catalogue = {
  country: CountryCode;
  name: string;
  currency: 'USD' | 'EUR' | 'GBP' | 'CAD';
  services: Service[];
  intents: {
    intent: IntentClass;
    sla_days: number;
    use_case: string;
    proof: string;
    /** USD. */
    surcharge: number;
    services: ServiceId[];
  }[];
};

export type LetterStatus = 'draft' | 'queued' | 'processing' | 'posted' | 'in_transit' | 'delivered' | 'cancelled' | 'failed';

export type ContentType = 'text' | 'html';

/** The discount of a volume contract on printing. The lines already include it: do not subtract it again. */
export type Discount = {
  contract_id: string;
  /** Discount on printing: 0.1 is 10 %. */
  rate: number;
  /** USD. */
  amount: number;
};

export type Price = {
  /** USD. */
  postage: number;
  /** USD. */
  printing: number;
  /** Surcharge of the intent class and commission, USD. */
  handling: number;
  /** The commission in `handling`, USD. */
  commission: number;
  /** postage + printing + handling, USD. */
  total: number;
  currency: 'USD';
  discount?: Discount;
};

export type HoldReason = 'requested' | 'funds' | 'approval';

/** The days on which delivery is expected. They stay when the letter is cancelled or fails. */
export type DeliveryWindow = {
  earliest: string;
  latest: string;
};

export type Tracking = {
  tracking_class: TrackingClass;
  carrier: string;
  tracking_number: string | null;
  tracking_url: string | null;
};

export type TimelineStatus = 'draft' | 'queued' | 'processing' | 'posted' | 'in_transit' | 'delivered' | 'cancelled' | 'failed' | 'returned';

export type TimelineEntry = {
  status: TimelineStatus;
  /** RFC 3339, UTC, with milliseconds. */
  at: string;
  /** api, partner, carrier, operator or simulator. */
  source: string;
  /** Inferred from a later report: nobody reported this step, nor when it happened. */
  inferred?: boolean;
  /** When it happened, as the print house or carrier reports it. `at` is when it was recorded. */
  occurred_at?: string;
};

/** While the letter is `processing`: whether the print partner already has the job. If the partner cannot be reached, the letter waits and is handed over later. */
export type Production = {
  state: 'waiting_for_partner' | 'with_partner';
  /** RFC 3339, UTC, with milliseconds. */
  since: string;
};

export type AddressPlacement = 'stamp' | 'in_document' | 'insert_page';

/** What can be done with the letter now. */
export type Abilities = {
  update: boolean;
  cancel: boolean;
  delete: boolean;
  send: boolean;
};

export type DeliveryOutcome = 'delivered' | 'returned';

export type Warning = {
  pointer: string;
  code: string;
  detail: string;
};

export type Letter = {
  letter_id: string;
  status: LetterStatus;
  service: ServiceId;
  intent: IntentClass;
  to_name: string;
  to_company: string | null;
  to_line1: string;
  to_line2: string | null;
  to_city: string;
  to_state: string | null;
  to_postal_code: string;
  to_country: CountryCode;
  from_name: string;
  from_company: string | null;
  from_line1: string;
  from_line2: string | null;
  from_city: string;
  from_state: string | null;
  from_postal_code: string;
  from_country: CountryCode;
  /** Business days from hand-over to domestic delivery. */
  sla_days: number;
  content_type: ContentType | null;
  content?: string | null;
  reference: string | null;
  metadata: { [key: string]: string };
  language: Language | null;
  color: boolean;
  duplex: boolean;
  pages: number;
  sheets: number;
  price: Price;
  pricing_version: string;
  send_date: string | null;
  hold_reason: HoldReason | null;
  /** Until then the letter can be cancelled for sure. The time stays when the letter is cancelled or fails: `abilities.cancel` says whether it can be cancelled now. Null for a draft. */
  cancellable_until: string | null;
  expected_delivery: DeliveryWindow;
  tracking: Tracking;
  timeline: TimelineEntry[];
  production: Production | null;
  documents: {
    kind: 'letter';
    format: 'text' | 'html' | 'pdf';
    pages: number;
    /** The service added an address page as the first page. */
    cover_page: boolean;
    address_placement: AddressPlacement | null;
    /** sha256(salt ‖ document as sent), base64url. A text has line feeds as line ends and is in NFC. */
    commitment: string;
  }[];
  abilities: Abilities;
  delivery_outcome: DeliveryOutcome | null;
  failure: {
    code: string;
    stage: string;
    retryable: boolean;
    detail: string;
    /** RFC 3339, UTC, with milliseconds. */
    at: string;
  } | null;
  cancellation: {
    status: 'requested' | 'accepted' | 'rejected';
    /** RFC 3339, UTC, with milliseconds. */
    at: string;
    reason: string | null;
  } | null;
  warnings: Warning[];
  test: boolean;
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string;
  /** RFC 3339, UTC, with milliseconds. */
  updated_at: string;
};

export type LetterCounts = {
  total: number;
  by_status: {
    draft: number;
    queued: number;
    processing: number;
    posted: number;
    in_transit: number;
    delivered: number;
    cancelled: number;
    failed: number;
  };
  /** Letters that came back. They also count in `by_status`. */
  returned: number;
};

export type LettersFound = {
  data: Letter[];
};

export type RecipientAddress = {
  name: string;
  company?: string;
  line1: string;
  line2?: string;
  city: string;
  state?: string;
  postal_code: string;
  country: CountryCode;
};

export type TrackedLetter = {
  letter_id: string;
  status: LetterStatus;
  tracking_class: TrackingClass;
  carrier: string;
  tracking_number: string | null;
  tracking_url: string | null;
  expected_delivery: DeliveryWindow;
  delivery_outcome: DeliveryOutcome | null;
  evidence: 'carrier_scan' | 'signature' | 'recipient_report' | 'simulated' | null;
  events: {
    status: TimelineStatus;
    /** RFC 3339, UTC, with milliseconds. */
    at: string;
    /** Inferred from a later report: nobody reported this step, nor when it happened. */
    inferred?: boolean;
    /** When it happened, as the print house or carrier reports it. `at` is when it was recorded. */
    occurred_at?: string;
    detail: string;
    source: string;
    location: string | null;
  }[];
  test: boolean;
};

export type Proof = {
  letter_id: string;
  /** What the service of the letter proves, as far as its intent requires it. */
  proof_level: ProofLevel;
  /** The facts in words. */
  statement: string;
  status: LetterStatus;
  /** RFC 3339, UTC, with milliseconds. */
  sent_at: string | null;
  /** Null until the letter is posted, and where nobody reported when it was posted. */
  posted_at: string | null;
  /** RFC 3339, UTC, with milliseconds. */
  delivered_at: string | null;
  /** When the letter came back to its sender; `status` does not change. */
  returned_at: string | null;
  evidence: string | null;
  carrier: string;
  tracking_number: string | null;
  document: {
    pages: number;
    commitment: string;
    algorithm: string;
    /** Together with the document it gives the commitment. */
    salt: string | null;
  };
  /** Signed credentials (JWT), if issued. */
  credentials: string[];
  log: {
    /** Signed head of the log of credentials (C2SP). */
    checkpoint: string;
    /** For each credential its proof of inclusion (C2SP tlog-proof); null until the log covers it. */
    inclusion: (string | null)[];
  } | null;
  service_did: string | null;
  how_to_verify: string;
  test: boolean;
};

export type X402Status = {
  status: 'available' | 'unavailable';
  methods: {
    method: 'x402';
    scheme: 'exact';
    versions: number[];
    /** CAIP-2 */
    network: string;
    /** The name in version 1 of x402. */
    network_name: string;
    /** Whether it is a test network, whose money is worth nothing. */
    testnet: boolean;
    asset: string;
    asset_name: string;
    pay_to: string;
    /** USD; credited to the wallet of the payer. */
    read_price: number;
    headers: string[];
  }[];
  /** Lines of a program that pays for a letter. */
  quickstart: string[];
  /** The operations that x402 can pay for. */
  operations: string[];
  /** A challenge for the wallet. Sign it and send it as SIGN-IN-WITH-X. It permits, once, what its statement names: reading, or the request with `method` and `path`. */
  sign_in?: unknown;
};

export type TopUpMethod = 'usdc' | 'lightning' | 'card';

export type ChargeCurrency = 'USD' | 'EUR' | 'CAD';

export type TopUp = {
  topup_id: string;
  method: TopUpMethod;
  /** The requested amount, USD. */
  amount: number;
  currency: 'USD';
  status: 'pending' | 'paid' | 'expired';
  /** The amount credited to the wallet, USD. */
  credited: number | null;
  /** RFC 3339, UTC, with milliseconds. */
  expires_at: string;
  /** usdc: a transfer from any wallet, or from the wallet in the request. */
  transfer?: {
    /** CAIP-2 */
    network: string;
    asset: string;
    pay_to: string;
    /** USDC; send exactly this amount, because it identifies the transfer. */
    amount: number;
    /** The same in millionths. */
    amount_atomic: string;
    /** The wallet in the request; only a transfer from it counts. */
    from_address?: string;
  };
  /** usdc: payment requirements, to pay on a retry of this request. */
  x402?: unknown;
  /** lightning: BOLT11. */
  invoice?: string;
  payment_hash?: string;
  amount_sats?: number;
  rate?: {
    value: string;
    source: string;
    /** RFC 3339, UTC, with milliseconds. */
    at: string;
  };
  /** card: the page to pay on, while the top-up is pending. */
  checkout_url?: string;
  charged?: {
    amount: number;
    currency: ChargeCurrency;
  };
  /** card: the part of `credited` that was refunded or disputed afterwards, USD. */
  taken_back?: number;
};

export type Order = {
  order_id: string;
  letter_id: string;
  /** `paid`: the letter is about to be queued, or waits for approval. `queued`: the letter was sent with the money; the order's `letter_status` shows its progress. `credited`: the order was paid but the letter was not sent; the money is in the account's wallet. */
  status: 'awaiting_payment' | 'paid' | 'queued' | 'credited' | 'expired';
  /** The page where the payer pays; null when it is closed. */
  checkout_url: string | null;
  /** The charge to the card. */
  amount: number;
  currency: ChargeCurrency;
  /** RFC 3339, UTC, with milliseconds. */
  expires_at: string;
  letter_status: LetterStatus | null;
  delivery_outcome: DeliveryOutcome | null;
  /** Null until it has one. */
  tracking_number: string | null;
  /** The page of the carrier. */
  tracking_url: string | null;
  credit_reason: 'not_sendable' | 'letter_changed' | 'paid_late' | 'taken_back' | null;
  /** The part of the payment that was refunded or disputed, in US dollars of the wallet. */
  taken_back: number;
  /** RFC 3339, UTC, with milliseconds. */
  placed_at: string;
};

export type IntentClasses = {
  data: {
    intent: IntentClass;
    /** 1 is the highest. */
    priority: number;
    /** Business days. */
    sla_days: number;
    use_case: string;
    /** In words. */
    proof: string;
    /** Required of a service. */
    proof_level: ProofLevel;
    /** USD. */
    surcharge: number;
    currency: 'USD';
    /** Weights that score the tiers of an offer; their sum is 1. */
    weights: {
      cost: number;
      speed: number;
      proof: number;
      reliability: number;
    };
  }[];
};

export type VerifiedDocument = {
  /** Whether every check passed. */
  valid: boolean;
  /** Whether the service signed it as it is, even if it has expired. */
  signed: boolean;
  kind: 'offer' | 'receipt' | 'contract' | null;
  /** DID URL of the key. */
  kid: string | null;
  checks: {
    name: string;
    ok: boolean;
    /** The reason for a failure; otherwise null. */
    code: string | null;
    detail: string;
  }[];
  document: { [key: string]: unknown } | null;
};

/** `jws`: the compact JWS of an offer, a receipt or a contract. `offer`: the offer as you received it, or its JWS. Or send the offer itself as the body. */
export type VerifyDocument = {
  offer?: { [key: string]: unknown } | string;
  jws?: string;
};

export type CustomerProfile = {
  /** Null if the account has no DID. */
  customer_did: string | null;
  account_id: string;
  persona: 'new' | 'compliance' | 'deadline' | 'bulk' | 'business';
  /** Letters sent, except those cancelled or failed. */
  letters: number;
  /** Number of accepted offers. */
  accepted: number;
  /** USD a letter. */
  avg_spend: number;
  currency: 'USD';
  /** Shares of the accepted tiers; all 0 before the first. */
  preferred_tiers: {
    economy: number;
    standard: number;
    premium: number;
  };
  /** Number of letters per intent class. */
  intents: {
    confidential: number;
    legal_compliance: number;
    regulatory_filing: number;
    time_critical: number;
    transactional: number;
    bulk_marketing: number;
  };
  because: string[];
  /** RFC 3339, UTC, with milliseconds. */
  updated_at: string | null;
};

export type OfferTierName = 'economy' | 'standard' | 'premium';

export type Commitment = {
  /** Send it with the letter. */
  commitment_id: string;
  offer_id: string;
  offer_hash: string;
  tier: OfferTierName;
  /** The money in the wallet that pays. */
  payment_method: 'fiat' | 'crypto';
  intent: IntentClass;
  service: ServiceId;
  to_country: CountryCode;
  /** The maximum number of pages of a letter. */
  pages: number;
  color: boolean;
  duplex: boolean;
  /** The total price of one letter. */
  locked_price: number;
  currency: 'USD' | 'USDC';
  price: Price;
  /** USD. */
  total: number;
  /** The number of letters that it covers. */
  quantity: number;
  uses_left: number;
  /** The letters that use it. A letter that was cancelled or failed no longer counts. A list has the first 100 letters of each commitment. */
  letters: string[];
  state: 'active' | 'consumed' | 'expired';
  test: boolean;
  /** RFC 3339, UTC, with milliseconds. */
  accepted_at: string;
  /** RFC 3339, UTC, with milliseconds. */
  expires_at: string;
  /** The receipt: a compact JWS (EdDSA) of the service with the agreed terms. `reference` is the hash of the offer. */
  jws: string;
};

export type VolumeTier = {
  /** Letters in a period. */
  from: number;
  /** Included; null: no end. */
  to: number | null;
  /** Discount on printing: 0.1 is 10 %. */
  discount: number;
};

export type ContractPeriod = {
  /** From 1. */
  number: number;
  /** RFC 3339, UTC, with milliseconds. */
  starts_at: string;
  /** RFC 3339, UTC, with milliseconds. */
  ends_at: string;
  /** When the period is settled. In test mode, `advance_test_contract` settles it earlier. */
  settles_at: string;
  /** `grace`: the period is over but not yet settled. Letters that are cancelled or fail are still subtracted. */
  state: 'upcoming' | 'open' | 'grace' | 'fulfilled' | 'breached';
  /** Letters sent, except those cancelled or failed. In a live contract, letters that were not in production when the count closed do not count either. */
  units: number;
  /** Letters missing so far, or at the end. */
  shortfall: number;
  /** What the contract took off the price of its letters, before commission. USD. */
  discounts: number;
  /** The charge for its shortfall, with commission, minus refunds for letters that were cancelled or failed later. USD. */
  billed: number | null;
};

export type VolumeContract = {
  contract_id: string;
  customer_did: string;
  state: 'active' | 'fulfilled' | 'breached';
  test: boolean;
  /** Letters in each period. */
  committed_units: number;
  /** In the current period, or after the end in the last one. */
  units_used: number;
  /** In the same period, so far. */
  shortfall: number;
  period: 'month' | 'quarter' | 'year';
  period_count: number;
  time_zone: string;
  /** RFC 3339, UTC, with milliseconds. */
  starts_at: string;
  /** RFC 3339, UTC, with milliseconds. */
  ends_at: string;
  /** Its number; null before the first and after the last. */
  current_period: number | null;
  tiers: VolumeTier[];
  current_tier: VolumeTier;
  breach_terms: {
    shortfall: 'rebill_at_undiscounted_price';
    grace_days: number;
    description: string;
  };
  periods: ContractPeriod[];
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string;
  /** The terms, signed by the service (EdDSA; `kid` is a key of its DID document). */
  jws: string;
};

/** W3C Decentralized Identifiers 1.0. */
export type DidDocument = {
  id: string;
  alsoKnownAs?: string[];
  verificationMethod?: { [key: string]: unknown }[];
};

export type DidResolution = {
  didDocument: DidDocument;
  didResolutionMetadata: {
    contentType: string;
    /** RFC 3339, UTC, with milliseconds. */
    retrieved: string;
    duration_ms: number;
    cached: boolean;
    warning?: string;
  };
  didDocumentMetadata: {
    deactivated?: boolean;
  };
};

export type ServiceDid = {
  /** The DID that issues credentials. */
  did: string;
  didDocument: DidDocument;
  /** did:key of the key that signs credentials now. */
  did_key: string;
  /** The `kid` of new credentials. */
  kid: string;
  retired_keys: {
    kid: string;
    purpose: 'credential' | 'ucan' | 'log' | 'webhook';
    publicKeyMultibase: string;
    /** RFC 3339, UTC, with milliseconds. */
    valid_from: string;
    /** RFC 3339, UTC, with milliseconds. */
    valid_until: string | null;
    /** Other people may have its private key. */
    revoked: boolean;
    /** For a revoked key: its signatures count only for leaves of the log below this. */
    trusted_log_size: number | null;
  }[];
  /** First line of the checkpoints of the log. */
  checkpoint_origin: string;
  /** Ed25519 Multikey, `z6Mk…`: signs checkpoints. */
  log_public_key: string;
  /** Ed25519 Multikey, `z6Mk…`: signs webhooks, v1a. */
  webhook_public_key: string;
  /** The current keys that sign audit webhooks (v1a), as their subscriptions show them: whpk_ and base64. After a rotation, the previous key also signs for 7 days. */
  webhook_public_keys: string[];
  /** The DID that issues UCAN roots; always a did:key. */
  ucan_did: string;
  /** The did:keys under which the service issued credentials before it moved or changed its key; absent in answers of earlier versions. Each `statement` is a JWT in which the key of that DID says under which DID (`sub`) the service goes on. */
  former_dids?: {
    did: string;
    statement: string;
  }[];
  /** First lines of the checkpoints of the log before the service moved; absent in answers of earlier versions. Each `statement` is a JWT in which a key that signed them says under which `origin` the log goes on. */
  former_checkpoint_origins?: {
    origin: string;
    statement: string;
  }[];
};

export type IssuedCredential = {
  /** `urn:uuid:` and the id of the event. */
  id: string;
  /** Kind of event, such as `letter.posted`. */
  type: string;
  letter_id: string | null;
  stream: string;
  /** Position of the event in its stream, from 1. */
  sequence: number;
  issuer: string;
  /** RFC 3339, UTC, with milliseconds. */
  occurred_at: string;
  /** Leaf number in the log. */
  log_index: number;
  /** SHA-256 of the credential. */
  hash: string;
  /** The Verifiable Credential (JWT). */
  credential: string;
};

export type ListedAuditLink = {
  /** Id of the link in lists and for its revocation. */
  id: string;
  letter_id: string;
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string;
  /** RFC 3339, UTC, with milliseconds. */
  expires_at: string;
};

export type Audit = {
  letter_id: string;
  /** Whether each event so far has a credential that the checkpoint covers. */
  complete: boolean;
  events: {
    sequence: number;
    /** `letter.posted` */
    type: string;
    /** Status of the letter after the event. */
    status: string;
    /** When the service recorded the event. RFC 3339, UTC, with milliseconds. */
    occurred_at: string;
    /** When it happened, as the print house or carrier reports it. Absent: the report names no other time. */
    reported_at?: string;
    source: string;
    /** Position in the log of events, as in X-Log-Position. */
    position: string;
    /** `sha-256:` and the digest, base64url. */
    event_hash: string;
    /** `sha-256:` and the digest, base64url. */
    hash: string | null;
    /** `sha-256:` and the digest, base64url. */
    previous_hash: string | null;
    log_index: number | null;
    /** Null until the credential is issued. */
    credential: string | null;
  }[];
  /** To continue, send the last sequence as `after`. */
  has_more: boolean;
  /** Signed head of the log (C2SP). */
  checkpoint: string | null;
  /** For each event the audit path of its credential at the size of the checkpoint. Null until the checkpoint covers it. */
  inclusion: (string[] | null)[];
  letter?: Letter | null;
  as_of?: string;
  test: boolean;
};

export type LogCheckpoint = {
  /** Name of the log. */
  origin: string;
  size: number;
  /** 32 bytes, base64. */
  root: string;
  /** RFC 3339, UTC, with milliseconds. */
  signed_at: string;
  /** Signed note (C2SP tlog-checkpoint). */
  note: string;
  /** Name, key hash and key, for verifiers of notes. */
  verifier_key: string;
};

export type InclusionProof = {
  index: number;
  size: number;
  /** 32 bytes, base64. */
  leaf_hash: string;
  /** Audit path, from the leaf up (RFC 6962). */
  path: string[];
  /** The note of this size, if it is the latest. */
  checkpoint: string | null;
  /** The whole proof as one text (C2SP tlog-proof). */
  proof: string | null;
};

export type ConsistencyProof = {
  first: number;
  second: number;
  path: string[];
};

export type CredentialCheck = {
  name: string;
  /** null: not checked, or not applicable. */
  ok: boolean | null;
  /** The reason for a failure; otherwise null. */
  code: string | null;
  detail: string;
};

export type VerifiedCredential = {
  /** Whether every applicable check passed. */
  valid: boolean;
  checks: CredentialCheck[];
  /** The signer; null if that is not proved. */
  issuer: string | null;
  subject: string | null;
  /** The signed content; null if the signature is not valid. */
  credential: { [key: string]: unknown } | null;
  /** For a presentation: its credentials. */
  credentials?: ({
    /** Whether every applicable check passed. */
    valid: boolean;
    checks: CredentialCheck[];
    /** The signer; null if that is not proved. */
    issuer: string | null;
    subject: string | null;
    /** The signed content; null if the signature is not valid. */
    credential: { [key: string]: unknown } | null;
  })[];
};

export type MessageSchemas = {
  data: {
    name: string;
    url: string;
  }[];
};

export type ServiceInfo = {
  name: string;
  version: string;
  description: string;
  status: 'ok';
  docs: string;
  openapi: string;
  api_docs: string;
  /** Country code → service identifiers. */
  countries: { [key: string]: string[] };
  /** The configured methods. `wallet` is always there. `x402` pays single requests; `usdc`, `lightning` and `card` fill the wallet; `xdai` pays the mech. */
  payment_methods: string[];
  capabilities: string[];
  /** Addresses of the parts that this installation serves. */
  endpoints: { [key: string]: string };
  /** Descriptions for people and programs. */
  links: { [key: string]: string };
  well_known: string[];
};

export type LoggedRequest = {
  /** The `X-Request-Id` of the answer. */
  request_id: string;
  /** RFC 3339, UTC, with milliseconds. */
  at: string;
  /** The `operationId`. */
  operation: string;
  /** The status of the answer. */
  status: number;
  /** The code of the error. Null: there was no error. */
  code: string | null;
  /** The key, or `ucan:<cid>`. */
  key_id: string;
  /** The time until the answer, ms. */
  ms: number;
};

export type ReferenceSection = {
  /** Heading of the section. */
  title: string;
  page: string;
  url: string;
  /** The page as Markdown. */
  markdown_url: string;
  excerpt: string;
};

export type ReferenceSections = {
  data: ReferenceSection[];
};

export type AccountMode = 'live' | 'test';

export type Evaluation = {
  from: string;
  to: string;
  country: 'US' | 'FR' | 'GB' | 'CA' | 'DE' | null;
  mode: AccountMode;
  /** RFC 3339, UTC, with milliseconds. */
  as_of: string;
  /** The six intent classes, by priority. */
  data: {
    intent: IntentClass;
    /** Business days from posting that the class promises. */
    sla_days: number;
    /** Letters posted in the period. */
    sent: number;
    /** Those with a service that tracks them; on_time + late + in_flight. */
    measurable: number;
    /** Letters without tracking, or returned: their delivery time is unknown. */
    not_measurable: number;
    /** Delivered within the SLA. */
    on_time: number;
    /** Delivered after the SLA, or not delivered although the SLA has passed. */
    late: number;
    /** Late letters that are not delivered yet. */
    overdue: number;
    /** Not delivered yet, and the SLA has not passed. */
    in_flight: number;
    /** Letters that came back, with or without tracking; not measured. */
    returned: number;
    /** on_time / (on_time + late); null for 0 / 0. */
    attainment: number | null;
    /** Business days within which half of the delivered letters arrived. */
    p50_days: number | null;
    /** Business days within which 95 % of them arrived. */
    p95_days: number | null;
  }[];
  total: {
    /** Letters posted in the period. */
    sent: number;
    /** Those with a service that tracks them; on_time + late + in_flight. */
    measurable: number;
    /** Letters without tracking, or returned: their delivery time is unknown. */
    not_measurable: number;
    /** Delivered within the SLA. */
    on_time: number;
    /** Delivered after the SLA, or not delivered although the SLA has passed. */
    late: number;
    /** Late letters that are not delivered yet. */
    overdue: number;
    /** Not delivered yet, and the SLA has not passed. */
    in_flight: number;
    /** Letters that came back, with or without tracking; not measured. */
    returned: number;
    /** on_time / (on_time + late); null for 0 / 0. */
    attainment: number | null;
    /** Business days within which half of the delivered letters arrived. */
    p50_days: number | null;
    /** Business days within which 95 % of them arrived. */
    p95_days: number | null;
  };
  countries: {
    country: CountryCode;
    /** Letters posted in the period. */
    sent: number;
    /** Those with a service that tracks them; on_time + late + in_flight. */
    measurable: number;
    /** Letters without tracking, or returned: their delivery time is unknown. */
    not_measurable: number;
    /** Delivered within the SLA. */
    on_time: number;
    /** Delivered after the SLA, or not delivered although the SLA has passed. */
    late: number;
    /** Late letters that are not delivered yet. */
    overdue: number;
    /** Not delivered yet, and the SLA has not passed. */
    in_flight: number;
    /** Letters that came back, with or without tracking; not measured. */
    returned: number;
    /** on_time / (on_time + late); null for 0 / 0. */
    attainment: number | null;
    /** Business days within which half of the delivered letters arrived. */
    p50_days: number | null;
    /** Business days within which 95 % of them arrived. */
    p95_days: number | null;
  }[];
  months: {
    /** Day of posting, UTC. */
    month: string;
    /** Letters posted in the period. */
    sent: number;
    /** Those with a service that tracks them; on_time + late + in_flight. */
    measurable: number;
    /** Letters without tracking, or returned: their delivery time is unknown. */
    not_measurable: number;
    /** Delivered within the SLA. */
    on_time: number;
    /** Delivered after the SLA, or not delivered although the SLA has passed. */
    late: number;
    /** Late letters that are not delivered yet. */
    overdue: number;
    /** Not delivered yet, and the SLA has not passed. */
    in_flight: number;
    /** Letters that came back, with or without tracking; not measured. */
    returned: number;
    /** on_time / (on_time + late); null for 0 / 0. */
    attainment: number | null;
    /** Business days within which half of the delivered letters arrived. */
    p50_days: number | null;
    /** Business days within which 95 % of them arrived. */
    p95_days: number | null;
  }[];
};

export type MechPrice = {
  /** Of xDAI. */
  price_wei: number;
  price_human: string;
};

export type MechInfo = {
  enabled: boolean;
  mode: 'test' | 'live' | null;
  name: string;
  tools: string[];
  agent_id: number | null;
  component_id: number | null;
  service_id: number | null;
  owner: string | null;
  mech_address: string | null;
  marketplace_address: string;
  network: string;
  chain_id: number;
  currency: string;
  pricing: {
    negotiate: MechPrice;
    track: MechPrice;
    send: MechPrice;
  };
  /** The accepted payments; any of them is enough. */
  proofs: string[];
  endpoints: { [key: string]: string };
};

export type MechAction = {
  price_wei: number;
  price_human: string;
  /** Names of the required params. */
  required: string[];
};

export type MechTools = {
  tools: {
    name: string;
    description: string;
    /** JSON Schema of the params. */
    input_schema: { [key: string]: unknown };
    actions: {
      negotiate: MechAction;
      track: MechAction;
      send: MechAction;
    };
  }[];
  /** The metadata of a mech, with `toolMetadata`, as published on IPFS. */
  metadata: { [key: string]: unknown };
};

export type MechProbe = {
  ok: boolean;
  reason: string | null;
};

export type MechHealth = {
  /** `ok`, or `unavailable` while it takes no requests. */
  status: string;
  is_healthy: boolean;
  liveness: MechProbe;
  readiness: MechProbe;
};

export type IssuedUcan = {
  /** Send it as `Authorization: Bearer ucan:<token>`. */
  token: string;
  /** CIDv1 of the encoded token, bafkrei…. */
  cid: string;
  scope: KeyScope | null;
  /** RFC 3339, UTC, with milliseconds. */
  expires_at: string | null;
  /** The other tokens of the chain that you may pass on. Join them with commas to get the header `ucans`. The service finds tokens that it issued by itself. Everyone who gets one of them can act with it. */
  proofs: string[];
};

export type IssueUcan = {
  scope: KeyScope;
  /** The DID that may use it, such as did:key:z6Mk…. */
  audience?: string;
  /** In seconds. Default: 86400. */
  expires_in?: number;
};

export type DelegateUcan = {
  /** The DID that may use it, such as did:key:z6Mk…. */
  audience: string;
  scope?: KeyScope;
  /** Resource → ability → caveats, as in the field `cap` of a token. */
  capabilities?: { [key: string]: { [key: string]: { [key: string]: string | number | boolean | (string | number | boolean)[] }[] } };
  token?: string;
  /** The CID of a UCAN, as the answer that issued it shows it: bafkrei…. */
  cid?: string;
  /** Further tokens of the chain that were not issued here. */
  proofs?: string[];
  /** In seconds. Default: 86400. */
  expires_in?: number;
};

export type UcanVerdict = {
  valid: boolean;
  checks: {
    name: string;
    /** null: not judged, or not asked for. */
    ok: boolean | null;
    detail: string;
    code: string | null;
  }[];
  errors: {
    code: string;
    detail: string;
    /** CIDv1 of the encoded token, bafkrei…. */
    cid: string | null;
  }[];
  missing_proofs: string[];
  /** Resource → ability → caveats, as in the field `cap` of the token. */
  capabilities: { [key: string]: { [key: string]: { [key: string]: unknown }[] } };
  scope: KeyScope | null;
  /** A DID. */
  issuer: string | null;
  /** A DID. */
  audience: string | null;
  /** A DID. */
  root_issuer: string | null;
  /** RFC 3339, UTC, with milliseconds. */
  expires_at: string | null;
  /** RFC 3339, UTC, with milliseconds. */
  not_before: string | null;
  /** null: it was not judged. */
  revoked: boolean | null;
  /** The token, then its proofs, as far as they were found. */
  chain: {
    /** CIDv1 of the encoded token, bafkrei…. */
    cid: string;
    /** A DID. */
    iss: string;
    /** A DID. */
    aud: string;
    /** Seconds since the epoch. */
    exp: number | null;
  }[];
};

export type VerifyUcan = {
  token: string;
  /** Further tokens of the chain that were not issued here. */
  proofs?: string[];
  /** A DID such as did:key:z6Mk…. */
  audience?: string;
};

export type RevokedUcan = {
  cid: string;
  revoked: true;
  /** RFC 3339, UTC, with milliseconds. */
  revoked_at: string;
  /** The issuer that revoked it. */
  by: string;
};

export type RevokeUcan = {
  /** The CID of a UCAN, as the answer that issued it shows it: bafkrei…. */
  cid: string;
  token?: string;
  /** Further tokens of the chain that were not issued here. */
  proofs?: string[];
  /** The DID that may use it, such as did:key:z6Mk…. */
  iss?: string;
  /** The signature over `REVOKE:<cid>`, in base64 without padding. */
  challenge?: string;
};

export type RegisteredAccount = {
  /** Shown once. Keep it safe. */
  api_key: string;
  key_id: string;
  prefix: string;
  scope: KeyScope;
  account_id: string;
  mode: AccountMode;
  message: string;
  test: boolean;
};

export type Register = {
  email: string;
  /** A test account has $100.00 of test money, and its letters are not printed. */
  mode?: AccountMode;
  /** Language of the mails about the account. Default: by `Accept-Language`. */
  language?: Language;
};

export type RegisterAgent = {
  agent_id: string;
  agent_name: string;
  scope?: 'send' | 'read';
  /** A test account has $100.00 of test money, and its letters are not printed. */
  mode?: AccountMode;
  /** Language of the mails about the account. Default: by `Accept-Language`. */
  language?: Language;
};

export type RecoveredAccount = {
  /** Shown once. Keep it safe. */
  api_key: string;
  key_id: string;
  prefix: string;
  scope: KeyScope;
  account_id: string;
  mode: AccountMode;
  message: string;
  test: boolean;
  /** Keys that ended with the recovery, together with their UCANs. */
  ended_keys: string[];
  /** Settings from before that still apply. Remove what is not yours. */
  left: {
    /** Other keys that still work. */
    keys: string[];
    webhook_url: string | null;
    notification_email: string | null;
    audit_webhooks: {
      id: string;
      url: string;
    }[];
    /** The DID that acts for the account, if it has one. */
    did: string | null;
    /** The policy of the account (`account`), and those of keys and UCANs that name approvers. The approvers are in parentheses. */
    policies: string[];
  };
};

export type RecoverAccount = {
  token: string;
  /** Ids of the keys that stay, or `all`. Default: none. */
  keep_keys?: 'all' | string[];
  /** true removes all settings (webhook, notification address, audit webhooks, the account’s own DID, the policy of the account, and the approvers that other policies name), false removes none. Default: removes those that were set before the address was confirmed and that nobody kept. */
  reset_settings?: boolean;
};

export type JudgedKey = {
  id: string;
  prefix: string;
  label: string;
  scope: KeyScope;
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string;
  /** RFC 3339, UTC, with milliseconds. */
  last_used_at: string | null;
  /** False: the key can only read. */
  may_spend: boolean;
  /** The key is older than the confirmation, which ends it unless `keep` has its id. */
  undecided: boolean;
  /** Active UCANs that came from it. They end with it. */
  ucans: number;
  /** Active audit links that came from it, newest first. They end with it. Only the newest 100 links of the account are shown. */
  audit_links: ListedAuditLink[];
};

export type JudgedSetting = {
  /** Id for `keep`. If the value changes, so does the id. */
  id: string;
  kind: 'webhook' | 'notification_email' | 'audit_webhook' | 'did' | 'policy';
  /** The URL, the address, the DID, or what a policy applies to, with its approvers in parentheses. */
  value: string;
  /** The setting is older than the confirmation, which ends it unless `keep` has its id. */
  undecided: boolean;
};

export type EmailConfirmation = {
  account_id: string;
  mode: AccountMode;
  /** The own address of the account, the one of its notifications, or the one that it changes to. */
  address: 'registered' | 'notifications' | 'change';
  email: string;
  confirmed: boolean;
  /** The active keys of the account, oldest first; only for `registered`. */
  keys: JudgedKey[];
  /** Webhook, notification address, audit webhooks, the account’s own DID, the policy of the account, and policies that name approvers; only for `registered`. */
  settings: JudgedSetting[];
  webhook_url: string | null;
  audit_webhooks: string[];
};

export type PreviewConfirmation = {
  /** The token in the link. */
  token: string;
};

export type EmailConfirmed = {
  account_id: string;
  mode: AccountMode;
  /** The own address of the account, the one of its notifications, or the one that it changes to. */
  address: 'registered' | 'notifications' | 'change';
  email: string;
  confirmed: boolean;
  /** The active keys of the account, oldest first; only for `registered`. */
  keys: JudgedKey[];
  /** Webhook, notification address, audit webhooks, the account’s own DID, the policy of the account, and policies that name approvers; only for `registered`. */
  settings: JudgedSetting[];
  webhook_url: string | null;
  audit_webhooks: string[];
  /** Keys that ended with this request, together with their UCANs and audit links. */
  ended_keys: string[];
  /** Settings that this request removed. */
  ended_settings: JudgedSetting[];
  message: string;
};

export type ConfirmEmail = {
  /** The token in the link. */
  token: string;
  /** Ids of the keys and settings that are yours and stay, as the preview shows them, or `all`. If absent, nothing stays. */
  keep?: 'all' | string[];
  /** Keys and settings that end even if `keep` is `all`. */
  end?: string[];
  /** Ends all settings, whatever `keep` says. */
  reset_settings?: boolean;
};

export type Unsubscribed = {
  unsubscribed: true;
  message: string;
};

export type ChangedEmail = {
  /** The address that was asked for. */
  email: string;
  /** True: it is the address of the account already. */
  confirmed: boolean;
  /** RFC 3339, UTC, with milliseconds. */
  expires_at: string | null;
  message: string;
};

export type ChangeEmail = {
  email: string;
};

export type StoppedEmailChange = {
  account_id: string;
  /** The address that the account has again. */
  email: string;
  message: string;
};

export type StopEmailChange = {
  /** As the link has it. */
  token: string;
};

export type NewKey = {
  id: string;
  /** Shown once. Keep it safe. */
  api_key: string;
  prefix: string;
  label: string;
  scope: KeyScope;
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string;
  /** RFC 3339, UTC, with milliseconds. */
  expires_at: string | null;
  test: boolean;
};

export type CreateKey = {
  label: string;
  scope: KeyScope;
  /** RFC 3339, UTC, with milliseconds. */
  expires_at?: string;
};

export type RevokedKey = {
  id: string;
  /** RFC 3339, UTC, with milliseconds. */
  revoked_at: string;
  /** With revoke_issued: the keys that ended with it. */
  also_revoked?: string[];
};

export type RotatedKey = {
  id: string;
  /** Shown once. Keep it safe. */
  api_key: string;
  prefix: string;
  label: string;
  scope: KeyScope;
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string;
  /** RFC 3339, UTC, with milliseconds. */
  expires_at: string | null;
  test: boolean;
  /** Until then the old key can repeat this request under the same Idempotency-Key, in case the answer was lost. It works for nothing else. Null: it cannot repeat it. */
  repeatable_until: string | null;
};

export type RotateKey = {
  /** If true, the old key cannot even repeat this request. By default it can repeat it for 10 minutes, under the same Idempotency-Key, in case the answer was lost. */
  revoke_now?: boolean;
};

export type UpdateSettings = {
  /** An address that begins with https://. */
  webhook_url?: string | null;
  notification_email?: string | null;
  /** Language of the mails about the account. */
  language?: Language;
  /** Gives the webhook a new secret. */
  rotate_webhook_secret?: boolean;
};

export type ClosureBlocker = {
  code: 'letters_under_way' | 'approvals_pending' | 'payments_pending' | 'dispute_open' | 'contract_active' | 'balance_left' | 'balance_owed';
  /** What it is, and how to end it. */
  detail: string;
  /** How many; null for a balance. */
  count: number | null;
  /** In USD; null where it is no balance. */
  amount: number | null;
};

export type AccountClosure = {
  closure_id: string | null;
  /** `closing`: the account is erased at `erases_at`, or when the last blocker is gone. */
  status: 'none' | 'closing';
  /** RFC 3339, UTC, with milliseconds. */
  requested_at: string | null;
  /** RFC 3339, UTC, with milliseconds. */
  erases_at: string | null;
  /** True: what is left in the wallet is given up with the erasure. */
  forfeits_balance: boolean;
  /** What stands in the way of the erasure now. */
  blockers: ClosureBlocker[];
  /** What confirms a closure: the `code` that is mailed, or `confirm` with the id of the account. */
  proof: 'code' | 'confirm';
};

export type CloseAccount = {
  /** The code that was mailed. */
  code?: string;
  /** The id of the account, where it has no confirmed e-mail address. The refusal without it names the id. */
  confirm?: string;
  /** True: what is left in the wallet at the erasure is given up. Default: a balance stands in the way until it is spent or paid out. */
  forfeit_balance?: boolean;
};

export type CreateExport = {
  /** With the letters as PDF, as they are printed and as they were sent. Default: true. */
  documents?: boolean;
};

/** postage + print + commission = total. */
export type QuotedPrice = {
  /** USD. */
  postage: number;
  /** USD. */
  print: number;
  /** USD. */
  commission: number;
  /** USD. */
  total: number;
  currency: 'USD';
  discount?: Discount;
};

export type LocalPostage = {
  currency: string;
  /** The operator's charge, in its currency. */
  postage: number;
  /** USD per unit of that currency. */
  rate: string;
};

export type Finding = {
  code: 'not_a_pdf' | 'pdf_too_large' | 'pdf_damaged' | 'pdf_encrypted' | 'pdf_javascript' | 'pdf_embedded_files' | 'pdf_launch_action' | 'pdf_xfa' | 'pdf_hidden_layers' | 'pdf_user_unit' | 'pdf_too_complex' | 'no_pages' | 'too_many_pages' | 'page_size' | 'page_landscape' | 'mixed_page_sizes' | 'font_not_embedded' | 'ink_in_address_window' | 'ink_in_no_print_zone' | 'ink_outside_safe_area' | 'invisible_text_in_control_zone' | 'tiny_text_in_control_zone' | 'empty_page' | 'not_printed' | 'small_type' | 'image_shrunk' | 'fixed_element' | 'hidden_text' | 'address_mismatch';
  severity: 'error' | 'warning';
  /** From 1; null: the whole document. */
  page: number | null;
  /** The zone that must be free. */
  zone: string | null;
  box_mm: {
    /** mm */
    x: number;
    /** mm */
    y: number;
    /** mm */
    width: number;
    /** mm */
    height: number;
  } | null;
  move_mm: {
    /** mm */
    x: number;
    /** mm */
    y: number;
  } | null;
  hint: string;
};

export type Quote = {
  /** Send it with the letter; the letter then costs the quoted price. */
  quote_id: string;
  service: ServiceId;
  intent: IntentClass;
  content_type: ContentType | null;
  /** Business days from hand-over to domestic delivery. */
  sla_days: number;
  pages: number;
  sheets: number;
  /** USD. */
  postage: number;
  /** USD. */
  print: number;
  /** USD. */
  commission: number;
  /** USD. */
  total: number;
  currency: 'USD';
  discount?: Discount;
  price: Price;
  /** Which of the two prices the lines above show. */
  payment: 'fiat' | 'crypto';
  crypto: QuotedPrice;
  fiat: QuotedPrice;
  local: LocalPostage;
  pricing_version: string;
  /** RFC 3339, UTC, with milliseconds. */
  expires_at: string;
  warnings: Warning[];
  /** Findings of the preflight of a PDF, errors only if `auto_fix` removes them. For HTML: whether its type is small. */
  findings: Finding[];
  /** Page 1 as it would be printed with this service; other pages likewise, until the quote expires. Null for a quote by number of pages, and if the document could not be kept, for example above the quota of stored bytes. */
  preview_url: string | null;
  test: boolean;
};

export type LimitPeriod = 'letter' | 'hour' | 'day' | 'month' | 'rolling_24h' | 'total';

/** Either `amount` or `letters`, and a period. */
export type PolicyLimit = {
  /** USD, commission included. */
  amount?: number;
  letters?: number;
  /** `hour`, `day` and `month` are calendar periods in `time_zone`. `rolling_24h` is the last 24 hours, counted by whole hours: a letter counts for 24 to 25 hours. `total` never ends. `letter` limits the price of each letter. */
  per: LimitPeriod;
};

export type DecidingRule = {
  /** `account`, or the id of a key. */
  policy: string;
  /** Null: no rule of the policy allows the letter. */
  rule: string | null;
  limit?: PolicyLimit;
  /** USD or letters, as the limit counts. */
  used?: number;
  /** RFC 3339, UTC, with milliseconds. */
  resets_at?: string | null;
  /** Of a limit by hour, day or month: its periods begin in this zone. */
  time_zone?: string;
};

/** What a send would come to. Nothing was stored or charged. */
export type DryRun = {
  /** What the policies of the account and of the key decide. */
  outcome: 'allowed' | 'held' | 'denied';
  /** `allowed`: the rules that allow the letter; empty where no policy applies. `held`: the rules that let it wait for approval. `denied`: the rules that deny it. A send names the first of them. */
  rules: DecidingRule[];
  price: Price;
};

export type QuoteRequest = {
  to_country: CountryCode;
  to_name?: string;
  to_line1?: string;
  to_city?: string;
  to_postal_code?: string;
  to_company?: string;
  to_line2?: string;
  to_state?: string;
  from_name?: string;
  from_line1?: string;
  from_city?: string;
  from_postal_code?: string;
  from_country?: CountryCode;
  from_company?: string;
  from_line2?: string;
  from_state?: string;
  /** Plain text or HTML. In plain text, blank lines separate paragraphs, and tab stops are 8 digits apart. Markdown is not interpreted. At most 500000 bytes in UTF-8. HTML runs without scripts and network; its images are data URIs. */
  content?: string;
  /** The type of `content`. By default HTML if the content begins with a tag, a comment or a doctype, otherwise text. */
  content_type?: ContentType;
  /** https address of a PDF to print instead of content. The service fetches it once, now, and checks it: A4 (Letter to US and CA), embedded fonts, nothing in the address window and the margins. */
  document_url?: string;
  /** The PDF itself in base64, instead of content; checked like document_url. At most 10485760 bytes. In a form (multipart/form-data) send the PDF as a file. */
  document?: string;
  /** How the address gets onto a PDF. `stamp` (default): the service prints it onto the first page. `in_document`: the PDF already shows it in the window, as text that is legible on paper; the service reads it, compares it with `to_name`, `to_line1`, `to_postal_code` and `to_city`, and prints nothing onto the page. `insert_page`: the service adds a page in front with address, sender, date and reference. That page counts, and the first page of the document then needs no free address field. */
  address_placement?: AddressPlacement;
  /** Makes a PDF fit: scales or shifts its pages, or adds an address page in front, which counts as a page. Shrinks HTML that is slightly too wide. `warnings` list the changes. @default false */
  auto_fix?: boolean;
  /** By default the cheapest service of the country, or the cheapest that meets `intent`. */
  service?: ServiceId;
  /** What the letter is for. Default: `transactional`. `confidential`, `legal_compliance`, `regulatory_filing` and `time_critical` promise a deadline or a proof; a `service` sent with them must keep that promise. For the other two, `warnings` list what the service lacks. */
  intent?: IntentClass;
  /** @default false */
  color?: boolean;
  /** @default true */
  duplex?: boolean;
  send_date?: string;
  /** Language of the text that the service prints and mails, such as the date. Default: by the country of the sender. */
  language?: Language;
  /** The day in the date line, or false for no date. Default: the day of hand-over to the post. */
  date?: string | false;
  /** The `logo_id` of an uploaded logo (POST /api/logos), or a PNG or JPEG as data URI (data:image/png;base64,…) of at most 200000 bytes and 4000000 pixels. Printed at the top right of the first page, in at most 70 × 22 mm. */
  logo?: string;
  /** Small print at the foot of the first page, such as bank, register and contact. At most 4 lines. */
  footer?: string;
  reference?: string;
  /** Up to 20 key-value pairs of your own, by which you can filter lists of letters. */
  metadata?: { [key: string]: string };
  /** Check and keep the letter without sending it. @default false */
  draft?: boolean;
  /** If the wallet does not cover the price, keep the letter as a draft. @default false */
  hold_without_funds?: boolean;
  quote_id?: string;
  /** Id of an accepted offer. The letter costs the agreed price and uses one of its letters. */
  commitment_id?: string;
  /** The most that the letter may cost in all, in US dollars. Above it, the request is refused with `max_total_exceeded`. */
  max_total?: number;
  /** Turns errors in the format of an address into warnings. @default false */
  accept_address_as_is?: boolean;
  letter_id?: string;
  /** Only says the outcome. The answer has the decision of the policies and the price. Nothing is stored, held or charged, and an `Idempotency-Key` has no effect. @default false */
  dry_run?: boolean;
  /** To send instead of the content itself. */
  pages?: number;
};

export type SentLetter = {
  letter_id: string;
  status: LetterStatus;
  service: ServiceId;
  intent: IntentClass;
  /** Business days from hand-over to domestic delivery. */
  sla_days: number;
  content_type: ContentType | null;
  price: Price;
  message: string;
  pages: number;
  sheets: number;
  reference: string | null;
  hold_reason: HoldReason | null;
  /** Until then the letter can be cancelled for sure. The time stays when the letter is cancelled or fails: `abilities.cancel` says whether it can be cancelled now. Null for a draft. */
  cancellable_until: string | null;
  expected_delivery: DeliveryWindow;
  abilities: Abilities;
  warnings: Warning[];
  test: boolean;
};

export type ApprovalReason = {
  /** `account`, the id of a key, or `ucan:<cid>`. */
  policy: string;
  rule: string;
};

export type HeldLetter = {
  letter_id: string;
  status: LetterStatus;
  service: ServiceId;
  intent: IntentClass;
  /** Business days from hand-over to domestic delivery. */
  sla_days: number;
  content_type: ContentType | null;
  price: Price;
  message: string;
  pages: number;
  sheets: number;
  reference: string | null;
  hold_reason: HoldReason | null;
  /** Until then the letter can be cancelled for sure. The time stays when the letter is cancelled or fails: `abilities.cancel` says whether it can be cancelled now. Null for a draft. */
  cancellable_until: string | null;
  expected_delivery: DeliveryWindow;
  abilities: Abilities;
  warnings: Warning[];
  test: boolean;
  approval_id: string;
  /** A page that shows an approver what waits. The address alone shows nothing and decides nothing. */
  approval_url: string;
  /** RFC 3339, UTC, with milliseconds. */
  expires_at: string;
  /** The rules that hold the letter. */
  reasons: ApprovalReason[];
};

export type SendLetter = {
  to_name?: string;
  to_line1?: string;
  to_city?: string;
  to_postal_code?: string;
  to_country?: CountryCode;
  to_company?: string;
  to_line2?: string;
  to_state?: string;
  from_name?: string;
  from_line1?: string;
  from_city?: string;
  from_postal_code?: string;
  from_country?: CountryCode;
  from_company?: string;
  from_line2?: string;
  from_state?: string;
  /** Plain text or HTML. In plain text, blank lines separate paragraphs, and tab stops are 8 digits apart. Markdown is not interpreted. At most 500000 bytes in UTF-8. HTML runs without scripts and network; its images are data URIs. */
  content?: string;
  /** The type of `content`. By default HTML if the content begins with a tag, a comment or a doctype, otherwise text. */
  content_type?: ContentType;
  /** https address of a PDF to print instead of content. The service fetches it once, now, and checks it: A4 (Letter to US and CA), embedded fonts, nothing in the address window and the margins. */
  document_url?: string;
  /** The PDF itself in base64, instead of content; checked like document_url. At most 10485760 bytes. In a form (multipart/form-data) send the PDF as a file. */
  document?: string;
  /** How the address gets onto a PDF. `stamp` (default): the service prints it onto the first page. `in_document`: the PDF already shows it in the window, as text that is legible on paper; the service reads it, compares it with `to_name`, `to_line1`, `to_postal_code` and `to_city`, and prints nothing onto the page. `insert_page`: the service adds a page in front with address, sender, date and reference. That page counts, and the first page of the document then needs no free address field. */
  address_placement?: AddressPlacement;
  /** Makes a PDF fit: scales or shifts its pages, or adds an address page in front, which counts as a page. Shrinks HTML that is slightly too wide. `warnings` list the changes. @default false */
  auto_fix?: boolean;
  /** By default the cheapest service of the country, or the cheapest that meets `intent`. */
  service?: ServiceId;
  /** What the letter is for. Default: `transactional`. `confidential`, `legal_compliance`, `regulatory_filing` and `time_critical` promise a deadline or a proof; a `service` sent with them must keep that promise. For the other two, `warnings` list what the service lacks. */
  intent?: IntentClass;
  /** @default false */
  color?: boolean;
  /** @default true */
  duplex?: boolean;
  send_date?: string;
  /** Language of the text that the service prints and mails, such as the date. Default: by the country of the sender. */
  language?: Language;
  /** The day in the date line, or false for no date. Default: the day of hand-over to the post. */
  date?: string | false;
  /** The `logo_id` of an uploaded logo (POST /api/logos), or a PNG or JPEG as data URI (data:image/png;base64,…) of at most 200000 bytes and 4000000 pixels. Printed at the top right of the first page, in at most 70 × 22 mm. */
  logo?: string;
  /** Small print at the foot of the first page, such as bank, register and contact. At most 4 lines. */
  footer?: string;
  reference?: string;
  /** Up to 20 key-value pairs of your own, by which you can filter lists of letters. */
  metadata?: { [key: string]: string };
  /** Check and keep the letter without sending it. @default false */
  draft?: boolean;
  /** If the wallet does not cover the price, keep the letter as a draft. @default false */
  hold_without_funds?: boolean;
  quote_id?: string;
  /** Id of an accepted offer. The letter costs the agreed price and uses one of its letters. */
  commitment_id?: string;
  /** The most that the letter may cost in all, in US dollars. Above it, the request is refused with `max_total_exceeded`. */
  max_total?: number;
  /** Turns errors in the format of an address into warnings. @default false */
  accept_address_as_is?: boolean;
  letter_id?: string;
  /** Only says the outcome. The answer has the decision of the policies and the price. Nothing is stored, held or charged, and an `Idempotency-Key` has no effect. @default false */
  dry_run?: boolean;
};

export type UpdateLetter = {
  to_name?: string;
  to_line1?: string;
  to_city?: string;
  to_postal_code?: string;
  to_country?: CountryCode;
  to_company?: string | null;
  to_line2?: string | null;
  to_state?: string | null;
  reference?: string | null;
  /** Up to 20 key-value pairs of your own, by which you can filter lists of letters. */
  metadata?: { [key: string]: string } | null;
  /** @default false */
  accept_address_as_is?: boolean;
  /** The most that the letter may cost in all, in US dollars. Above it, the request is refused with `max_total_exceeded`. */
  max_total?: number;
};

export type DeletedLetter = {
  letter_id: string;
  deleted: true;
};

export type AdvanceLetter = {
  to?: 'processing' | 'posted' | 'in_transit' | 'delivered';
  event?: 'returned' | 'failed';
};

export type RefilledTestWallet = {
  /** USD. */
  added: number;
  available: number;
  test: true;
};

export type TrackingLink = {
  /** The link for the recipient. Null after it was revoked. */
  url: string | null;
  /** The last day on which it opens the page. */
  ends_on: string;
};

export type RevokedTrackingLink = {
  revoked: true;
};

export type Logo = {
  /** Send it as `logo` of a letter. */
  logo_id: string;
  media_type: 'image/png' | 'image/jpeg';
  bytes: number;
  /** Pixels. */
  width: number;
  /** Pixels. */
  height: number;
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string;
  /** When it is deleted, unless a letter or quote uses it before or you upload it again. Null: it stays until you delete it. */
  expires_at: string | null;
};

export type UploadLogo = {
  /** A PNG or JPEG as data URI (data:image/png;base64,…), at most 200000 bytes and 4000000 pixels. */
  logo: string;
};

export type Logos = {
  data: Logo[];
};

export type DeletedLogo = {
  logo_id: string;
  deleted: true;
};

export type RuleEffect = 'allow' | 'hold' | 'deny' | 'alert';

export type ContentKind = 'text' | 'html' | 'pdf';

/** The approvers of letters that hold rules match. No credential approves a letter that it sent, nor one of a credential that it comes from or that comes from it. */
export type PolicyApprovals = {
  /** How many approvers must approve a letter. Default: 1. */
  quorum?: 1 | 2;
  /** E-mail addresses and ids of keys. Empty: any key with scope full and without a policy, and the confirmed address of the account. */
  approvers?: string[];
  /** How long a letter waits. Default: 72. */
  expires_in_hours?: number;
};

export type Policy = {
  /** `account`, the id of the key, or `ucan:<cid>`. A key that replaces another keeps the policy of the first one, under its id. */
  policy: string;
  /** Send it as `If-Match` to change this version only. */
  version: number;
  /** IANA name. Calendar periods begin in this zone. */
  time_zone: string;
  rules: {
    /** At most 64 of A-Z, a-z, 0-9, `_`, `.` and `-`, unique within the policy; by default `rule-1`, `rule-2`, … A rule keeps what was used of its limit while its id and its period stay. */
    id: string;
    /** `allow`: letters that match are allowed, within the limit. `hold`: letters that match and are allowed wait for approval. `deny`: letters that match are denied, whatever other rules say. `alert`: letters that match, or that reach 50, 80 or 100 % of the limit, send a notification. */
    effect: RuleEffect;
    /** The letters that the rule is about: each member names values of which the letter has one. Absent: all letters. */
    when?: {
      countries?: CountryCode[];
      services?: ServiceId[];
      intents?: IntentClass[];
      content_types?: ContentKind[];
      /** True: recipients of an earlier letter of the account, by name and address, whose production began and whose personal data are not erased. False: all others. An allow rule takes true, hold and deny rules take false, an alert rule takes either. */
      known_recipient?: boolean;
      /** The letter costs more than this. USD, commission included. */
      price_above?: number;
      recipients?: string[];
    };
    limit?: PolicyLimit;
  }[];
  approvals?: PolicyApprovals;
};

export type ApprovalStatus = 'pending' | 'approved' | 'rejected' | 'expired' | 'superseded';

/** Null: the policy is deleted. */
export type RequestedPolicy = {
  /** IANA name. Calendar periods begin in this zone. */
  time_zone: string;
  rules: {
    /** At most 64 of A-Z, a-z, 0-9, `_`, `.` and `-`, unique within the policy; by default `rule-1`, `rule-2`, … A rule keeps what was used of its limit while its id and its period stay. */
    id: string;
    /** `allow`: letters that match are allowed, within the limit. `hold`: letters that match and are allowed wait for approval. `deny`: letters that match are denied, whatever other rules say. `alert`: letters that match, or that reach 50, 80 or 100 % of the limit, send a notification. */
    effect: RuleEffect;
    /** The letters that the rule is about: each member names values of which the letter has one. Absent: all letters. */
    when?: {
      countries?: CountryCode[];
      services?: ServiceId[];
      intents?: IntentClass[];
      content_types?: ContentKind[];
      /** True: recipients of an earlier letter of the account, by name and address, whose production began and whose personal data are not erased. False: all others. An allow rule takes true, hold and deny rules take false, an alert rule takes either. */
      known_recipient?: boolean;
      /** The letter costs more than this. USD, commission included. */
      price_above?: number;
      recipients?: string[];
    };
    limit?: PolicyLimit;
  }[];
  approvals?: PolicyApprovals;
};

export type PolicyChange = {
  approval_id: string;
  /** A page that shows an approver what waits. The address alone shows nothing and decides nothing. */
  approval_url: string;
  /** `superseded`: the letter was changed, cancelled, deleted or sent again, or the policy changed. */
  status: ApprovalStatus;
  /** `account`, the id of the key, or `ucan:<cid>`. A key that replaces another keeps the policy of the first one, under its id. */
  policy: string;
  /** The version of the policy that the change is for. 0: there was no policy. */
  base_version: number;
  /** A hash of exactly this change. */
  commitment: string;
  before: Policy | null;
  after: RequestedPolicy | null;
  /** Approvals that the change still waits for. */
  approvals_missing: number;
  /** The key or UCAN that asked for the change. Null: a wallet. */
  requested_by: string | null;
  /** The approvers that approved so far. */
  decided_by: string[];
  /** Why it was rejected, where the approver said so. */
  reason: string | null;
  /** RFC 3339, UTC, with milliseconds. */
  expires_at: string;
};

/** The approvers of letters that hold rules match. No credential approves a letter that it sent, nor one of a credential that it comes from or that comes from it. */
export type SetPolicyApprovals = {
  /** How many approvers must approve a letter. Default: 1. */
  quorum?: 1 | 2;
  /** E-mail addresses and ids of keys. Empty: any key with scope full and without a policy, and the confirmed address of the account. */
  approvers?: string[];
  /** How long a letter waits. Default: 72. */
  expires_in_hours?: number;
};

export type SetPolicy = {
  approvals?: SetPolicyApprovals;
  /** IANA name. Calendar periods begin in this zone. Default: the zone of the policy before, otherwise that of the policy of the account, otherwise UTC. */
  time_zone?: string;
  /** Ask for an approval where the caller cannot make the change: 202. Otherwise such a change answers 403. */
  request_approval?: boolean;
  rules: {
    /** At most 64 of A-Z, a-z, 0-9, `_`, `.` and `-`, unique within the policy; by default `rule-1`, `rule-2`, … A rule keeps what was used of its limit while its id and its period stay. */
    id?: string;
    /** `allow`: letters that match are allowed, within the limit. `hold`: letters that match and are allowed wait for approval. `deny`: letters that match are denied, whatever other rules say. `alert`: letters that match, or that reach 50, 80 or 100 % of the limit, send a notification. */
    effect: RuleEffect;
    /** The letters that the rule is about: each member names values of which the letter has one. Absent: all letters. */
    when?: {
      countries?: CountryCode[];
      services?: ServiceId[];
      intents?: IntentClass[];
      content_types?: ContentKind[];
      /** True: recipients of an earlier letter of the account, by name and address, whose production began and whose personal data are not erased. False: all others. An allow rule takes true, hold and deny rules take false, an alert rule takes either. */
      known_recipient?: boolean;
      /** The letter costs more than this. USD, commission included. */
      price_above?: number;
      /** Name and address of each recipient. Only a keyed digest of each is stored; an answer shows the digests, and they can be sent again. */
      recipients?: (RecipientAddress | string)[];
    };
    limit?: PolicyLimit;
  }[];
};

export type PolicyChanges = {
  data: PolicyChange[];
};

export type Budgets = {
  data: {
    /** `account`, the id of a key, or `ucan:<cid>`. */
    policy: string;
    rule: string;
    /** `allow`: letters beyond the limit are denied. `alert`: the limit only sends notifications, and letters beyond it are allowed. */
    effect: 'allow' | 'alert';
    limit: PolicyLimit;
    /** IANA name. Calendar periods begin in this zone. */
    time_zone: string;
    /** Of letters whose production began, and of letters that were cancelled where the limit counts letters. USD or letters. */
    used: number;
    /** Of letters that wait for their production. USD or letters. */
    reserved: number;
    /** USD for a limit of money; otherwise letters. */
    remaining: number;
    /** When the period ends; for `rolling_24h`, when the oldest hour stops counting. Null: never, or nothing is used. */
    resets_at: string | null;
  }[];
};

export type Freeze = {
  /** `account`, the id of a key, or `ucan:<cid>`. A key that replaces another is named by the id of the first one. */
  subject: string;
  frozen: boolean;
  /** Null: it is not frozen. */
  since: string | null;
};

export type FrozenList = {
  data: {
    /** `account`, the id of a key, or `ucan:<cid>`. A key that replaces another is named by the id of the first one. */
    subject: string;
    /** RFC 3339, UTC, with milliseconds. */
    since: string;
  }[];
};

export type FreezeUcan = {
  /** The CID of a UCAN, as the answer that issued it shows it: bafkrei…. */
  cid: string;
  token?: string;
  /** Further tokens of the chain that were not issued here. */
  proofs?: string[];
};

export type UnfreezeUcan = {
  /** The CID of a UCAN, as the answer that issued it shows it: bafkrei…. */
  cid: string;
};

export type Approval = {
  approval_id: string;
  letter_id: string;
  /** `superseded`: the letter was changed, cancelled, deleted or sent again, or the policy changed. */
  status: ApprovalStatus;
  /** A salted hash of what is approved: document, sender, recipient, service and price. */
  commitment: string;
  price: Price;
  /** The rules that hold the letter. */
  reasons: ApprovalReason[];
  /** The key or UCAN that sent the letter. Null: a wallet. */
  requested_by: string | null;
  decisions: {
    /** The id of a key, `ucan:<cid>`, `email`, or `operator`. */
    approver: string;
    decision: 'approve' | 'reject';
    /** RFC 3339, UTC, with milliseconds. */
    at: string;
  }[];
  /** Why it was rejected, where the approver said so. Only in the answer for one approval. */
  reason: string | null;
  /** RFC 3339, UTC, with milliseconds. */
  requested_at: string;
  /** RFC 3339, UTC, with milliseconds. */
  expires_at: string;
};

export type DecidedApproval = {
  approval_id: string;
  letter_id: string;
  /** `superseded`: the letter was changed, cancelled, deleted or sent again, or the policy changed. */
  status: ApprovalStatus;
  letter_status: LetterStatus;
  /** Approvals that the letter still waits for, by the policy that needs most. */
  approvals_missing: number;
};

export type DecideApproval = {
  /** The token in the link of the mail. */
  token: string;
  decision: 'approve' | 'reject';
  /** Of a rejection. */
  reason?: string;
  /** Default: by `Accept-Language`. */
  language?: Language;
};

export type TopUpRequest = {
  method: TopUpMethod;
  /** US dollars, whole cents. */
  amount: number;
  currency?: ChargeCurrency;
  /** usdc: the wallet that you transfer from; only a transfer from it counts. Leave it out if you do not know it (an exchange). */
  from_address?: string;
  /** usdc: answer 402, so that an x402 client pays in the same call. */
  pay_now?: boolean;
};

export type PlacedOrder = {
  order_id: string;
  letter_id: string;
  /** `paid`: the letter is about to be queued, or waits for approval. `queued`: the letter was sent with the money; the order's `letter_status` shows its progress. `credited`: the order was paid but the letter was not sent; the money is in the account's wallet. */
  status: 'awaiting_payment' | 'paid' | 'queued' | 'credited' | 'expired';
  /** The page where the payer pays; null when it is closed. */
  checkout_url: string | null;
  /** The charge to the card. */
  amount: number;
  currency: ChargeCurrency;
  /** RFC 3339, UTC, with milliseconds. */
  expires_at: string;
};

export type OrderRequest = {
  to_name: string;
  to_line1: string;
  to_city: string;
  to_postal_code: string;
  to_country: CountryCode;
  to_company?: string;
  to_line2?: string;
  to_state?: string;
  from_name: string;
  from_line1: string;
  from_city: string;
  from_postal_code: string;
  from_country: CountryCode;
  from_company?: string;
  from_line2?: string;
  from_state?: string;
  /** Plain text or HTML. In plain text, blank lines separate paragraphs, and tab stops are 8 digits apart. Markdown is not interpreted. At most 500000 bytes in UTF-8. HTML runs without scripts and network; its images are data URIs. */
  content?: string;
  /** The type of `content`. By default HTML if the content begins with a tag, a comment or a doctype, otherwise text. */
  content_type?: ContentType;
  /** https address of a PDF to print instead of content. The service fetches it once, now, and checks it: A4 (Letter to US and CA), embedded fonts, nothing in the address window and the margins. */
  document_url?: string;
  /** The PDF itself in base64, instead of content; checked like document_url. At most 10485760 bytes. In a form (multipart/form-data) send the PDF as a file. */
  document?: string;
  /** How the address gets onto a PDF. `stamp` (default): the service prints it onto the first page. `in_document`: the PDF already shows it in the window, as text that is legible on paper; the service reads it, compares it with `to_name`, `to_line1`, `to_postal_code` and `to_city`, and prints nothing onto the page. `insert_page`: the service adds a page in front with address, sender, date and reference. That page counts, and the first page of the document then needs no free address field. */
  address_placement?: AddressPlacement;
  /** Makes a PDF fit: scales or shifts its pages, or adds an address page in front, which counts as a page. Shrinks HTML that is slightly too wide. `warnings` list the changes. @default false */
  auto_fix?: boolean;
  /** By default the cheapest service of the country, or the cheapest that meets `intent`. */
  service?: ServiceId;
  /** What the letter is for. Default: `transactional`. `confidential`, `legal_compliance`, `regulatory_filing` and `time_critical` promise a deadline or a proof; a `service` sent with them must keep that promise. For the other two, `warnings` list what the service lacks. */
  intent?: IntentClass;
  /** @default false */
  color?: boolean;
  /** @default true */
  duplex?: boolean;
  send_date?: string;
  /** Language of the text that the service prints and mails, such as the date. Default: by the country of the sender. */
  language?: Language;
  /** The day in the date line, or false for no date. Default: the day of hand-over to the post. */
  date?: string | false;
  /** The `logo_id` of an uploaded logo (POST /api/logos), or a PNG or JPEG as data URI (data:image/png;base64,…) of at most 200000 bytes and 4000000 pixels. Printed at the top right of the first page, in at most 70 × 22 mm. */
  logo?: string;
  /** Small print at the foot of the first page, such as bank, register and contact. At most 4 lines. */
  footer?: string;
  reference?: string;
  /** Up to 20 key-value pairs of your own, by which you can filter lists of letters. */
  metadata?: { [key: string]: string };
  quote_id?: string;
  /** The most that the letter may cost in all, in US dollars. Above it, the request is refused with `max_total_exceeded`. */
  max_total?: number;
  /** Turns errors in the format of an address into warnings. @default false */
  accept_address_as_is?: boolean;
  /** E-mail address of the payer, for confirmations. */
  email: string;
  /** Currency of the charge. Default: USD. */
  currency?: ChargeCurrency;
};

export type OfferTier = {
  tier: OfferTierName;
  service: ServiceId;
  service_name: string;
  operator: string;
  /** Business days from hand-over, by the operator's standard. */
  sla_days: number;
  /** Whether the operator guarantees them. */
  guaranteed: boolean;
  tracking: TrackingClass;
  /** The strongest proof that the service gives. */
  proof: ProofLevel;
  /** Whether it meets the SLA and the proof of the intent class. */
  meets_intent: boolean;
  expected_delivery: {
    earliest: string;
    latest: string;
  };
  pages: number;
  sheets: number;
  local: LocalPostage;
  fiat: {
    /** USD. */
    postage: number;
    /** USD. */
    printing: number;
    /** Surcharge of the intent class, and commission. */
    handling: number;
    /** The commission in `handling`. */
    commission: number;
    commission_rate: number;
    /** For one letter: postage + printing + handling. */
    total: number;
    /** `total` times `quantity`. */
    quantity_total: number;
    currency: 'USD' | 'USDC';
    discount?: Discount;
  };
  crypto: {
    /** USD. */
    postage: number;
    /** USD. */
    printing: number;
    /** Surcharge of the intent class, and commission. */
    handling: number;
    /** The commission in `handling`. */
    commission: number;
    commission_rate: number;
    /** For one letter: postage + printing + handling. */
    total: number;
    /** `total` times `quantity`. */
    quantity_total: number;
    currency: 'USD' | 'USDC';
    discount?: Discount;
    /** How to pay for one letter by x402, if it is configured. */
    x402?: {
      network: string;
      asset: string;
      /** In the smallest unit of the asset. */
      amount: string;
      payTo: string;
    };
  };
  /** By the weights of the class (GET /api/anp/intent-classes), 0 to 1. */
  score: number;
  /** 1 is the best score. */
  rank: number;
  /** How it differs from the other tiers, and what it lacks for the class. */
  difference: string;
};

/** The request, without personal data. */
export type RequestOfOffer = {
  intent: IntentClass;
  to_country: CountryCode;
  quantity: number;
  pages: number | null;
  color: boolean;
  duplex: boolean;
  service: ServiceId | null;
  send_date: string | null;
};

export type Offer = {
  offer_id: string;
  /** Premium, standard and economy. */
  tiers: OfferTier[];
  recommended: OfferTierName;
  recommended_because: string[];
  /** RFC 3339, UTC, with milliseconds. */
  expires_at: string;
  /** DID of the service. */
  iss: string;
  /** The only account that may accept it. Null: the first account that accepts it. */
  account_id: string | null;
  test: boolean;
  intent: IntentClass;
  /** Requirements of the class. */
  sla_days: number;
  proof_level: ProofLevel;
  request: RequestOfOffer;
  /** SHA-256 of `request` in canonical form (RFC 8785), base64url. */
  request_hash: string;
  quantity: number;
  terms: {
    /** An offer can be accepted once. */
    max_uses: 1;
    /** How long the accepted price is valid. */
    commitment_hours: number;
  };
  pricing_version: string;
  /** RFC 3339, UTC, with milliseconds. */
  issued_at: string;
  /** 128 random bits. */
  jti: string;
  /** SHA-256 of the offer without `offer_hash` and `jws` in canonical form (RFC 8785), base64url. */
  offer_hash: string;
  /** Compact JWS (EdDSA) by the service; its payload is the offer without `jws` in canonical form. */
  jws: string;
};

export type OfferRequest = {
  /** What the letter is for. GET /api/anp/intent-classes lists the classes. */
  intent: IntentClass;
  /** How many such letters the price covers. @default 1 */
  quantity?: number;
  to_country: CountryCode;
  to_name?: string;
  to_line1?: string;
  to_city?: string;
  to_postal_code?: string;
  to_company?: string;
  to_line2?: string;
  to_state?: string;
  from_name?: string;
  from_line1?: string;
  from_city?: string;
  from_postal_code?: string;
  from_country?: CountryCode;
  from_company?: string;
  from_line2?: string;
  from_state?: string;
  /** Plain text or HTML. In plain text, blank lines separate paragraphs, and tab stops are 8 digits apart. Markdown is not interpreted. At most 500000 bytes in UTF-8. HTML runs without scripts and network; its images are data URIs. */
  content?: string;
  /** The type of `content`. By default HTML if the content begins with a tag, a comment or a doctype, otherwise text. */
  content_type?: ContentType;
  /** https address of a PDF to print instead of content. The service fetches it once, now, and checks it: A4 (Letter to US and CA), embedded fonts, nothing in the address window and the margins. */
  document_url?: string;
  /** The PDF itself in base64, instead of content; checked like document_url. At most 10485760 bytes. In a form (multipart/form-data) send the PDF as a file. */
  document?: string;
  /** How the address gets onto a PDF. `stamp` (default): the service prints it onto the first page. `in_document`: the PDF already shows it in the window, as text that is legible on paper; the service reads it, compares it with `to_name`, `to_line1`, `to_postal_code` and `to_city`, and prints nothing onto the page. `insert_page`: the service adds a page in front with address, sender, date and reference. That page counts, and the first page of the document then needs no free address field. */
  address_placement?: AddressPlacement;
  /** Makes a PDF fit: scales or shifts its pages, or adds an address page in front, which counts as a page. Shrinks HTML that is slightly too wide. `warnings` list the changes. @default false */
  auto_fix?: boolean;
  /** By default the cheapest service of the country, or the cheapest that meets `intent`. */
  service?: ServiceId;
  /** @default false */
  color?: boolean;
  /** @default true */
  duplex?: boolean;
  send_date?: string;
  /** Language of the text that the service prints and mails, such as the date. Default: by the country of the sender. */
  language?: Language;
  /** The day in the date line, or false for no date. Default: the day of hand-over to the post. */
  date?: string | false;
  /** The `logo_id` of an uploaded logo (POST /api/logos), or a PNG or JPEG as data URI (data:image/png;base64,…) of at most 200000 bytes and 4000000 pixels. Printed at the top right of the first page, in at most 70 × 22 mm. */
  logo?: string;
  /** Small print at the foot of the first page, such as bank, register and contact. At most 4 lines. */
  footer?: string;
  reference?: string;
  /** Up to 20 key-value pairs of your own, by which you can filter lists of letters. */
  metadata?: { [key: string]: string };
  /** Check and keep the letter without sending it. @default false */
  draft?: boolean;
  /** If the wallet does not cover the price, keep the letter as a draft. @default false */
  hold_without_funds?: boolean;
  /** The most that the letter may cost in all, in US dollars. Above it, the request is refused with `max_total_exceeded`. */
  max_total?: number;
  /** Turns errors in the format of an address into warnings. @default false */
  accept_address_as_is?: boolean;
  /** Only says the outcome. The answer has the decision of the policies and the price. Nothing is stored, held or charged, and an `Idempotency-Key` has no effect. @default false */
  dry_run?: boolean;
  /** To send instead of the content itself. */
  pages?: number;
};

export type AcceptOffer = {
  offer_id?: string;
  /** The offer exactly as you received it, or its `jws`. Send it instead of `offer_id`, or with it to prove what the offer said. */
  offer?: { [key: string]: unknown } | string;
  tier: OfferTierName;
  /** The money that pays: money in the wallet that came as cryptocurrency (or x402), or other money. */
  payment_method?: 'fiat' | 'crypto';
  /** The version of the offer that you accept. Any other version is refused. */
  offer_hash?: string;
};

export type CreateContract = {
  /** The number of letters that you will send in each period. */
  committed_units: number;
  period: 'month' | 'quarter' | 'year';
  /** The number of consecutive periods. Each is counted and settled separately. @default 1 */
  period_count?: number;
  /** A day (from its beginning in `time_zone`) or a time with its offset, within a year. Default: now. */
  starts_at?: string;
  /** The time zone whose calendar ends the periods, such as `Europe/Berlin`. @default "UTC" */
  time_zone?: string;
};

export type EndedPeriod = {
  contract_id: string;
  ended_period: number;
  message: string;
};

export type ReplayedNotification = {
  id: string;
  message: string;
};

export type AuditWebhook = {
  id: string;
  url: string;
  events: string[] | null;
  /** null: every letter. */
  letter_id: string | null;
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string;
  /** disabled: it answered 410, or every attempt in five days failed; register it again. ended: the key or UCAN that registered it has ended. */
  state: 'active' | 'disabled' | 'ended';
  disabled_reason: WebhookDisabledReason | null;
  /** RFC 3339, UTC, with milliseconds. */
  disabled_at: string | null;
  /** The current public key to verify the v1a signature: whpk_ and an Ed25519 key in base64. After a rotation, the previous key also signs for 7 days. */
  public_key: string;
};

export type NewAuditWebhook = {
  id: string;
  url: string;
  events: string[] | null;
  /** null: every letter. */
  letter_id: string | null;
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string;
  /** disabled: it answered 410, or every attempt in five days failed; register it again. ended: the key or UCAN that registered it has ended. */
  state: 'active' | 'disabled' | 'ended';
  disabled_reason: WebhookDisabledReason | null;
  /** RFC 3339, UTC, with milliseconds. */
  disabled_at: string | null;
  /** The current public key to verify the v1a signature: whpk_ and an Ed25519 key in base64. After a rotation, the previous key also signs for 7 days. */
  public_key: string;
  /** The secret that signs the webhooks (v1). Shown once. */
  secret: string;
};

export type SubscribeAudit = {
  /** An address that begins with https://. */
  url: string;
  events?: ('letter.drafted' | 'letter.queued' | 'letter.updated' | 'letter.send_abandoned' | 'letter.approval_requested' | 'letter.approval_given' | 'letter.approval_rejected' | 'letter.approval_expired' | 'letter.processing_started' | 'letter.print_job_accepted' | 'letter.posted' | 'letter.in_transit' | 'letter.delivered' | 'letter.returned' | 'letter.tracking_number_assigned' | 'letter.cancellation_requested' | 'letter.cancellation_rejected' | 'letter.cancelled' | 'letter.failed' | 'letter.erased')[];
  letter_id?: string;
};

export type AuditWebhooks = {
  data: AuditWebhook[];
};

export type RemovedAuditWebhooks = {
  removed: string[];
};

export type UnsubscribeAudit = {
  id?: string;
  /** An address that begins with https://. */
  url?: string;
};

export type AuditDelivery = {
  /** Also used as the webhook-id. */
  event_id: string;
  letter_id: string | null;
  /** Kind of event, such as letter.posted. */
  type: string;
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string;
  state: 'pending' | 'delivered' | 'failed' | 'cancelled';
  /** RFC 3339, UTC, with milliseconds. */
  next_attempt_at: string | null;
  /** Oldest first. Of many, the latest 50. */
  attempts: {
    /** RFC 3339, UTC, with milliseconds. */
    at: string;
    /** HTTP status of the answer. */
    status: number | null;
    /** The error, if there was no answer. */
    error: string | null;
    duration_ms: number;
  }[];
};

export type AuditMessage = {
  event_id: string;
  /** Kind of event, such as letter.posted. */
  type: string;
  headers: {
    'content-type': string;
    'webhook-id': string;
  };
  /** JSON, as the signatures cover it. Null until the first attempt: it decides which proof of inclusion the body has. */
  body: string | null;
};

export type ReplayedDelivery = {
  event_id: string;
  replayed: true;
};

export type ReplayedEvents = {
  /** How many events are delivered again. */
  replayed: number;
  /** Everything up to this log index is done. Null: no credential follows. */
  last_index: number | null;
  /** Whether more can follow: send `last_index` as `after_index`. */
  has_more: boolean;
};

export type ReplayAuditEvents = {
  /** The `logIndex` of the last credential that you have: events whose credentials follow are delivered again. */
  after_index?: number;
  /** Only events that happened at this time or later are delivered again. */
  since?: string;
};

export type CallerDid = {
  did: string;
  /** The DID document. */
  document: { [key: string]: unknown };
  /** Whether this request created or set it. */
  created: boolean;
  /** The keeper of its private key. */
  custody: 'service' | 'self';
};

export type DidChallenge = {
  did: string;
  /** The text to sign, unchanged. */
  challenge: string;
  /** RFC 3339, UTC, with milliseconds. */
  expires_at: string;
};

export type SetDid = {
  /** Your DID, such as did:key:z6Mk…. */
  did?: string;
  challenge?: string;
  /** Over the bytes of `challenge`: base64url, or for did:pkh a personal_sign signature (EIP-191), 0x…. */
  signature?: string;
};

export type Presentation = {
  /** The Verifiable Presentation (JWT). */
  presentation: string;
  /** Whether it contains the challenge of a verifier. */
  bound: boolean;
  /** RFC 3339, UTC, with milliseconds. */
  expires_at: string;
  warnings: {
    code: string;
    detail: string;
  }[];
};

export type Present = {
  credentials?: string[];
  credential_ids?: string[];
  /** The challenge from the verifier. */
  challenge?: string;
  /** The domain of the verifier. */
  domain?: string;
};

export type NewAuditLink = {
  /** Id of the link in lists and for its revocation. */
  id: string;
  url: string;
  /** RFC 3339, UTC, with milliseconds. */
  expires_at: string;
};

export type CreateAuditLink = {
  /** In seconds. The link never outlives the credential that makes it. @default 2592000 */
  expires_in?: number;
};

export type AuditLinks = {
  data: {
    /** Id of the link in lists and for its revocation. */
    id: string;
    /** RFC 3339, UTC, with milliseconds. */
    created_at: string;
    /** RFC 3339, UTC, with milliseconds. */
    expires_at: string;
  }[];
};

export type RevokedAuditLink = {
  /** Id of the link in lists and for its revocation. */
  id: string;
  revoked: true;
  /** RFC 3339, UTC, with milliseconds. */
  revoked_at: string;
};

export type ConsoleLink = {
  /** Give it to one person. It is a secret until it is used. */
  url: string;
  /** RFC 3339, UTC, with milliseconds. */
  expires_at: string;
};

export type CreateConsoleLink = {
  /** The session may look and do nothing else. Default: false. */
  read_only?: boolean;
  /** Seconds in which the link must be used. Default: 600. The session lasts longer. */
  expires_in?: number;
};

export type MechEnvelope = {
  success: boolean;
  /** The result of the action; null on failure. */
  data: { [key: string]: unknown } | null;
  error: {
    /** A stable code. GET /errors/{code} explains it. */
    code: string;
    /** The same for every occurrence of the code. */
    message: string;
    /** One sentence that says what to do. */
    detail: string;
    errors?: {
      pointer: string;
      code: string;
      detail: string;
      hint?: string;
    }[];
  } | null;
  /** The id of the request, or one made for it. */
  request_id: string;
  /** In xDAI; 0 on failure. */
  price_paid_wei: number;
  price_paid_human: string;
};

export type MechExecute = {
  /** The tool, `service_send_letter`. */
  tool: string;
  /** `action` and its fields, as an object or as JSON text. */
  params: { [key: string]: unknown } | string;
  /** 1 to 128 visible ASCII characters: an id of the marketplace, in hex or in decimal digits, or your own. Each id is carried out once: repeating it repeats the same request. Required for paid actions, except in test mode. */
  request_id?: string;
};

export type StatusMessage = {
  /** What happened, such as `letter.posted`. Ignore types that you do not know. */
  type: string;
  /** RFC 3339, UTC, with milliseconds. */
  timestamp: string;
  data: {
    notification_id: string;
    letter_id: string | null;
    status: LetterStatus | null;
    /** Of the types `approval.…` and `policy_change.…`. */
    approval_id?: string;
    /** The page of the approval, without the token of an approver. */
    approval_url?: string;
    /** Whether the account is a test account. */
    test: boolean;
  };
};

export type CredentialMessage = {
  /** `letter.event.credential`, or `webhook.test`. */
  type: string;
  /** RFC 3339, UTC, with milliseconds. */
  timestamp: string;
  data: {
    letter_id: string | null;
    event_id: string;
    /** Position of the event in its stream. */
    sequence: number;
    status: LetterStatus | null;
    /** The Verifiable Credential of the event (JWT). */
    credential: string;
    /** Text of C2SP tlog-proof. Null if no checkpoint covers the credential yet. */
    inclusion_proof: string | null;
    /** Names the log. It changes when the service is restored from a backup. */
    log_id: string;
  };
};

export type Problem = {
  type: string;
  /** The same for every occurrence of the code. */
  title: string;
  status: number;
  /** One sentence that says what to do. */
  detail: string;
  /** The path of the request. */
  instance: string;
  code: 'invalid_json' | 'invalid_form' | 'duplicate_name' | 'invalid_encoding' | 'invalid_header' | 'payment_malformed' | 'invalid_did' | 'invalid_did_url' | 'authentication_required' | 'sign_in_invalid' | 'invalid_api_key' | 'partner_signature_invalid' | 'webhook_signature_invalid' | 'ucan_invalid' | 'missing_proofs' | 'payment_required' | 'payment_invalid' | 'insufficient_funds' | 'max_total_exceeded' | 'scope_insufficient' | 'caveat_not_met' | 'policy_denied' | 'approval_required' | 'approver_is_requester' | 'approver_not_allowed' | 'frozen' | 'account_closing' | 'closure_code_required' | 'policy_protected' | 'delegation_escalates' | 'revocation_not_allowed' | 'test_mode_only' | 'account_blocked' | 'key_unconfirmed' | 'mech_proof_needed' | 'registration_closed' | 'offer_not_yours' | 'not_found' | 'topup_not_found' | 'policy_not_found' | 'contract_not_found' | 'mech_disabled' | 'order_not_found' | 'offer_not_found' | 'commitment_not_found' | 'profile_not_found' | 'approval_not_found' | 'letter_not_found' | 'credential_not_found' | 'logo_not_found' | 'audit_link_not_found' | 'key_not_found' | 'job_not_found' | 'ucan_not_found' | 'notification_not_found' | 'export_not_found' | 'closure_not_found' | 'account_not_found' | 'country_not_supported' | 'did_not_found' | 'method_not_allowed' | 'not_acceptable' | 'idempotency_in_progress' | 'payment_already_used' | 'payment_pending' | 'payment_not_taken' | 'mech_request_reused' | 'email_registered' | 'agent_registered' | 'contract_over' | 'contract_needs_history' | 'contract_overlaps' | 'export_in_progress' | 'export_not_ready' | 'last_full_key' | 'freeze_limit_reached' | 'policy_limit_reached' | 'key_limit_reached' | 'email_not_set' | 'webhook_not_set' | 'subscription_limit_reached' | 'topup_limit_reached' | 'logo_limit_reached' | 'audit_link_limit_reached' | 'key_revoked' | 'did_self_custody' | 'recovery_token_used' | 'letter_not_cancellable' | 'letter_not_updatable' | 'letter_not_deletable' | 'letter_not_sendable' | 'approval_pending' | 'approval_over' | 'letter_not_advanceable' | 'offer_already_accepted' | 'commitment_consumed' | 'commitment_mismatch' | 'commitment_payment_mismatch' | 'offer_expired' | 'commitment_expired' | 'letter_deleted' | 'did_deactivated' | 'secret_not_repeated' | 'conflict' | 'version_mismatch' | 'request_timeout' | 'body_too_large' | 'unsupported_media_type' | 'validation_failed' | 'address_invalid' | 'service_not_available' | 'content_not_printable' | 'too_many_pages' | 'offer_invalid' | 'quote_invalid' | 'quote_expired' | 'quote_mismatch' | 'idempotency_key_reused' | 'url_not_allowed' | 'document_not_supported' | 'recovery_token_invalid' | 'recovery_token_expired' | 'closure_code_invalid' | 'confirmation_invalid' | 'confirmation_expired' | 'position_beyond_log' | 'invalid_cursor' | 'statement_too_long' | 'audit_too_long' | 'did_challenge_invalid' | 'did_control_not_proved' | 'delegation_invalid' | 'event_too_large' | 'rate_limited' | 'mech_cap_reached' | 'quota_exceeded' | 'internal_error' | 'payment_method_unavailable' | 'did_not_supported' | 'did_document_invalid' | 'payment_unavailable' | 'mech_unavailable' | 'exchange_rate_stale' | 'overloaded' | 'html_unavailable' | 'store_unavailable' | 'storage_full' | 'read_model_behind';
  request_id: string;
  errors?: {
    /** RFC 6901; `/query/…` for query parameters. */
    pointer: string;
    code: string;
    detail: string;
    hint?: string;
  }[];
};
