# Made from the OpenAPI document; RECORD_CLIENTS=1 makes it anew.
"""What the service takes and answers."""

from __future__ import annotations

from typing import Any, Literal, TypedDict


class ErrorInfo(TypedDict):
    code: str
    status: int
    # The meaning of the error.
    title: str
    # What the caller can do.
    way_out: str
    # The title in problem documents.
    type: str
    # The operations that can answer it.
    operations: list[ErrorInfoOperations]


class ErrorInfoOperations(TypedDict):
    name: str
    method: str
    path: str
    summary: str


class ErrorList(TypedDict):
    data: list[ErrorInfo]


class _ReadModelStatus(TypedDict):
    name: str
    state: ReadModelStatusState
    position: str
    # Events behind the head of the log (positions, if they have gaps).
    lag: str


class ReadModelStatus(_ReadModelStatus, total=False):
    # Seconds since the oldest event happened that is not shown yet.
    lag_seconds: int
    # RFC 3339, UTC, with milliseconds.
    since: str
    error: str


ReadModelStatusState = Literal["running", "standing-by", "rebuilding", "halted", "stuck"]


class _ReactorStatus(TypedDict):
    name: str
    state: ReactorStatusState
    position: str
    # As of projections.
    lag: str
    # Failures that are tried again.
    failing: int
    # Streams that were put aside because only a newer version of the service can read an event, or because what follows from an event is refused.
    parked: int


class ReactorStatus(_ReactorStatus, total=False):
    # Seconds since the oldest unprocessed event happened.
    lag_seconds: int
    # RFC 3339, UTC, with milliseconds.
    since: str
    # Why it does not advance, or why one of the failing or parked reactions fails.
    error: str


ReactorStatusState = Literal["running", "standing-by", "stuck"]


class _Health(TypedDict):
    status: HealthStatus
    # RFC 3339, UTC, with milliseconds.
    timestamp: str
    projections: list[ReadModelStatus]
    reactors: list[ReactorStatus]
    # Reactors that no process of the service runs.
    unowned: list[str]


class Health(_Health, total=False):
    # The state of the systems that the service talks to.
    parts: list[HealthParts]


HealthStatus = Literal["ok", "degraded"]


class _HealthParts(TypedDict):
    name: str
    status: HealthPartsStatus


class HealthParts(_HealthParts, total=False):
    # RFC 3339, UTC, with milliseconds.
    since: str
    detail: str


HealthPartsStatus = HealthStatus


class Ready(TypedDict):
    ready: bool
    log_position: str
    projections: list[ReadModelStatus]
    # As of health.
    unowned: list[str]


KeyScope = Literal["full", "send", "read"]


class MadeThings(TypedDict):
    """How much it made so far, with things that were deleted or have ended."""

    # Letters that it sent without a draft. GET /api/letters?made_by= lists them.
    letters: int
    # Drafts, also those that were sent later.
    drafts: int
    # Keys, without those that replaced another.
    keys: int
    ucans: int
    # Volume contracts.
    contracts: int


class ListedUcan(TypedDict):
    # CIDv1 of the encoded token, bafkrei….
    cid: str
    kind: ListedUcanKind
    # A DID.
    issuer: str
    # A DID.
    audience: str
    scope: KeyScope | None
    # Resource → ability → caveats, as in the field `cap` of the token.
    capabilities: dict[str, dict[str, list[dict[str, Any]]]]
    # RFC 3339, UTC, with milliseconds.
    issued_at: str
    # RFC 3339, UTC, with milliseconds.
    expires_at: str | None
    made: MadeThings


ListedUcanKind = Literal["root", "delegation"]


class Scopes(TypedDict):
    scopes: list[ScopesScopes]


class ScopesScopes(TypedDict):
    scope: KeyScope
    description: str


class Key(TypedDict):
    id: str
    prefix: str
    label: str
    scope: KeyScope
    # RFC 3339, UTC, with milliseconds.
    created_at: str
    # RFC 3339, UTC, with milliseconds.
    last_used_at: str | None
    # RFC 3339, UTC, with milliseconds.
    expires_at: str | None
    # Under this id GET /api/budgets lists the limits of the key: its own id, or that of the first key in a chain of rotations.
    policy: str
    made: MadeThings


class Keys(TypedDict):
    data: list[Key]


class Transaction(TypedDict):
    id: str
    type: TransactionType
    # Change of the available balance, USD.
    amount: float
    # Available balance after it, USD.
    balance_after: float
    letter_id: str | None
    # Your reference, or the reason of a change without a letter: `shortfall <contract>-<period>`, or `order <order_id>`.
    reference: str | None
    # RFC 3339, UTC, with milliseconds.
    created_at: str


TransactionType = Literal["credit", "charge_back", "hold", "release", "refund"]


class StorageUse(TypedDict):
    # Stored documents and logos, in bytes.
    used_bytes: int
    # Their limit, in bytes.
    quota_bytes: int


class _Balance(TypedDict):
    # Id of your account. UCANs name it as `letters://<account_id>/`.
    account_id: str
    # available + held, USD.
    balance: float
    # USD.
    available: float
    # Reserved for letters that are not in production yet, USD.
    held: float
    # The parts of `held`. Their amounts add up to it.
    held_for: list[BalanceHeldFor]
    currency: Literal["USD"]
    funding: BalanceFunding
    # The last 10, newest first.
    transactions: list[Transaction]
    storage: StorageUse
    test: bool


class Balance(_Balance, total=False):
    # For the account of a payer (x402): the wallet it belongs to.
    payer: str


class BalanceHeldFor(TypedDict):
    # letters: before production; approvals: letters that wait for approval; offers: letters before production at the price of an accepted offer; orders: paid, and their letters are not sent yet; contracts: charges of volume contracts.
    what: BalanceHeldForWhat
    count: int
    # USD.
    amount: float


BalanceHeldForWhat = Literal["letters", "approvals", "offers", "orders", "contracts"]


class BalanceFunding(TypedDict):
    # Part of the balance paid in crypto: 2.5 % commission.
    crypto: float
    # Part of the balance paid in fiat: 5 % commission.
    fiat: float


Language = Literal["de", "fr", "en"]
WebhookDisabledReason = Literal["gone", "failing"]


class _Settings(TypedDict):
    webhook_url: str | None
    notification_email: str | None


class Settings(_Settings, total=False):
    # Whether the address gets mail. Absent without an address, or if the service cannot send mail.
    notification_email_confirmed: bool
    # Language of the mails about the account. Absent: none was chosen, and mails are in English. Letters have their own language.
    language: Language
    # Why the webhook is disabled: it answered 410, or every attempt in five days failed. Absent while it is active. Set webhook_url again to resume.
    webhook_disabled: WebhookDisabledReason
    # The secret that signs webhooks (Standard Webhooks). Shown once, when it is new.
    webhook_secret: str


class DayStatistics(TypedDict):
    # A day, as `2026-01-31`.
    day: str
    # Letters that were accepted. A letter that is cancelled later still counts.
    letters: int
    # USD: money that was reserved, less money that was released or refunded on the same day. Negative if more came back than was spent.
    spent: float


Statistics = TypedDict(
    "Statistics",
    {
        # A day, as `2026-01-31`.
        "from": "str",
        # A day, as `2026-01-31`.
        "to": "str",
        # The time zone of the days.
        "time_zone": "Literal[\"UTC\"]",
        # Letters that were accepted. A letter that is cancelled later still counts.
        "letters": "int",
        # USD: money that was reserved, less money that was released or refunded on the same day. Negative if more came back than was spent.
        "spent": "float",
        # Every day from `from` to `to`, the earliest first.
        "days": "list[DayStatistics]",
    },
)


class DeliveryAttempt(TypedDict):
    # RFC 3339, UTC, with milliseconds.
    at: str
    # HTTP status of the answer.
    status: int | None
    # The error, if there was no answer.
    error: str | None
    duration_ms: int | None


class _DeliveryChannel(TypedDict):
    channel: DeliveryChannelChannel
    # delivered: for an e-mail, the mail server accepted it; failed: the last attempt failed; cancelled: the channel was removed or disabled before.
    state: DeliveryChannelState
    # RFC 3339, UTC, with milliseconds.
    next_attempt_at: str | None
    # Oldest first. Of many, the latest 50.
    attempts: list[DeliveryAttempt]


class DeliveryChannel(_DeliveryChannel, total=False):
    # The kind of e-mail; absent before the first attempt.
    mail: str


DeliveryChannelChannel = Literal["webhook", "email"]
DeliveryChannelState = Literal["pending", "delivered", "failed", "cancelled"]


class Notification(TypedDict):
    id: str
    # letter.<status or change>, wallet.<change>, webhook.disabled, webhook.test and others.
    type: str
    letter_id: str | None
    status: str | None
    # RFC 3339, UTC, with milliseconds.
    created_at: str
    # Empty if no channel was set when it happened.
    channels: list[DeliveryChannel]


class WebhookMessage(TypedDict):
    id: str
    type: str
    headers: WebhookMessageHeaders
    # JSON, as the signature covers it.
    body: str


WebhookMessageHeaders = TypedDict(
    "WebhookMessageHeaders",
    {
        "content-type": "str",
        "webhook-id": "str",
    },
)


class Erasure(TypedDict):
    closure_id: str
    status: ErasureStatus
    # RFC 3339, UTC, with milliseconds.
    erases_at: str | None
    # RFC 3339, UTC, with milliseconds.
    erased_at: str | None
    # The signed credential (VC-JWT) of the event AccountErased. POST /api/identity/verify-vc checks it.
    certificate: str | None


ErasureStatus = Literal["closing", "erasing", "erased"]


class Export(TypedDict):
    export_id: str
    status: ExportStatus
    # RFC 3339, UTC, with milliseconds.
    requested_at: str
    # When the archive is removed. Null until it is ready.
    expires_at: str | None
    # Letters that were put into the archive so far.
    letters: int
    # Zip files that the archive consists of. Large accounts have more than one.
    parts: int
    # Size of all parts together, as they were made.
    bytes: int


ExportStatus = Literal["making", "ready", "failed"]


class Exports(TypedDict):
    data: list[Export]


CountryCode = Literal["US", "FR", "GB", "CA", "DE"]
ServiceId = Literal["us_first_class", "us_certified", "us_priority", "fr_lettre_verte", "fr_lettre_suivie", "fr_lettre_recommandee", "gb_first_class", "gb_second_class", "gb_signed_for", "gb_special_delivery", "ca_lettermail", "ca_registered", "ca_priority", "de_standardbrief", "de_einschreiben", "de_einschreiben_einwurf"]
TrackingClass = Literal["none", "sync", "async"]
ProofLevel = Literal["basic", "tracking", "certified", "signature", "full_audit_trail"]
IntentClass = Literal["confidential", "legal_compliance", "regulatory_filing", "time_critical", "transactional", "bulk_marketing"]


class Service(TypedDict):
    service: ServiceId
    # The operator's own name of the product.
    name: str
    operator: str
    tracking: TrackingClass
    proof_levels: list[ProofLevel]
    proof_of_posting: bool
    signature: bool
    # Intent classes that it meets.
    intents: list[IntentClass]
    # Business days from hand-over.
    sla_days: int
    # Whether the operator guarantees them.
    guaranteed: bool
    max_sheets: int
    price_from: ServicePriceFrom
    # Whether the postage in the price is an estimate: no published tariff contains it, or the tariff is a year old or older and may have been replaced. `rate_valid_from` shows its age.
    estimate: bool
    # Source of the postage.
    rate_source: str
    # The day from which the postage is valid. Postal operators change it about once a year.
    rate_valid_from: str


class ServicePriceFrom(TypedDict):
    # USD.
    total: float
    currency: Literal["USD"]


class Catalogue(TypedDict):
    country: CountryCode
    name: str
    currency: CatalogueCurrency
    services: list[Service]
    intents: list[CatalogueIntents]


CatalogueCurrency = Literal["USD", "EUR", "GBP", "CAD"]


class CatalogueIntents(TypedDict):
    intent: IntentClass
    sla_days: int
    use_case: str
    proof: str
    # USD.
    surcharge: float
    services: list[ServiceId]


LetterStatus = Literal["draft", "queued", "processing", "posted", "in_transit", "delivered", "cancelled", "failed"]
ContentType = Literal["text", "html"]


class Discount(TypedDict):
    """The discount of a volume contract on printing. The lines already include it: do not subtract it again."""

    contract_id: str
    # Discount on printing: 0.1 is 10 %.
    rate: float
    # USD.
    amount: float


class _Price(TypedDict):
    # USD.
    postage: float
    # USD.
    printing: float
    # Surcharge of the intent class and commission, USD.
    handling: float
    # The commission in `handling`, USD.
    commission: float
    # postage + printing + handling, USD.
    total: float
    currency: Literal["USD"]


class Price(_Price, total=False):
    discount: Discount


HoldReason = Literal["requested", "funds", "approval"]


class DeliveryWindow(TypedDict):
    """The days on which delivery is expected. They stay when the letter is cancelled or fails."""

    earliest: str
    latest: str


class Tracking(TypedDict):
    tracking_class: TrackingClass
    carrier: str
    tracking_number: str | None
    tracking_url: str | None


TimelineStatus = Literal["draft", "queued", "processing", "posted", "in_transit", "delivered", "cancelled", "failed", "returned"]


class _TimelineEntry(TypedDict):
    status: TimelineStatus
    # RFC 3339, UTC, with milliseconds.
    at: str
    # api, partner, carrier, operator or simulator.
    source: str


class TimelineEntry(_TimelineEntry, total=False):
    # Inferred from a later report: nobody reported this step, nor when it happened.
    inferred: bool
    # When it happened, as the print house or carrier reports it. `at` is when it was recorded.
    occurred_at: str


class Production(TypedDict):
    """While the letter is `processing`: whether the print partner already has the job. If the partner cannot be reached, the letter waits and is handed over later."""

    state: ProductionState
    # RFC 3339, UTC, with milliseconds.
    since: str


ProductionState = Literal["waiting_for_partner", "with_partner"]
AddressPlacement = Literal["stamp", "in_document", "insert_page"]


class Abilities(TypedDict):
    """What can be done with the letter now."""

    update: bool
    cancel: bool
    delete: bool
    send: bool


DeliveryOutcome = Literal["delivered", "returned"]


class Warning(TypedDict):
    pointer: str
    code: str
    detail: str


class _Letter(TypedDict):
    letter_id: str
    status: LetterStatus
    service: ServiceId
    intent: IntentClass
    to_name: str
    to_company: str | None
    to_line1: str
    to_line2: str | None
    to_city: str
    to_state: str | None
    to_postal_code: str
    to_country: CountryCode
    from_name: str
    from_company: str | None
    from_line1: str
    from_line2: str | None
    from_city: str
    from_state: str | None
    from_postal_code: str
    from_country: CountryCode
    # Business days from hand-over to domestic delivery.
    sla_days: int
    content_type: ContentType | None
    reference: str | None
    metadata: dict[str, str]
    language: Language | None
    color: bool
    duplex: bool
    pages: int
    sheets: int
    price: Price
    pricing_version: str
    send_date: str | None
    hold_reason: HoldReason | None
    # Until then the letter can be cancelled for sure. The time stays when the letter is cancelled or fails: `abilities.cancel` says whether it can be cancelled now. Null for a draft.
    cancellable_until: str | None
    expected_delivery: DeliveryWindow
    tracking: Tracking
    timeline: list[TimelineEntry]
    production: Production | None
    documents: list[LetterDocuments]
    abilities: Abilities
    delivery_outcome: DeliveryOutcome | None
    failure: LetterFailure | None
    cancellation: LetterCancellation | None
    warnings: list[Warning]
    test: bool
    # RFC 3339, UTC, with milliseconds.
    created_at: str
    # RFC 3339, UTC, with milliseconds.
    updated_at: str


class Letter(_Letter, total=False):
    content: str | None


class LetterDocuments(TypedDict):
    kind: Literal["letter"]
    format: LetterDocumentsFormat
    pages: int
    # The service added an address page as the first page.
    cover_page: bool
    address_placement: AddressPlacement | None
    # sha256(salt ‖ document as sent), base64url. A text has line feeds as line ends and is in NFC.
    commitment: str


LetterDocumentsFormat = Literal["text", "html", "pdf"]


class LetterFailure(TypedDict):
    code: str
    stage: str
    retryable: bool
    detail: str
    # RFC 3339, UTC, with milliseconds.
    at: str


class LetterCancellation(TypedDict):
    status: LetterCancellationStatus
    # RFC 3339, UTC, with milliseconds.
    at: str
    reason: str | None


LetterCancellationStatus = Literal["requested", "accepted", "rejected"]


class LetterCounts(TypedDict):
    total: int
    by_status: LetterCountsByStatus
    # Letters that came back. They also count in `by_status`.
    returned: int


class LetterCountsByStatus(TypedDict):
    draft: int
    queued: int
    processing: int
    posted: int
    in_transit: int
    delivered: int
    cancelled: int
    failed: int


class LettersFound(TypedDict):
    data: list[Letter]


class _RecipientAddress(TypedDict):
    name: str
    line1: str
    city: str
    postal_code: str
    country: CountryCode


class RecipientAddress(_RecipientAddress, total=False):
    company: str
    line2: str
    state: str


class TrackedLetter(TypedDict):
    letter_id: str
    status: LetterStatus
    tracking_class: TrackingClass
    carrier: str
    tracking_number: str | None
    tracking_url: str | None
    expected_delivery: DeliveryWindow
    delivery_outcome: DeliveryOutcome | None
    evidence: TrackedLetterEvidence | None
    events: list[TrackedLetterEvents]
    test: bool


TrackedLetterEvidence = Literal["carrier_scan", "signature", "recipient_report", "simulated"]


class _TrackedLetterEvents(TypedDict):
    status: TimelineStatus
    # RFC 3339, UTC, with milliseconds.
    at: str
    detail: str
    source: str
    location: str | None


class TrackedLetterEvents(_TrackedLetterEvents, total=False):
    # Inferred from a later report: nobody reported this step, nor when it happened.
    inferred: bool
    # When it happened, as the print house or carrier reports it. `at` is when it was recorded.
    occurred_at: str


class Proof(TypedDict):
    letter_id: str
    # What the service of the letter proves, as far as its intent requires it.
    proof_level: ProofLevel
    # The facts in words.
    statement: str
    status: LetterStatus
    # RFC 3339, UTC, with milliseconds.
    sent_at: str | None
    # Null until the letter is posted, and where nobody reported when it was posted.
    posted_at: str | None
    # RFC 3339, UTC, with milliseconds.
    delivered_at: str | None
    # When the letter came back to its sender; `status` does not change.
    returned_at: str | None
    evidence: str | None
    carrier: str
    tracking_number: str | None
    document: ProofDocument
    # Signed credentials (JWT), if issued.
    credentials: list[str]
    log: ProofLog | None
    service_did: str | None
    how_to_verify: str
    test: bool


class ProofDocument(TypedDict):
    pages: int
    commitment: str
    algorithm: str
    # Together with the document it gives the commitment.
    salt: str | None


class ProofLog(TypedDict):
    # Signed head of the log of credentials (C2SP).
    checkpoint: str
    # For each credential its proof of inclusion (C2SP tlog-proof); null until the log covers it.
    inclusion: list[str | None]


class _X402Status(TypedDict):
    status: X402StatusStatus
    methods: list[X402StatusMethods]
    # Lines of a program that pays for a letter.
    quickstart: list[str]
    # The operations that x402 can pay for.
    operations: list[str]


class X402Status(_X402Status, total=False):
    # A challenge for the wallet. Sign it and send it as SIGN-IN-WITH-X. It permits, once, what its statement names: reading, or the request with `method` and `path`.
    sign_in: Any


X402StatusStatus = Literal["available", "unavailable"]


class X402StatusMethods(TypedDict):
    method: Literal["x402"]
    scheme: Literal["exact"]
    versions: list[int]
    # CAIP-2
    network: str
    # The name in version 1 of x402.
    network_name: str
    # Whether it is a test network, whose money is worth nothing.
    testnet: bool
    asset: str
    asset_name: str
    pay_to: str
    # USD; credited to the wallet of the payer.
    read_price: float
    headers: list[str]


TopUpMethod = Literal["usdc", "lightning", "card"]
ChargeCurrency = Literal["USD", "EUR", "CAD"]


class _TopUp(TypedDict):
    topup_id: str
    method: TopUpMethod
    # The requested amount, USD.
    amount: float
    currency: Literal["USD"]
    status: TopUpStatus
    # The amount credited to the wallet, USD.
    credited: float | None
    # RFC 3339, UTC, with milliseconds.
    expires_at: str


class TopUp(_TopUp, total=False):
    # usdc: a transfer from any wallet, or from the wallet in the request.
    transfer: TopUpTransfer
    # usdc: payment requirements, to pay on a retry of this request.
    x402: Any
    # lightning: BOLT11.
    invoice: str
    payment_hash: str
    amount_sats: int
    rate: TopUpRate
    # card: the page to pay on, while the top-up is pending.
    checkout_url: str
    charged: TopUpCharged
    # card: the part of `credited` that was refunded or disputed afterwards, USD.
    taken_back: float


TopUpStatus = Literal["pending", "paid", "expired"]


class _TopUpTransfer(TypedDict):
    # CAIP-2
    network: str
    asset: str
    pay_to: str
    # USDC; send exactly this amount, because it identifies the transfer.
    amount: float
    # The same in millionths.
    amount_atomic: str


class TopUpTransfer(_TopUpTransfer, total=False):
    """usdc: a transfer from any wallet, or from the wallet in the request."""

    # The wallet in the request; only a transfer from it counts.
    from_address: str


class TopUpRate(TypedDict):
    value: str
    source: str
    # RFC 3339, UTC, with milliseconds.
    at: str


class TopUpCharged(TypedDict):
    amount: float
    currency: ChargeCurrency


class Order(TypedDict):
    order_id: str
    letter_id: str
    # `paid`: the letter is about to be queued, or waits for approval. `queued`: the letter was sent with the money; the order's `letter_status` shows its progress. `credited`: the order was paid but the letter was not sent; the money is in the account's wallet.
    status: OrderStatus
    # The page where the payer pays; null when it is closed.
    checkout_url: str | None
    # The charge to the card.
    amount: float
    currency: ChargeCurrency
    # RFC 3339, UTC, with milliseconds.
    expires_at: str
    letter_status: LetterStatus | None
    delivery_outcome: DeliveryOutcome | None
    # Null until it has one.
    tracking_number: str | None
    # The page of the carrier.
    tracking_url: str | None
    credit_reason: OrderCreditReason | None
    # The part of the payment that was refunded or disputed, in US dollars of the wallet.
    taken_back: float
    # RFC 3339, UTC, with milliseconds.
    placed_at: str


OrderStatus = Literal["awaiting_payment", "paid", "queued", "credited", "expired"]
OrderCreditReason = Literal["not_sendable", "letter_changed", "paid_late", "taken_back"]


class IntentClasses(TypedDict):
    data: list[IntentClassesData]


class IntentClassesData(TypedDict):
    intent: IntentClass
    # 1 is the highest.
    priority: int
    # Business days.
    sla_days: int
    use_case: str
    # In words.
    proof: str
    # Required of a service.
    proof_level: ProofLevel
    # USD.
    surcharge: float
    currency: Literal["USD"]
    # Weights that score the tiers of an offer; their sum is 1.
    weights: IntentClassesDataWeights


class IntentClassesDataWeights(TypedDict):
    """Weights that score the tiers of an offer; their sum is 1."""

    cost: float
    speed: float
    proof: float
    reliability: float


class VerifiedDocument(TypedDict):
    # Whether every check passed.
    valid: bool
    # Whether the service signed it as it is, even if it has expired.
    signed: bool
    kind: VerifiedDocumentKind | None
    # DID URL of the key.
    kid: str | None
    checks: list[VerifiedDocumentChecks]
    document: dict[str, Any] | None


VerifiedDocumentKind = Literal["offer", "receipt", "contract"]


class VerifiedDocumentChecks(TypedDict):
    name: str
    ok: bool
    # The reason for a failure; otherwise null.
    code: str | None
    detail: str


class VerifyDocument(TypedDict, total=False):
    """`jws`: the compact JWS of an offer, a receipt or a contract. `offer`: the offer as you received it, or its JWS. Or send the offer itself as the body."""

    offer: dict[str, Any] | str
    jws: str


class CustomerProfile(TypedDict):
    # Null if the account has no DID.
    customer_did: str | None
    account_id: str
    persona: CustomerProfilePersona
    # Letters sent, except those cancelled or failed.
    letters: int
    # Number of accepted offers.
    accepted: int
    # USD a letter.
    avg_spend: float
    currency: Literal["USD"]
    # Shares of the accepted tiers; all 0 before the first.
    preferred_tiers: CustomerProfilePreferredTiers
    # Number of letters per intent class.
    intents: CustomerProfileIntents
    because: list[str]
    # RFC 3339, UTC, with milliseconds.
    updated_at: str | None


CustomerProfilePersona = Literal["new", "compliance", "deadline", "bulk", "business"]


class CustomerProfilePreferredTiers(TypedDict):
    """Shares of the accepted tiers; all 0 before the first."""

    economy: float
    standard: float
    premium: float


class CustomerProfileIntents(TypedDict):
    """Number of letters per intent class."""

    confidential: int
    legal_compliance: int
    regulatory_filing: int
    time_critical: int
    transactional: int
    bulk_marketing: int


OfferTierName = Literal["economy", "standard", "premium"]


class Commitment(TypedDict):
    # Send it with the letter.
    commitment_id: str
    offer_id: str
    offer_hash: str
    tier: OfferTierName
    # The money in the wallet that pays.
    payment_method: CommitmentPaymentMethod
    intent: IntentClass
    service: ServiceId
    to_country: CountryCode
    # The maximum number of pages of a letter.
    pages: int
    color: bool
    duplex: bool
    # The total price of one letter.
    locked_price: float
    currency: CommitmentCurrency
    price: Price
    # USD.
    total: float
    # The number of letters that it covers.
    quantity: int
    uses_left: int
    # The letters that use it. A letter that was cancelled or failed no longer counts. A list has the first 100 letters of each commitment.
    letters: list[str]
    state: CommitmentState
    test: bool
    # RFC 3339, UTC, with milliseconds.
    accepted_at: str
    # RFC 3339, UTC, with milliseconds.
    expires_at: str
    # The receipt: a compact JWS (EdDSA) of the service with the agreed terms. `reference` is the hash of the offer.
    jws: str


CommitmentPaymentMethod = Literal["fiat", "crypto"]
CommitmentCurrency = Literal["USD", "USDC"]
CommitmentState = Literal["active", "consumed", "expired"]
VolumeTier = TypedDict(
    "VolumeTier",
    {
        # Letters in a period.
        "from": "int",
        # Included; null: no end.
        "to": "int | None",
        # Discount on printing: 0.1 is 10 %.
        "discount": "float",
    },
)


class ContractPeriod(TypedDict):
    # From 1.
    number: int
    # RFC 3339, UTC, with milliseconds.
    starts_at: str
    # RFC 3339, UTC, with milliseconds.
    ends_at: str
    # When the period is settled. In test mode, `advance_test_contract` settles it earlier.
    settles_at: str
    # `grace`: the period is over but not yet settled. Letters that are cancelled or fail are still subtracted.
    state: ContractPeriodState
    # Letters sent, except those cancelled or failed. In a live contract, letters that were not in production when the count closed do not count either.
    units: int
    # Letters missing so far, or at the end.
    shortfall: int
    # What the contract took off the price of its letters, before commission. USD.
    discounts: float
    # The charge for its shortfall, with commission, minus refunds for letters that were cancelled or failed later. USD.
    billed: float | None


ContractPeriodState = Literal["upcoming", "open", "grace", "fulfilled", "breached"]


class VolumeContract(TypedDict):
    contract_id: str
    customer_did: str
    state: VolumeContractState
    test: bool
    # Letters in each period.
    committed_units: int
    # In the current period, or after the end in the last one.
    units_used: int
    # In the same period, so far.
    shortfall: int
    period: VolumeContractPeriod
    period_count: int
    time_zone: str
    # RFC 3339, UTC, with milliseconds.
    starts_at: str
    # RFC 3339, UTC, with milliseconds.
    ends_at: str
    # Its number; null before the first and after the last.
    current_period: int | None
    tiers: list[VolumeTier]
    current_tier: VolumeTier
    breach_terms: VolumeContractBreachTerms
    periods: list[ContractPeriod]
    # RFC 3339, UTC, with milliseconds.
    created_at: str
    # The terms, signed by the service (EdDSA; `kid` is a key of its DID document).
    jws: str


VolumeContractState = Literal["active", "fulfilled", "breached"]
VolumeContractPeriod = Literal["month", "quarter", "year"]


class VolumeContractBreachTerms(TypedDict):
    shortfall: VolumeContractBreachTermsShortfall
    grace_days: int
    description: str


VolumeContractBreachTermsShortfall = Literal["rebill_at_undiscounted_price"]


class _DidDocument(TypedDict):
    id: str


class DidDocument(_DidDocument, total=False):
    """W3C Decentralized Identifiers 1.0."""

    alsoKnownAs: list[str]
    verificationMethod: list[dict[str, Any]]


class DidResolution(TypedDict):
    didDocument: DidDocument
    didResolutionMetadata: DidResolutionDidResolutionMetadata
    didDocumentMetadata: DidResolutionDidDocumentMetadata


class _DidResolutionDidResolutionMetadata(TypedDict):
    contentType: str
    # RFC 3339, UTC, with milliseconds.
    retrieved: str
    duration_ms: int
    cached: bool


class DidResolutionDidResolutionMetadata(_DidResolutionDidResolutionMetadata, total=False):
    warning: str


class DidResolutionDidDocumentMetadata(TypedDict, total=False):
    deactivated: bool


class _ServiceDid(TypedDict):
    # The DID that issues credentials.
    did: str
    didDocument: DidDocument
    # did:key of the key that signs credentials now.
    did_key: str
    # The `kid` of new credentials.
    kid: str
    retired_keys: list[ServiceDidRetiredKeys]
    # First line of the checkpoints of the log.
    checkpoint_origin: str
    # Ed25519 Multikey, `z6Mk…`: signs checkpoints.
    log_public_key: str
    # Ed25519 Multikey, `z6Mk…`: signs webhooks, v1a.
    webhook_public_key: str
    # The current keys that sign audit webhooks (v1a), as their subscriptions show them: whpk_ and base64. After a rotation, the previous key also signs for 7 days.
    webhook_public_keys: list[str]
    # The DID that issues UCAN roots; always a did:key.
    ucan_did: str


class ServiceDid(_ServiceDid, total=False):
    # The did:keys under which the service issued credentials before it moved or changed its key; absent in answers of earlier versions. Each `statement` is a JWT in which the key of that DID says under which DID (`sub`) the service goes on.
    former_dids: list[ServiceDidFormerDids]
    # First lines of the checkpoints of the log before the service moved; absent in answers of earlier versions. Each `statement` is a JWT in which a key that signed them says under which `origin` the log goes on.
    former_checkpoint_origins: list[ServiceDidFormerCheckpointOrigins]


class ServiceDidRetiredKeys(TypedDict):
    kid: str
    purpose: ServiceDidRetiredKeysPurpose
    publicKeyMultibase: str
    # RFC 3339, UTC, with milliseconds.
    valid_from: str
    # RFC 3339, UTC, with milliseconds.
    valid_until: str | None
    # Other people may have its private key.
    revoked: bool
    # For a revoked key: its signatures count only for leaves of the log below this.
    trusted_log_size: int | None


ServiceDidRetiredKeysPurpose = Literal["credential", "ucan", "log", "webhook"]


class ServiceDidFormerDids(TypedDict):
    did: str
    statement: str


class ServiceDidFormerCheckpointOrigins(TypedDict):
    origin: str
    statement: str


class IssuedCredential(TypedDict):
    # `urn:uuid:` and the id of the event.
    id: str
    # Kind of event, such as `letter.posted`.
    type: str
    letter_id: str | None
    stream: str
    # Position of the event in its stream, from 1.
    sequence: int
    issuer: str
    # RFC 3339, UTC, with milliseconds.
    occurred_at: str
    # Leaf number in the log.
    log_index: int
    # SHA-256 of the credential.
    hash: str
    # The Verifiable Credential (JWT).
    credential: str


class ListedAuditLink(TypedDict):
    # Id of the link in lists and for its revocation.
    id: str
    letter_id: str
    # RFC 3339, UTC, with milliseconds.
    created_at: str
    # RFC 3339, UTC, with milliseconds.
    expires_at: str


class _Audit(TypedDict):
    letter_id: str
    # Whether each event so far has a credential that the checkpoint covers.
    complete: bool
    events: list[AuditEvents]
    # To continue, send the last sequence as `after`.
    has_more: bool
    # Signed head of the log (C2SP).
    checkpoint: str | None
    # For each event the audit path of its credential at the size of the checkpoint. Null until the checkpoint covers it.
    inclusion: list[list[str] | None]
    test: bool


class Audit(_Audit, total=False):
    letter: Letter | None
    as_of: str


class _AuditEvents(TypedDict):
    sequence: int
    # `letter.posted`
    type: str
    # Status of the letter after the event.
    status: str
    # When the service recorded the event. RFC 3339, UTC, with milliseconds.
    occurred_at: str
    source: str
    # Position in the log of events, as in X-Log-Position.
    position: str
    # `sha-256:` and the digest, base64url.
    event_hash: str
    # `sha-256:` and the digest, base64url.
    hash: str | None
    # `sha-256:` and the digest, base64url.
    previous_hash: str | None
    log_index: int | None
    # Null until the credential is issued.
    credential: str | None


class AuditEvents(_AuditEvents, total=False):
    # When it happened, as the print house or carrier reports it. Absent: the report names no other time.
    reported_at: str


class LogCheckpoint(TypedDict):
    # Name of the log.
    origin: str
    size: int
    # 32 bytes, base64.
    root: str
    # RFC 3339, UTC, with milliseconds.
    signed_at: str
    # Signed note (C2SP tlog-checkpoint).
    note: str
    # Name, key hash and key, for verifiers of notes.
    verifier_key: str


class InclusionProof(TypedDict):
    index: int
    size: int
    # 32 bytes, base64.
    leaf_hash: str
    # Audit path, from the leaf up (RFC 6962).
    path: list[str]
    # The note of this size, if it is the latest.
    checkpoint: str | None
    # The whole proof as one text (C2SP tlog-proof).
    proof: str | None


class ConsistencyProof(TypedDict):
    first: int
    second: int
    path: list[str]


class CredentialCheck(TypedDict):
    name: str
    # null: not checked, or not applicable.
    ok: bool | None
    # The reason for a failure; otherwise null.
    code: str | None
    detail: str


class _VerifiedCredential(TypedDict):
    # Whether every applicable check passed.
    valid: bool
    checks: list[CredentialCheck]
    # The signer; null if that is not proved.
    issuer: str | None
    subject: str | None
    # The signed content; null if the signature is not valid.
    credential: dict[str, Any] | None


class VerifiedCredential(_VerifiedCredential, total=False):
    # For a presentation: its credentials.
    credentials: list[VerifiedCredentialCredentials]


class VerifiedCredentialCredentials(TypedDict):
    # Whether every applicable check passed.
    valid: bool
    checks: list[CredentialCheck]
    # The signer; null if that is not proved.
    issuer: str | None
    subject: str | None
    # The signed content; null if the signature is not valid.
    credential: dict[str, Any] | None


class MessageSchemas(TypedDict):
    data: list[MessageSchemasData]


class MessageSchemasData(TypedDict):
    name: str
    url: str


class ServiceInfo(TypedDict):
    name: str
    version: str
    description: str
    status: Literal["ok"]
    docs: str
    openapi: str
    api_docs: str
    # Country code → service identifiers.
    countries: dict[str, list[str]]
    # The configured methods. `wallet` is always there. `x402` pays single requests; `usdc`, `lightning` and `card` fill the wallet; `xdai` pays the mech.
    payment_methods: list[str]
    capabilities: list[str]
    # Addresses of the parts that this installation serves.
    endpoints: dict[str, str]
    # Descriptions for people and programs.
    links: dict[str, str]
    well_known: list[str]


class LoggedRequest(TypedDict):
    # The `X-Request-Id` of the answer.
    request_id: str
    # RFC 3339, UTC, with milliseconds.
    at: str
    # The `operationId`.
    operation: str
    # The status of the answer.
    status: int
    # The code of the error. Null: there was no error.
    code: str | None
    # The key, or `ucan:<cid>`.
    key_id: str
    # The time until the answer, ms.
    ms: int


class ReferenceSection(TypedDict):
    # Heading of the section.
    title: str
    page: str
    url: str
    # The page as Markdown.
    markdown_url: str
    excerpt: str


class ReferenceSections(TypedDict):
    data: list[ReferenceSection]


AccountMode = Literal["live", "test"]
Evaluation = TypedDict(
    "Evaluation",
    {
        "from": "str",
        "to": "str",
        "country": "EvaluationCountry | None",
        "mode": "AccountMode",
        # RFC 3339, UTC, with milliseconds.
        "as_of": "str",
        # The six intent classes, by priority.
        "data": "list[EvaluationData]",
        "total": "EvaluationTotal",
        "countries": "list[EvaluationCountries]",
        "months": "list[EvaluationMonths]",
    },
)
EvaluationCountry = CountryCode


class EvaluationData(TypedDict):
    intent: IntentClass
    # Business days from posting that the class promises.
    sla_days: int
    # Letters posted in the period.
    sent: int
    # Those with a service that tracks them; on_time + late + in_flight.
    measurable: int
    # Letters without tracking, or returned: their delivery time is unknown.
    not_measurable: int
    # Delivered within the SLA.
    on_time: int
    # Delivered after the SLA, or not delivered although the SLA has passed.
    late: int
    # Late letters that are not delivered yet.
    overdue: int
    # Not delivered yet, and the SLA has not passed.
    in_flight: int
    # Letters that came back, with or without tracking; not measured.
    returned: int
    # on_time / (on_time + late); null for 0 / 0.
    attainment: float | None
    # Business days within which half of the delivered letters arrived.
    p50_days: int | None
    # Business days within which 95 % of them arrived.
    p95_days: int | None


class EvaluationTotal(TypedDict):
    # Letters posted in the period.
    sent: int
    # Those with a service that tracks them; on_time + late + in_flight.
    measurable: int
    # Letters without tracking, or returned: their delivery time is unknown.
    not_measurable: int
    # Delivered within the SLA.
    on_time: int
    # Delivered after the SLA, or not delivered although the SLA has passed.
    late: int
    # Late letters that are not delivered yet.
    overdue: int
    # Not delivered yet, and the SLA has not passed.
    in_flight: int
    # Letters that came back, with or without tracking; not measured.
    returned: int
    # on_time / (on_time + late); null for 0 / 0.
    attainment: float | None
    # Business days within which half of the delivered letters arrived.
    p50_days: int | None
    # Business days within which 95 % of them arrived.
    p95_days: int | None


class EvaluationCountries(TypedDict):
    country: CountryCode
    # Letters posted in the period.
    sent: int
    # Those with a service that tracks them; on_time + late + in_flight.
    measurable: int
    # Letters without tracking, or returned: their delivery time is unknown.
    not_measurable: int
    # Delivered within the SLA.
    on_time: int
    # Delivered after the SLA, or not delivered although the SLA has passed.
    late: int
    # Late letters that are not delivered yet.
    overdue: int
    # Not delivered yet, and the SLA has not passed.
    in_flight: int
    # Letters that came back, with or without tracking; not measured.
    returned: int
    # on_time / (on_time + late); null for 0 / 0.
    attainment: float | None
    # Business days within which half of the delivered letters arrived.
    p50_days: int | None
    # Business days within which 95 % of them arrived.
    p95_days: int | None


class EvaluationMonths(TypedDict):
    # Day of posting, UTC.
    month: str
    # Letters posted in the period.
    sent: int
    # Those with a service that tracks them; on_time + late + in_flight.
    measurable: int
    # Letters without tracking, or returned: their delivery time is unknown.
    not_measurable: int
    # Delivered within the SLA.
    on_time: int
    # Delivered after the SLA, or not delivered although the SLA has passed.
    late: int
    # Late letters that are not delivered yet.
    overdue: int
    # Not delivered yet, and the SLA has not passed.
    in_flight: int
    # Letters that came back, with or without tracking; not measured.
    returned: int
    # on_time / (on_time + late); null for 0 / 0.
    attainment: float | None
    # Business days within which half of the delivered letters arrived.
    p50_days: int | None
    # Business days within which 95 % of them arrived.
    p95_days: int | None


class MechPrice(TypedDict):
    # Of xDAI.
    price_wei: int
    price_human: str


class MechInfo(TypedDict):
    enabled: bool
    mode: MechInfoMode | None
    name: str
    tools: list[str]
    agent_id: int | None
    component_id: int | None
    service_id: int | None
    owner: str | None
    mech_address: str | None
    marketplace_address: str
    network: str
    chain_id: int
    currency: str
    pricing: MechInfoPricing
    # The accepted payments; any of them is enough.
    proofs: list[str]
    endpoints: dict[str, str]


MechInfoMode = Literal["test", "live"]


class MechInfoPricing(TypedDict):
    negotiate: MechPrice
    track: MechPrice
    send: MechPrice


class MechAction(TypedDict):
    price_wei: int
    price_human: str
    # Names of the required params.
    required: list[str]


class MechTools(TypedDict):
    tools: list[MechToolsTools]
    # The metadata of a mech, with `toolMetadata`, as published on IPFS.
    metadata: dict[str, Any]


class MechToolsTools(TypedDict):
    name: str
    description: str
    # JSON Schema of the params.
    input_schema: dict[str, Any]
    actions: MechToolsToolsActions


class MechToolsToolsActions(TypedDict):
    negotiate: MechAction
    track: MechAction
    send: MechAction


class MechProbe(TypedDict):
    ok: bool
    reason: str | None


class MechHealth(TypedDict):
    # `ok`, or `unavailable` while it takes no requests.
    status: str
    is_healthy: bool
    liveness: MechProbe
    readiness: MechProbe


class IssuedUcan(TypedDict):
    # Send it as `Authorization: Bearer ucan:<token>`.
    token: str
    # CIDv1 of the encoded token, bafkrei….
    cid: str
    scope: KeyScope | None
    # RFC 3339, UTC, with milliseconds.
    expires_at: str | None
    # The other tokens of the chain that you may pass on. Join them with commas to get the header `ucans`. The service finds tokens that it issued by itself. Everyone who gets one of them can act with it.
    proofs: list[str]


class _IssueUcan(TypedDict):
    scope: KeyScope


class IssueUcan(_IssueUcan, total=False):
    # The DID that may use it, such as did:key:z6Mk….
    audience: str
    # In seconds. Default: 86400.
    expires_in: int


class _DelegateUcan(TypedDict):
    # The DID that may use it, such as did:key:z6Mk….
    audience: str


class DelegateUcan(_DelegateUcan, total=False):
    scope: KeyScope
    # Resource → ability → caveats, as in the field `cap` of a token.
    capabilities: dict[str, dict[str, list[dict[str, str | float | bool | list[str | float | bool]]]]]
    token: str
    # The CID of a UCAN, as the answer that issued it shows it: bafkrei….
    cid: str
    # Further tokens of the chain that were not issued here.
    proofs: list[str]
    # In seconds. Default: 86400.
    expires_in: int


class UcanVerdict(TypedDict):
    valid: bool
    checks: list[UcanVerdictChecks]
    errors: list[UcanVerdictErrors]
    missing_proofs: list[str]
    # Resource → ability → caveats, as in the field `cap` of the token.
    capabilities: dict[str, dict[str, list[dict[str, Any]]]]
    scope: KeyScope | None
    # A DID.
    issuer: str | None
    # A DID.
    audience: str | None
    # A DID.
    root_issuer: str | None
    # RFC 3339, UTC, with milliseconds.
    expires_at: str | None
    # RFC 3339, UTC, with milliseconds.
    not_before: str | None
    # null: it was not judged.
    revoked: bool | None
    # The token, then its proofs, as far as they were found.
    chain: list[UcanVerdictChain]


class UcanVerdictChecks(TypedDict):
    name: str
    # null: not judged, or not asked for.
    ok: bool | None
    detail: str
    code: str | None


class UcanVerdictErrors(TypedDict):
    code: str
    detail: str
    # CIDv1 of the encoded token, bafkrei….
    cid: str | None


class UcanVerdictChain(TypedDict):
    # CIDv1 of the encoded token, bafkrei….
    cid: str
    # A DID.
    iss: str
    # A DID.
    aud: str
    # Seconds since the epoch.
    exp: int | None


class _VerifyUcan(TypedDict):
    token: str


class VerifyUcan(_VerifyUcan, total=False):
    # Further tokens of the chain that were not issued here.
    proofs: list[str]
    # A DID such as did:key:z6Mk….
    audience: str


class RevokedUcan(TypedDict):
    cid: str
    revoked: Literal[True]
    # RFC 3339, UTC, with milliseconds.
    revoked_at: str
    # The issuer that revoked it.
    by: str


class _RevokeUcan(TypedDict):
    # The CID of a UCAN, as the answer that issued it shows it: bafkrei….
    cid: str


class RevokeUcan(_RevokeUcan, total=False):
    token: str
    # Further tokens of the chain that were not issued here.
    proofs: list[str]
    # The DID that may use it, such as did:key:z6Mk….
    iss: str
    # The signature over `REVOKE:<cid>`, in base64 without padding.
    challenge: str


class RegisteredAccount(TypedDict):
    # Shown once. Keep it safe.
    api_key: str
    key_id: str
    prefix: str
    scope: KeyScope
    account_id: str
    mode: AccountMode
    message: str
    test: bool


class _Register(TypedDict):
    email: str


class Register(_Register, total=False):
    # A test account has $100.00 of test money, and its letters are not printed.
    mode: AccountMode
    # Language of the mails about the account. Default: by `Accept-Language`.
    language: Language


class _RegisterAgent(TypedDict):
    agent_id: str
    agent_name: str


class RegisterAgent(_RegisterAgent, total=False):
    scope: RegisterAgentScope
    # A test account has $100.00 of test money, and its letters are not printed.
    mode: AccountMode
    # Language of the mails about the account. Default: by `Accept-Language`.
    language: Language


RegisterAgentScope = Literal["send", "read"]


class RecoveredAccount(TypedDict):
    # Shown once. Keep it safe.
    api_key: str
    key_id: str
    prefix: str
    scope: KeyScope
    account_id: str
    mode: AccountMode
    message: str
    test: bool
    # Keys that ended with the recovery, together with their UCANs.
    ended_keys: list[str]
    # Settings from before that still apply. Remove what is not yours.
    left: RecoveredAccountLeft


class RecoveredAccountLeft(TypedDict):
    """Settings from before that still apply. Remove what is not yours."""

    # Other keys that still work.
    keys: list[str]
    webhook_url: str | None
    notification_email: str | None
    audit_webhooks: list[RecoveredAccountLeftAuditWebhooks]
    # The DID that acts for the account, if it has one.
    did: str | None
    # The policy of the account (`account`), and those of keys and UCANs that name approvers. The approvers are in parentheses.
    policies: list[str]


class RecoveredAccountLeftAuditWebhooks(TypedDict):
    id: str
    url: str


class _RecoverAccount(TypedDict):
    token: str


class RecoverAccount(_RecoverAccount, total=False):
    # Ids of the keys that stay, or `all`. Default: none.
    keep_keys: Literal["all"] | list[str]
    # true removes all settings (webhook, notification address, audit webhooks, the account’s own DID, the policy of the account, and the approvers that other policies name), false removes none. Default: removes those that were set before the address was confirmed and that nobody kept.
    reset_settings: bool


class JudgedKey(TypedDict):
    id: str
    prefix: str
    label: str
    scope: KeyScope
    # RFC 3339, UTC, with milliseconds.
    created_at: str
    # RFC 3339, UTC, with milliseconds.
    last_used_at: str | None
    # False: the key can only read.
    may_spend: bool
    # The key is older than the confirmation, which ends it unless `keep` has its id.
    undecided: bool
    # Active UCANs that came from it. They end with it.
    ucans: int
    # Active audit links that came from it, newest first. They end with it. Only the newest 100 links of the account are shown.
    audit_links: list[ListedAuditLink]


class JudgedSetting(TypedDict):
    # Id for `keep`. If the value changes, so does the id.
    id: str
    kind: JudgedSettingKind
    # The URL, the address, the DID, or what a policy applies to, with its approvers in parentheses.
    value: str
    # The setting is older than the confirmation, which ends it unless `keep` has its id.
    undecided: bool


JudgedSettingKind = Literal["webhook", "notification_email", "audit_webhook", "did", "policy"]


class EmailConfirmation(TypedDict):
    account_id: str
    mode: AccountMode
    # The own address of the account, the one of its notifications, or the one that it changes to.
    address: EmailConfirmationAddress
    email: str
    confirmed: bool
    # The active keys of the account, oldest first; only for `registered`.
    keys: list[JudgedKey]
    # Webhook, notification address, audit webhooks, the account’s own DID, the policy of the account, and policies that name approvers; only for `registered`.
    settings: list[JudgedSetting]
    webhook_url: str | None
    audit_webhooks: list[str]


EmailConfirmationAddress = Literal["registered", "notifications", "change"]


class PreviewConfirmation(TypedDict):
    # The token in the link.
    token: str


class EmailConfirmed(TypedDict):
    account_id: str
    mode: AccountMode
    # The own address of the account, the one of its notifications, or the one that it changes to.
    address: EmailConfirmedAddress
    email: str
    confirmed: bool
    # The active keys of the account, oldest first; only for `registered`.
    keys: list[JudgedKey]
    # Webhook, notification address, audit webhooks, the account’s own DID, the policy of the account, and policies that name approvers; only for `registered`.
    settings: list[JudgedSetting]
    webhook_url: str | None
    audit_webhooks: list[str]
    # Keys that ended with this request, together with their UCANs and audit links.
    ended_keys: list[str]
    # Settings that this request removed.
    ended_settings: list[JudgedSetting]
    message: str


EmailConfirmedAddress = EmailConfirmationAddress


class _ConfirmEmail(TypedDict):
    # The token in the link.
    token: str


class ConfirmEmail(_ConfirmEmail, total=False):
    # Ids of the keys and settings that are yours and stay, as the preview shows them, or `all`. If absent, nothing stays.
    keep: Literal["all"] | list[str]
    # Keys and settings that end even if `keep` is `all`.
    end: list[str]
    # Ends all settings, whatever `keep` says.
    reset_settings: bool


class Unsubscribed(TypedDict):
    unsubscribed: Literal[True]
    message: str


class ChangedEmail(TypedDict):
    # The address that was asked for.
    email: str
    # True: it is the address of the account already.
    confirmed: bool
    # RFC 3339, UTC, with milliseconds.
    expires_at: str | None
    message: str


class ChangeEmail(TypedDict):
    email: str


class StoppedEmailChange(TypedDict):
    account_id: str
    # The address that the account has again.
    email: str
    message: str


class StopEmailChange(TypedDict):
    # As the link has it.
    token: str


class NewKey(TypedDict):
    id: str
    # Shown once. Keep it safe.
    api_key: str
    prefix: str
    label: str
    scope: KeyScope
    # RFC 3339, UTC, with milliseconds.
    created_at: str
    # RFC 3339, UTC, with milliseconds.
    expires_at: str | None
    test: bool


class _CreateKey(TypedDict):
    label: str
    scope: KeyScope


class CreateKey(_CreateKey, total=False):
    # RFC 3339, UTC, with milliseconds.
    expires_at: str


class _RevokedKey(TypedDict):
    id: str
    # RFC 3339, UTC, with milliseconds.
    revoked_at: str


class RevokedKey(_RevokedKey, total=False):
    # With revoke_issued: the keys that ended with it.
    also_revoked: list[str]


class RotatedKey(TypedDict):
    id: str
    # Shown once. Keep it safe.
    api_key: str
    prefix: str
    label: str
    scope: KeyScope
    # RFC 3339, UTC, with milliseconds.
    created_at: str
    # RFC 3339, UTC, with milliseconds.
    expires_at: str | None
    test: bool
    # Until then the old key can repeat this request under the same Idempotency-Key, in case the answer was lost. It works for nothing else. Null: it cannot repeat it.
    repeatable_until: str | None


class RotateKey(TypedDict, total=False):
    # If true, the old key cannot even repeat this request. By default it can repeat it for 10 minutes, under the same Idempotency-Key, in case the answer was lost.
    revoke_now: bool


class UpdateSettings(TypedDict, total=False):
    # An address that begins with https://.
    webhook_url: str | None
    notification_email: str | None
    # Language of the mails about the account.
    language: Language
    # Gives the webhook a new secret.
    rotate_webhook_secret: bool


class ClosureBlocker(TypedDict):
    code: ClosureBlockerCode
    # What it is, and how to end it.
    detail: str
    # How many; null for a balance.
    count: int | None
    # In USD; null where it is no balance.
    amount: float | None


ClosureBlockerCode = Literal["letters_under_way", "approvals_pending", "payments_pending", "dispute_open", "contract_active", "balance_left", "balance_owed"]


class AccountClosure(TypedDict):
    closure_id: str | None
    # `closing`: the account is erased at `erases_at`, or when the last blocker is gone.
    status: AccountClosureStatus
    # RFC 3339, UTC, with milliseconds.
    requested_at: str | None
    # RFC 3339, UTC, with milliseconds.
    erases_at: str | None
    # True: what is left in the wallet is given up with the erasure.
    forfeits_balance: bool
    # What stands in the way of the erasure now.
    blockers: list[ClosureBlocker]
    # What confirms a closure: the `code` that is mailed, or `confirm` with the id of the account.
    proof: AccountClosureProof


AccountClosureStatus = Literal["none", "closing"]
AccountClosureProof = Literal["code", "confirm"]


class CloseAccount(TypedDict, total=False):
    # The code that was mailed.
    code: str
    # The id of the account, where it has no confirmed e-mail address. The refusal without it names the id.
    confirm: str
    # True: what is left in the wallet at the erasure is given up. Default: a balance stands in the way until it is spent or paid out.
    forfeit_balance: bool


class CreateExport(TypedDict, total=False):
    # With the letters as PDF, as they are printed and as they were sent. Default: true.
    documents: bool


class _QuotedPrice(TypedDict):
    # USD.
    postage: float
    # USD.
    print: float
    # USD.
    commission: float
    # USD.
    total: float
    currency: Literal["USD"]


class QuotedPrice(_QuotedPrice, total=False):
    """postage + print + commission = total."""

    discount: Discount


class LocalPostage(TypedDict):
    currency: str
    # The operator's charge, in its currency.
    postage: float
    # USD per unit of that currency.
    rate: str


class Finding(TypedDict):
    code: FindingCode
    severity: FindingSeverity
    # From 1; null: the whole document.
    page: int | None
    # The zone that must be free.
    zone: str | None
    box_mm: FindingBoxMm | None
    move_mm: FindingMoveMm | None
    hint: str


FindingCode = Literal["not_a_pdf", "pdf_too_large", "pdf_damaged", "pdf_encrypted", "pdf_javascript", "pdf_embedded_files", "pdf_launch_action", "pdf_xfa", "pdf_hidden_layers", "pdf_user_unit", "pdf_too_complex", "no_pages", "too_many_pages", "page_size", "page_landscape", "mixed_page_sizes", "font_not_embedded", "ink_in_address_window", "ink_in_no_print_zone", "ink_outside_safe_area", "invisible_text_in_control_zone", "tiny_text_in_control_zone", "empty_page", "not_printed", "small_type", "image_shrunk", "fixed_element", "hidden_text", "address_mismatch"]
FindingSeverity = Literal["error", "warning"]


class FindingBoxMm(TypedDict):
    """The content in the zone, measured from the top left of the page."""

    # mm
    x: float
    # mm
    y: float
    # mm
    width: float
    # mm
    height: float


class FindingMoveMm(TypedDict):
    """The smallest shift that clears the zone; null if no shift is enough."""

    # mm
    x: float
    # mm
    y: float


class _Quote(TypedDict):
    # Send it with the letter; the letter then costs the quoted price.
    quote_id: str
    service: ServiceId
    intent: IntentClass
    content_type: ContentType | None
    # Business days from hand-over to domestic delivery.
    sla_days: int
    pages: int
    sheets: int
    # USD.
    postage: float
    # USD.
    print: float
    # USD.
    commission: float
    # USD.
    total: float
    currency: Literal["USD"]
    price: Price
    # Which of the two prices the lines above show.
    payment: QuotePayment
    crypto: QuotedPrice
    fiat: QuotedPrice
    local: LocalPostage
    pricing_version: str
    # RFC 3339, UTC, with milliseconds.
    expires_at: str
    warnings: list[Warning]
    # Findings of the preflight of a PDF, errors only if `auto_fix` removes them. For HTML: whether its type is small.
    findings: list[Finding]
    # Page 1 as it would be printed with this service; other pages likewise, until the quote expires. Null for a quote by number of pages, and if the document could not be kept, for example above the quota of stored bytes.
    preview_url: str | None
    test: bool


class Quote(_Quote, total=False):
    discount: Discount


QuotePayment = CommitmentPaymentMethod
LimitPeriod = Literal["letter", "hour", "day", "month", "rolling_24h", "total"]


class _PolicyLimit(TypedDict):
    # `hour`, `day` and `month` are calendar periods in `time_zone`. `rolling_24h` is the last 24 hours, counted by whole hours: a letter counts for 24 to 25 hours. `total` never ends. `letter` limits the price of each letter.
    per: LimitPeriod


class PolicyLimit(_PolicyLimit, total=False):
    """Either `amount` or `letters`, and a period."""

    # USD, commission included.
    amount: float
    letters: int


class _DecidingRule(TypedDict):
    # `account`, or the id of a key.
    policy: str
    # Null: no rule of the policy allows the letter.
    rule: str | None


class DecidingRule(_DecidingRule, total=False):
    limit: PolicyLimit
    # USD or letters, as the limit counts.
    used: float
    # RFC 3339, UTC, with milliseconds.
    resets_at: str | None
    # Of a limit by hour, day or month: its periods begin in this zone.
    time_zone: str


class DryRun(TypedDict):
    """What a send would come to. Nothing was stored or charged."""

    # What the policies of the account and of the key decide.
    outcome: DryRunOutcome
    # `allowed`: the rules that allow the letter; empty where no policy applies. `held`: the rules that let it wait for approval. `denied`: the rules that deny it. A send names the first of them.
    rules: list[DecidingRule]
    price: Price


DryRunOutcome = Literal["allowed", "held", "denied"]


class _QuoteRequest(TypedDict):
    to_country: CountryCode


class QuoteRequest(_QuoteRequest, total=False):
    to_name: str
    to_line1: str
    to_city: str
    to_postal_code: str
    to_company: str
    to_line2: str
    to_state: str
    from_name: str
    from_line1: str
    from_city: str
    from_postal_code: str
    from_country: CountryCode
    from_company: str
    from_line2: str
    from_state: str
    # Plain text or HTML. In plain text, blank lines separate paragraphs, and tab stops are 8 digits apart. Markdown is not interpreted. At most 500000 bytes in UTF-8. HTML runs without scripts and network; its images are data URIs.
    content: str
    # The type of `content`. By default HTML if the content begins with a tag, a comment or a doctype, otherwise text.
    content_type: ContentType
    # https address of a PDF to print instead of content. The service fetches it once, now, and checks it: A4 (Letter to US and CA), embedded fonts, nothing in the address window and the margins.
    document_url: str
    # The PDF itself in base64, instead of content; checked like document_url. At most 10485760 bytes. In a form (multipart/form-data) send the PDF as a file.
    document: str
    # How the address gets onto a PDF. `stamp` (default): the service prints it onto the first page. `in_document`: the PDF already shows it in the window, as text that is legible on paper; the service reads it, compares it with `to_name`, `to_line1`, `to_postal_code` and `to_city`, and prints nothing onto the page. `insert_page`: the service adds a page in front with address, sender, date and reference. That page counts, and the first page of the document then needs no free address field.
    address_placement: AddressPlacement
    # Makes a PDF fit: scales or shifts its pages, or adds an address page in front, which counts as a page. Shrinks HTML that is slightly too wide. `warnings` list the changes.
    auto_fix: bool
    # By default the cheapest service of the country, or the cheapest that meets `intent`.
    service: ServiceId
    # What the letter is for. Default: `transactional`. `confidential`, `legal_compliance`, `regulatory_filing` and `time_critical` promise a deadline or a proof; a `service` sent with them must keep that promise. For the other two, `warnings` list what the service lacks.
    intent: IntentClass
    color: bool
    duplex: bool
    send_date: str
    # Language of the text that the service prints and mails, such as the date. Default: by the country of the sender.
    language: Language
    # The day in the date line, or false for no date. Default: the day of hand-over to the post.
    date: str | Literal[False]
    # The `logo_id` of an uploaded logo (POST /api/logos), or a PNG or JPEG as data URI (data:image/png;base64,…) of at most 200000 bytes and 4000000 pixels. Printed at the top right of the first page, in at most 70 × 22 mm.
    logo: str
    # Small print at the foot of the first page, such as bank, register and contact. At most 4 lines.
    footer: str
    reference: str
    # Up to 20 key-value pairs of your own, by which you can filter lists of letters.
    metadata: dict[str, str]
    # Check and keep the letter without sending it.
    draft: bool
    # If the wallet does not cover the price, keep the letter as a draft.
    hold_without_funds: bool
    quote_id: str
    # Id of an accepted offer. The letter costs the agreed price and uses one of its letters.
    commitment_id: str
    # The most that the letter may cost in all, in US dollars. Above it, the request is refused with `max_total_exceeded`.
    max_total: float
    # Turns errors in the format of an address into warnings.
    accept_address_as_is: bool
    letter_id: str
    # Only says the outcome. The answer has the decision of the policies and the price. Nothing is stored, held or charged, and an `Idempotency-Key` has no effect.
    dry_run: bool
    # To send instead of the content itself.
    pages: int


class SentLetter(TypedDict):
    letter_id: str
    status: LetterStatus
    service: ServiceId
    intent: IntentClass
    # Business days from hand-over to domestic delivery.
    sla_days: int
    content_type: ContentType | None
    price: Price
    message: str
    pages: int
    sheets: int
    reference: str | None
    hold_reason: HoldReason | None
    # Until then the letter can be cancelled for sure. The time stays when the letter is cancelled or fails: `abilities.cancel` says whether it can be cancelled now. Null for a draft.
    cancellable_until: str | None
    expected_delivery: DeliveryWindow
    abilities: Abilities
    warnings: list[Warning]
    test: bool


class ApprovalReason(TypedDict):
    # `account`, the id of a key, or `ucan:<cid>`.
    policy: str
    rule: str


class HeldLetter(TypedDict):
    letter_id: str
    status: LetterStatus
    service: ServiceId
    intent: IntentClass
    # Business days from hand-over to domestic delivery.
    sla_days: int
    content_type: ContentType | None
    price: Price
    message: str
    pages: int
    sheets: int
    reference: str | None
    hold_reason: HoldReason | None
    # Until then the letter can be cancelled for sure. The time stays when the letter is cancelled or fails: `abilities.cancel` says whether it can be cancelled now. Null for a draft.
    cancellable_until: str | None
    expected_delivery: DeliveryWindow
    abilities: Abilities
    warnings: list[Warning]
    test: bool
    approval_id: str
    # A page that shows an approver what waits. The address alone shows nothing and decides nothing.
    approval_url: str
    # RFC 3339, UTC, with milliseconds.
    expires_at: str
    # The rules that hold the letter.
    reasons: list[ApprovalReason]


class SendLetter(TypedDict, total=False):
    to_name: str
    to_line1: str
    to_city: str
    to_postal_code: str
    to_country: CountryCode
    to_company: str
    to_line2: str
    to_state: str
    from_name: str
    from_line1: str
    from_city: str
    from_postal_code: str
    from_country: CountryCode
    from_company: str
    from_line2: str
    from_state: str
    # Plain text or HTML. In plain text, blank lines separate paragraphs, and tab stops are 8 digits apart. Markdown is not interpreted. At most 500000 bytes in UTF-8. HTML runs without scripts and network; its images are data URIs.
    content: str
    # The type of `content`. By default HTML if the content begins with a tag, a comment or a doctype, otherwise text.
    content_type: ContentType
    # https address of a PDF to print instead of content. The service fetches it once, now, and checks it: A4 (Letter to US and CA), embedded fonts, nothing in the address window and the margins.
    document_url: str
    # The PDF itself in base64, instead of content; checked like document_url. At most 10485760 bytes. In a form (multipart/form-data) send the PDF as a file.
    document: str
    # How the address gets onto a PDF. `stamp` (default): the service prints it onto the first page. `in_document`: the PDF already shows it in the window, as text that is legible on paper; the service reads it, compares it with `to_name`, `to_line1`, `to_postal_code` and `to_city`, and prints nothing onto the page. `insert_page`: the service adds a page in front with address, sender, date and reference. That page counts, and the first page of the document then needs no free address field.
    address_placement: AddressPlacement
    # Makes a PDF fit: scales or shifts its pages, or adds an address page in front, which counts as a page. Shrinks HTML that is slightly too wide. `warnings` list the changes.
    auto_fix: bool
    # By default the cheapest service of the country, or the cheapest that meets `intent`.
    service: ServiceId
    # What the letter is for. Default: `transactional`. `confidential`, `legal_compliance`, `regulatory_filing` and `time_critical` promise a deadline or a proof; a `service` sent with them must keep that promise. For the other two, `warnings` list what the service lacks.
    intent: IntentClass
    color: bool
    duplex: bool
    send_date: str
    # Language of the text that the service prints and mails, such as the date. Default: by the country of the sender.
    language: Language
    # The day in the date line, or false for no date. Default: the day of hand-over to the post.
    date: str | Literal[False]
    # The `logo_id` of an uploaded logo (POST /api/logos), or a PNG or JPEG as data URI (data:image/png;base64,…) of at most 200000 bytes and 4000000 pixels. Printed at the top right of the first page, in at most 70 × 22 mm.
    logo: str
    # Small print at the foot of the first page, such as bank, register and contact. At most 4 lines.
    footer: str
    reference: str
    # Up to 20 key-value pairs of your own, by which you can filter lists of letters.
    metadata: dict[str, str]
    # Check and keep the letter without sending it.
    draft: bool
    # If the wallet does not cover the price, keep the letter as a draft.
    hold_without_funds: bool
    quote_id: str
    # Id of an accepted offer. The letter costs the agreed price and uses one of its letters.
    commitment_id: str
    # The most that the letter may cost in all, in US dollars. Above it, the request is refused with `max_total_exceeded`.
    max_total: float
    # Turns errors in the format of an address into warnings.
    accept_address_as_is: bool
    letter_id: str
    # Only says the outcome. The answer has the decision of the policies and the price. Nothing is stored, held or charged, and an `Idempotency-Key` has no effect.
    dry_run: bool


class UpdateLetter(TypedDict, total=False):
    to_name: str
    to_line1: str
    to_city: str
    to_postal_code: str
    to_country: CountryCode
    to_company: str | None
    to_line2: str | None
    to_state: str | None
    reference: str | None
    # Up to 20 key-value pairs of your own, by which you can filter lists of letters.
    metadata: dict[str, str] | None
    accept_address_as_is: bool
    # The most that the letter may cost in all, in US dollars. Above it, the request is refused with `max_total_exceeded`.
    max_total: float


class DeletedLetter(TypedDict):
    letter_id: str
    deleted: Literal[True]


class AdvanceLetter(TypedDict, total=False):
    to: AdvanceLetterTo
    event: AdvanceLetterEvent


AdvanceLetterTo = Literal["processing", "posted", "in_transit", "delivered"]
AdvanceLetterEvent = Literal["returned", "failed"]


class RefilledTestWallet(TypedDict):
    # USD.
    added: float
    available: float
    test: Literal[True]


class TrackingLink(TypedDict):
    # The link for the recipient. Null after it was revoked.
    url: str | None
    # The last day on which it opens the page.
    ends_on: str


class RevokedTrackingLink(TypedDict):
    revoked: Literal[True]


class Logo(TypedDict):
    # Send it as `logo` of a letter.
    logo_id: str
    media_type: LogoMediaType
    bytes: int
    # Pixels.
    width: int
    # Pixels.
    height: int
    # RFC 3339, UTC, with milliseconds.
    created_at: str
    # When it is deleted, unless a letter or quote uses it before or you upload it again. Null: it stays until you delete it.
    expires_at: str | None


LogoMediaType = Literal["image/png", "image/jpeg"]


class UploadLogo(TypedDict):
    # A PNG or JPEG as data URI (data:image/png;base64,…), at most 200000 bytes and 4000000 pixels.
    logo: str


class Logos(TypedDict):
    data: list[Logo]


class DeletedLogo(TypedDict):
    logo_id: str
    deleted: Literal[True]


RuleEffect = Literal["allow", "hold", "deny", "alert"]
ContentKind = LetterDocumentsFormat


class PolicyApprovals(TypedDict, total=False):
    """The approvers of letters that hold rules match. No credential approves a letter that it sent, nor one of a credential that it comes from or that comes from it."""

    # How many approvers must approve a letter. Default: 1.
    quorum: PolicyApprovalsQuorum
    # E-mail addresses and ids of keys. Empty: any key with scope full and without a policy, and the confirmed address of the account.
    approvers: list[str]
    # How long a letter waits. Default: 72.
    expires_in_hours: int


PolicyApprovalsQuorum = Literal[1, 2]


class _Policy(TypedDict):
    # `account`, the id of the key, or `ucan:<cid>`. A key that replaces another keeps the policy of the first one, under its id.
    policy: str
    # Send it as `If-Match` to change this version only.
    version: int
    # IANA name. Calendar periods begin in this zone.
    time_zone: str
    rules: list[PolicyRules]


class Policy(_Policy, total=False):
    approvals: PolicyApprovals


class _PolicyRules(TypedDict):
    # At most 64 of A-Z, a-z, 0-9, `_`, `.` and `-`, unique within the policy; by default `rule-1`, `rule-2`, … A rule keeps what was used of its limit while its id and its period stay.
    id: str
    # `allow`: letters that match are allowed, within the limit. `hold`: letters that match and are allowed wait for approval. `deny`: letters that match are denied, whatever other rules say. `alert`: letters that match, or that reach 50, 80 or 100 % of the limit, send a notification.
    effect: RuleEffect


class PolicyRules(_PolicyRules, total=False):
    # The letters that the rule is about: each member names values of which the letter has one. Absent: all letters.
    when: PolicyRulesWhen
    limit: PolicyLimit


class PolicyRulesWhen(TypedDict, total=False):
    """The letters that the rule is about: each member names values of which the letter has one. Absent: all letters."""

    countries: list[CountryCode]
    services: list[ServiceId]
    intents: list[IntentClass]
    content_types: list[ContentKind]
    # True: recipients of an earlier letter of the account, by name and address, whose production began and whose personal data are not erased. False: all others. An allow rule takes true, hold and deny rules take false, an alert rule takes either.
    known_recipient: bool
    # The letter costs more than this. USD, commission included.
    price_above: float
    recipients: list[str]


ApprovalStatus = Literal["pending", "approved", "rejected", "expired", "superseded"]


class _RequestedPolicy(TypedDict):
    # IANA name. Calendar periods begin in this zone.
    time_zone: str
    rules: list[RequestedPolicyRules]


class RequestedPolicy(_RequestedPolicy, total=False):
    """Null: the policy is deleted."""

    approvals: PolicyApprovals


class _RequestedPolicyRules(TypedDict):
    # At most 64 of A-Z, a-z, 0-9, `_`, `.` and `-`, unique within the policy; by default `rule-1`, `rule-2`, … A rule keeps what was used of its limit while its id and its period stay.
    id: str
    # `allow`: letters that match are allowed, within the limit. `hold`: letters that match and are allowed wait for approval. `deny`: letters that match are denied, whatever other rules say. `alert`: letters that match, or that reach 50, 80 or 100 % of the limit, send a notification.
    effect: RuleEffect


class RequestedPolicyRules(_RequestedPolicyRules, total=False):
    # The letters that the rule is about: each member names values of which the letter has one. Absent: all letters.
    when: RequestedPolicyRulesWhen
    limit: PolicyLimit


class RequestedPolicyRulesWhen(TypedDict, total=False):
    """The letters that the rule is about: each member names values of which the letter has one. Absent: all letters."""

    countries: list[CountryCode]
    services: list[ServiceId]
    intents: list[IntentClass]
    content_types: list[ContentKind]
    # True: recipients of an earlier letter of the account, by name and address, whose production began and whose personal data are not erased. False: all others. An allow rule takes true, hold and deny rules take false, an alert rule takes either.
    known_recipient: bool
    # The letter costs more than this. USD, commission included.
    price_above: float
    recipients: list[str]


class PolicyChange(TypedDict):
    approval_id: str
    # A page that shows an approver what waits. The address alone shows nothing and decides nothing.
    approval_url: str
    # `superseded`: the letter was changed, cancelled, deleted or sent again, or the policy changed.
    status: ApprovalStatus
    # `account`, the id of the key, or `ucan:<cid>`. A key that replaces another keeps the policy of the first one, under its id.
    policy: str
    # The version of the policy that the change is for. 0: there was no policy.
    base_version: int
    # A hash of exactly this change.
    commitment: str
    before: Policy | None
    after: RequestedPolicy | None
    # Approvals that the change still waits for.
    approvals_missing: int
    # The key or UCAN that asked for the change. Null: a wallet.
    requested_by: str | None
    # The approvers that approved so far.
    decided_by: list[str]
    # Why it was rejected, where the approver said so.
    reason: str | None
    # RFC 3339, UTC, with milliseconds.
    expires_at: str


class SetPolicyApprovals(TypedDict, total=False):
    """The approvers of letters that hold rules match. No credential approves a letter that it sent, nor one of a credential that it comes from or that comes from it."""

    # How many approvers must approve a letter. Default: 1.
    quorum: SetPolicyApprovalsQuorum
    # E-mail addresses and ids of keys. Empty: any key with scope full and without a policy, and the confirmed address of the account.
    approvers: list[str]
    # How long a letter waits. Default: 72.
    expires_in_hours: int


SetPolicyApprovalsQuorum = PolicyApprovalsQuorum


class _SetPolicy(TypedDict):
    rules: list[SetPolicyRules]


class SetPolicy(_SetPolicy, total=False):
    approvals: SetPolicyApprovals
    # IANA name. Calendar periods begin in this zone. Default: the zone of the policy before, otherwise that of the policy of the account, otherwise UTC.
    time_zone: str
    # Ask for an approval where the caller cannot make the change: 202. Otherwise such a change answers 403.
    request_approval: bool


class _SetPolicyRules(TypedDict):
    # `allow`: letters that match are allowed, within the limit. `hold`: letters that match and are allowed wait for approval. `deny`: letters that match are denied, whatever other rules say. `alert`: letters that match, or that reach 50, 80 or 100 % of the limit, send a notification.
    effect: RuleEffect


class SetPolicyRules(_SetPolicyRules, total=False):
    # At most 64 of A-Z, a-z, 0-9, `_`, `.` and `-`, unique within the policy; by default `rule-1`, `rule-2`, … A rule keeps what was used of its limit while its id and its period stay.
    id: str
    # The letters that the rule is about: each member names values of which the letter has one. Absent: all letters.
    when: SetPolicyRulesWhen
    limit: PolicyLimit


class SetPolicyRulesWhen(TypedDict, total=False):
    """The letters that the rule is about: each member names values of which the letter has one. Absent: all letters."""

    countries: list[CountryCode]
    services: list[ServiceId]
    intents: list[IntentClass]
    content_types: list[ContentKind]
    # True: recipients of an earlier letter of the account, by name and address, whose production began and whose personal data are not erased. False: all others. An allow rule takes true, hold and deny rules take false, an alert rule takes either.
    known_recipient: bool
    # The letter costs more than this. USD, commission included.
    price_above: float
    # Name and address of each recipient. Only a keyed digest of each is stored; an answer shows the digests, and they can be sent again.
    recipients: list[RecipientAddress | str]


class PolicyChanges(TypedDict):
    data: list[PolicyChange]


class Budgets(TypedDict):
    data: list[BudgetsData]


class BudgetsData(TypedDict):
    # `account`, the id of a key, or `ucan:<cid>`.
    policy: str
    rule: str
    # `allow`: letters beyond the limit are denied. `alert`: the limit only sends notifications, and letters beyond it are allowed.
    effect: BudgetsDataEffect
    limit: PolicyLimit
    # IANA name. Calendar periods begin in this zone.
    time_zone: str
    # Of letters whose production began, and of letters that were cancelled where the limit counts letters. USD or letters.
    used: float
    # Of letters that wait for their production. USD or letters.
    reserved: float
    # USD for a limit of money; otherwise letters.
    remaining: float
    # When the period ends; for `rolling_24h`, when the oldest hour stops counting. Null: never, or nothing is used.
    resets_at: str | None


BudgetsDataEffect = Literal["allow", "alert"]


class Freeze(TypedDict):
    # `account`, the id of a key, or `ucan:<cid>`. A key that replaces another is named by the id of the first one.
    subject: str
    frozen: bool
    # Null: it is not frozen.
    since: str | None


class FrozenList(TypedDict):
    data: list[FrozenListData]


class FrozenListData(TypedDict):
    # `account`, the id of a key, or `ucan:<cid>`. A key that replaces another is named by the id of the first one.
    subject: str
    # RFC 3339, UTC, with milliseconds.
    since: str


class _FreezeUcan(TypedDict):
    # The CID of a UCAN, as the answer that issued it shows it: bafkrei….
    cid: str


class FreezeUcan(_FreezeUcan, total=False):
    token: str
    # Further tokens of the chain that were not issued here.
    proofs: list[str]


class UnfreezeUcan(TypedDict):
    # The CID of a UCAN, as the answer that issued it shows it: bafkrei….
    cid: str


class Approval(TypedDict):
    approval_id: str
    letter_id: str
    # `superseded`: the letter was changed, cancelled, deleted or sent again, or the policy changed.
    status: ApprovalStatus
    # A salted hash of what is approved: document, sender, recipient, service and price.
    commitment: str
    price: Price
    # The rules that hold the letter.
    reasons: list[ApprovalReason]
    # The key or UCAN that sent the letter. Null: a wallet.
    requested_by: str | None
    decisions: list[ApprovalDecisions]
    # Why it was rejected, where the approver said so. Only in the answer for one approval.
    reason: str | None
    # RFC 3339, UTC, with milliseconds.
    requested_at: str
    # RFC 3339, UTC, with milliseconds.
    expires_at: str


class ApprovalDecisions(TypedDict):
    # The id of a key, `ucan:<cid>`, `email`, or `operator`.
    approver: str
    decision: ApprovalDecisionsDecision
    # RFC 3339, UTC, with milliseconds.
    at: str


ApprovalDecisionsDecision = Literal["approve", "reject"]


class DecidedApproval(TypedDict):
    approval_id: str
    letter_id: str
    # `superseded`: the letter was changed, cancelled, deleted or sent again, or the policy changed.
    status: ApprovalStatus
    letter_status: LetterStatus
    # Approvals that the letter still waits for, by the policy that needs most.
    approvals_missing: int


class _DecideApproval(TypedDict):
    # The token in the link of the mail.
    token: str
    decision: DecideApprovalDecision


class DecideApproval(_DecideApproval, total=False):
    # Of a rejection.
    reason: str
    # Default: by `Accept-Language`.
    language: Language


DecideApprovalDecision = ApprovalDecisionsDecision


class _TopUpRequest(TypedDict):
    method: TopUpMethod
    # US dollars, whole cents.
    amount: float


class TopUpRequest(_TopUpRequest, total=False):
    currency: ChargeCurrency
    # usdc: the wallet that you transfer from; only a transfer from it counts. Leave it out if you do not know it (an exchange).
    from_address: str
    # usdc: answer 402, so that an x402 client pays in the same call.
    pay_now: bool


class PlacedOrder(TypedDict):
    order_id: str
    letter_id: str
    # `paid`: the letter is about to be queued, or waits for approval. `queued`: the letter was sent with the money; the order's `letter_status` shows its progress. `credited`: the order was paid but the letter was not sent; the money is in the account's wallet.
    status: PlacedOrderStatus
    # The page where the payer pays; null when it is closed.
    checkout_url: str | None
    # The charge to the card.
    amount: float
    currency: ChargeCurrency
    # RFC 3339, UTC, with milliseconds.
    expires_at: str


PlacedOrderStatus = OrderStatus


class _OrderRequest(TypedDict):
    to_name: str
    to_line1: str
    to_city: str
    to_postal_code: str
    to_country: CountryCode
    from_name: str
    from_line1: str
    from_city: str
    from_postal_code: str
    from_country: CountryCode
    # E-mail address of the payer, for confirmations.
    email: str


class OrderRequest(_OrderRequest, total=False):
    to_company: str
    to_line2: str
    to_state: str
    from_company: str
    from_line2: str
    from_state: str
    # Plain text or HTML. In plain text, blank lines separate paragraphs, and tab stops are 8 digits apart. Markdown is not interpreted. At most 500000 bytes in UTF-8. HTML runs without scripts and network; its images are data URIs.
    content: str
    # The type of `content`. By default HTML if the content begins with a tag, a comment or a doctype, otherwise text.
    content_type: ContentType
    # https address of a PDF to print instead of content. The service fetches it once, now, and checks it: A4 (Letter to US and CA), embedded fonts, nothing in the address window and the margins.
    document_url: str
    # The PDF itself in base64, instead of content; checked like document_url. At most 10485760 bytes. In a form (multipart/form-data) send the PDF as a file.
    document: str
    # How the address gets onto a PDF. `stamp` (default): the service prints it onto the first page. `in_document`: the PDF already shows it in the window, as text that is legible on paper; the service reads it, compares it with `to_name`, `to_line1`, `to_postal_code` and `to_city`, and prints nothing onto the page. `insert_page`: the service adds a page in front with address, sender, date and reference. That page counts, and the first page of the document then needs no free address field.
    address_placement: AddressPlacement
    # Makes a PDF fit: scales or shifts its pages, or adds an address page in front, which counts as a page. Shrinks HTML that is slightly too wide. `warnings` list the changes.
    auto_fix: bool
    # By default the cheapest service of the country, or the cheapest that meets `intent`.
    service: ServiceId
    # What the letter is for. Default: `transactional`. `confidential`, `legal_compliance`, `regulatory_filing` and `time_critical` promise a deadline or a proof; a `service` sent with them must keep that promise. For the other two, `warnings` list what the service lacks.
    intent: IntentClass
    color: bool
    duplex: bool
    send_date: str
    # Language of the text that the service prints and mails, such as the date. Default: by the country of the sender.
    language: Language
    # The day in the date line, or false for no date. Default: the day of hand-over to the post.
    date: str | Literal[False]
    # The `logo_id` of an uploaded logo (POST /api/logos), or a PNG or JPEG as data URI (data:image/png;base64,…) of at most 200000 bytes and 4000000 pixels. Printed at the top right of the first page, in at most 70 × 22 mm.
    logo: str
    # Small print at the foot of the first page, such as bank, register and contact. At most 4 lines.
    footer: str
    reference: str
    # Up to 20 key-value pairs of your own, by which you can filter lists of letters.
    metadata: dict[str, str]
    quote_id: str
    # The most that the letter may cost in all, in US dollars. Above it, the request is refused with `max_total_exceeded`.
    max_total: float
    # Turns errors in the format of an address into warnings.
    accept_address_as_is: bool
    # Currency of the charge. Default: USD.
    currency: ChargeCurrency


class OfferTier(TypedDict):
    tier: OfferTierName
    service: ServiceId
    service_name: str
    operator: str
    # Business days from hand-over, by the operator's standard.
    sla_days: int
    # Whether the operator guarantees them.
    guaranteed: bool
    tracking: TrackingClass
    # The strongest proof that the service gives.
    proof: ProofLevel
    # Whether it meets the SLA and the proof of the intent class.
    meets_intent: bool
    expected_delivery: OfferTierExpectedDelivery
    pages: int
    sheets: int
    local: LocalPostage
    fiat: OfferTierFiat
    crypto: OfferTierCrypto
    # By the weights of the class (GET /api/anp/intent-classes), 0 to 1.
    score: float
    # 1 is the best score.
    rank: int
    # How it differs from the other tiers, and what it lacks for the class.
    difference: str


class OfferTierExpectedDelivery(TypedDict):
    earliest: str
    latest: str


class _OfferTierFiat(TypedDict):
    # USD.
    postage: float
    # USD.
    printing: float
    # Surcharge of the intent class, and commission.
    handling: float
    # The commission in `handling`.
    commission: float
    commission_rate: float
    # For one letter: postage + printing + handling.
    total: float
    # `total` times `quantity`.
    quantity_total: float
    currency: OfferTierFiatCurrency


class OfferTierFiat(_OfferTierFiat, total=False):
    discount: Discount


OfferTierFiatCurrency = CommitmentCurrency


class _OfferTierCrypto(TypedDict):
    # USD.
    postage: float
    # USD.
    printing: float
    # Surcharge of the intent class, and commission.
    handling: float
    # The commission in `handling`.
    commission: float
    commission_rate: float
    # For one letter: postage + printing + handling.
    total: float
    # `total` times `quantity`.
    quantity_total: float
    currency: OfferTierCryptoCurrency


class OfferTierCrypto(_OfferTierCrypto, total=False):
    discount: Discount
    # How to pay for one letter by x402, if it is configured.
    x402: OfferTierCryptoX402


OfferTierCryptoCurrency = CommitmentCurrency


class OfferTierCryptoX402(TypedDict):
    """How to pay for one letter by x402, if it is configured."""

    network: str
    asset: str
    # In the smallest unit of the asset.
    amount: str
    payTo: str


class RequestOfOffer(TypedDict):
    """The request, without personal data."""

    intent: IntentClass
    to_country: CountryCode
    quantity: int
    pages: int | None
    color: bool
    duplex: bool
    service: ServiceId | None
    send_date: str | None


class Offer(TypedDict):
    offer_id: str
    # Premium, standard and economy.
    tiers: list[OfferTier]
    recommended: OfferTierName
    recommended_because: list[str]
    # RFC 3339, UTC, with milliseconds.
    expires_at: str
    # DID of the service.
    iss: str
    # The only account that may accept it. Null: the first account that accepts it.
    account_id: str | None
    test: bool
    intent: IntentClass
    # Requirements of the class.
    sla_days: int
    proof_level: ProofLevel
    request: RequestOfOffer
    # SHA-256 of `request` in canonical form (RFC 8785), base64url.
    request_hash: str
    quantity: int
    terms: OfferTerms
    pricing_version: str
    # RFC 3339, UTC, with milliseconds.
    issued_at: str
    # 128 random bits.
    jti: str
    # SHA-256 of the offer without `offer_hash` and `jws` in canonical form (RFC 8785), base64url.
    offer_hash: str
    # Compact JWS (EdDSA) by the service; its payload is the offer without `jws` in canonical form.
    jws: str


class OfferTerms(TypedDict):
    # An offer can be accepted once.
    max_uses: Literal[1]
    # How long the accepted price is valid.
    commitment_hours: int


class _OfferRequest(TypedDict):
    # What the letter is for. GET /api/anp/intent-classes lists the classes.
    intent: IntentClass
    to_country: CountryCode


class OfferRequest(_OfferRequest, total=False):
    # How many such letters the price covers.
    quantity: int
    to_name: str
    to_line1: str
    to_city: str
    to_postal_code: str
    to_company: str
    to_line2: str
    to_state: str
    from_name: str
    from_line1: str
    from_city: str
    from_postal_code: str
    from_country: CountryCode
    from_company: str
    from_line2: str
    from_state: str
    # Plain text or HTML. In plain text, blank lines separate paragraphs, and tab stops are 8 digits apart. Markdown is not interpreted. At most 500000 bytes in UTF-8. HTML runs without scripts and network; its images are data URIs.
    content: str
    # The type of `content`. By default HTML if the content begins with a tag, a comment or a doctype, otherwise text.
    content_type: ContentType
    # https address of a PDF to print instead of content. The service fetches it once, now, and checks it: A4 (Letter to US and CA), embedded fonts, nothing in the address window and the margins.
    document_url: str
    # The PDF itself in base64, instead of content; checked like document_url. At most 10485760 bytes. In a form (multipart/form-data) send the PDF as a file.
    document: str
    # How the address gets onto a PDF. `stamp` (default): the service prints it onto the first page. `in_document`: the PDF already shows it in the window, as text that is legible on paper; the service reads it, compares it with `to_name`, `to_line1`, `to_postal_code` and `to_city`, and prints nothing onto the page. `insert_page`: the service adds a page in front with address, sender, date and reference. That page counts, and the first page of the document then needs no free address field.
    address_placement: AddressPlacement
    # Makes a PDF fit: scales or shifts its pages, or adds an address page in front, which counts as a page. Shrinks HTML that is slightly too wide. `warnings` list the changes.
    auto_fix: bool
    # By default the cheapest service of the country, or the cheapest that meets `intent`.
    service: ServiceId
    color: bool
    duplex: bool
    send_date: str
    # Language of the text that the service prints and mails, such as the date. Default: by the country of the sender.
    language: Language
    # The day in the date line, or false for no date. Default: the day of hand-over to the post.
    date: str | Literal[False]
    # The `logo_id` of an uploaded logo (POST /api/logos), or a PNG or JPEG as data URI (data:image/png;base64,…) of at most 200000 bytes and 4000000 pixels. Printed at the top right of the first page, in at most 70 × 22 mm.
    logo: str
    # Small print at the foot of the first page, such as bank, register and contact. At most 4 lines.
    footer: str
    reference: str
    # Up to 20 key-value pairs of your own, by which you can filter lists of letters.
    metadata: dict[str, str]
    # Check and keep the letter without sending it.
    draft: bool
    # If the wallet does not cover the price, keep the letter as a draft.
    hold_without_funds: bool
    # The most that the letter may cost in all, in US dollars. Above it, the request is refused with `max_total_exceeded`.
    max_total: float
    # Turns errors in the format of an address into warnings.
    accept_address_as_is: bool
    # Only says the outcome. The answer has the decision of the policies and the price. Nothing is stored, held or charged, and an `Idempotency-Key` has no effect.
    dry_run: bool
    # To send instead of the content itself.
    pages: int


class _AcceptOffer(TypedDict):
    tier: OfferTierName


class AcceptOffer(_AcceptOffer, total=False):
    offer_id: str
    # The offer exactly as you received it, or its `jws`. Send it instead of `offer_id`, or with it to prove what the offer said.
    offer: dict[str, Any] | str
    # The money that pays: money in the wallet that came as cryptocurrency (or x402), or other money.
    payment_method: AcceptOfferPaymentMethod
    # The version of the offer that you accept. Any other version is refused.
    offer_hash: str


AcceptOfferPaymentMethod = CommitmentPaymentMethod


class _CreateContract(TypedDict):
    # The number of letters that you will send in each period.
    committed_units: int
    period: CreateContractPeriod


class CreateContract(_CreateContract, total=False):
    # The number of consecutive periods. Each is counted and settled separately.
    period_count: int
    # A day (from its beginning in `time_zone`) or a time with its offset, within a year. Default: now.
    starts_at: str
    # The time zone whose calendar ends the periods, such as `Europe/Berlin`.
    time_zone: str


CreateContractPeriod = VolumeContractPeriod


class EndedPeriod(TypedDict):
    contract_id: str
    ended_period: int
    message: str


class ReplayedNotification(TypedDict):
    id: str
    message: str


class AuditWebhook(TypedDict):
    id: str
    url: str
    events: list[str] | None
    # null: every letter.
    letter_id: str | None
    # RFC 3339, UTC, with milliseconds.
    created_at: str
    # disabled: it answered 410, or every attempt in five days failed; register it again. ended: the key or UCAN that registered it has ended.
    state: AuditWebhookState
    disabled_reason: WebhookDisabledReason | None
    # RFC 3339, UTC, with milliseconds.
    disabled_at: str | None
    # The current public key to verify the v1a signature: whpk_ and an Ed25519 key in base64. After a rotation, the previous key also signs for 7 days.
    public_key: str


AuditWebhookState = Literal["active", "disabled", "ended"]


class NewAuditWebhook(TypedDict):
    id: str
    url: str
    events: list[str] | None
    # null: every letter.
    letter_id: str | None
    # RFC 3339, UTC, with milliseconds.
    created_at: str
    # disabled: it answered 410, or every attempt in five days failed; register it again. ended: the key or UCAN that registered it has ended.
    state: NewAuditWebhookState
    disabled_reason: WebhookDisabledReason | None
    # RFC 3339, UTC, with milliseconds.
    disabled_at: str | None
    # The current public key to verify the v1a signature: whpk_ and an Ed25519 key in base64. After a rotation, the previous key also signs for 7 days.
    public_key: str
    # The secret that signs the webhooks (v1). Shown once.
    secret: str


NewAuditWebhookState = AuditWebhookState


class _SubscribeAudit(TypedDict):
    # An address that begins with https://.
    url: str


class SubscribeAudit(_SubscribeAudit, total=False):
    events: list[SubscribeAuditEvents]
    letter_id: str


SubscribeAuditEvents = Literal["letter.drafted", "letter.queued", "letter.updated", "letter.send_abandoned", "letter.approval_requested", "letter.approval_given", "letter.approval_rejected", "letter.approval_expired", "letter.processing_started", "letter.print_job_accepted", "letter.posted", "letter.in_transit", "letter.delivered", "letter.returned", "letter.tracking_number_assigned", "letter.cancellation_requested", "letter.cancellation_rejected", "letter.cancelled", "letter.failed", "letter.erased"]


class AuditWebhooks(TypedDict):
    data: list[AuditWebhook]


class RemovedAuditWebhooks(TypedDict):
    removed: list[str]


class UnsubscribeAudit(TypedDict, total=False):
    id: str
    # An address that begins with https://.
    url: str


class AuditDelivery(TypedDict):
    # Also used as the webhook-id.
    event_id: str
    letter_id: str | None
    # Kind of event, such as letter.posted.
    type: str
    # RFC 3339, UTC, with milliseconds.
    created_at: str
    state: AuditDeliveryState
    # RFC 3339, UTC, with milliseconds.
    next_attempt_at: str | None
    # Oldest first. Of many, the latest 50.
    attempts: list[AuditDeliveryAttempts]


AuditDeliveryState = DeliveryChannelState


class AuditDeliveryAttempts(TypedDict):
    # RFC 3339, UTC, with milliseconds.
    at: str
    # HTTP status of the answer.
    status: int | None
    # The error, if there was no answer.
    error: str | None
    duration_ms: int


class AuditMessage(TypedDict):
    event_id: str
    # Kind of event, such as letter.posted.
    type: str
    headers: AuditMessageHeaders
    # JSON, as the signatures cover it. Null until the first attempt: it decides which proof of inclusion the body has.
    body: str | None


AuditMessageHeaders = TypedDict(
    "AuditMessageHeaders",
    {
        "content-type": "str",
        "webhook-id": "str",
    },
)


class ReplayedDelivery(TypedDict):
    event_id: str
    replayed: Literal[True]


class ReplayedEvents(TypedDict):
    # How many events are delivered again.
    replayed: int
    # Everything up to this log index is done. Null: no credential follows.
    last_index: int | None
    # Whether more can follow: send `last_index` as `after_index`.
    has_more: bool


class ReplayAuditEvents(TypedDict, total=False):
    # The `logIndex` of the last credential that you have: events whose credentials follow are delivered again.
    after_index: int
    # Only events that happened at this time or later are delivered again.
    since: str


class CallerDid(TypedDict):
    did: str
    # The DID document.
    document: dict[str, Any]
    # Whether this request created or set it.
    created: bool
    # The keeper of its private key.
    custody: CallerDidCustody


CallerDidCustody = Literal["service", "self"]


class DidChallenge(TypedDict):
    did: str
    # The text to sign, unchanged.
    challenge: str
    # RFC 3339, UTC, with milliseconds.
    expires_at: str


class SetDid(TypedDict, total=False):
    # Your DID, such as did:key:z6Mk….
    did: str
    challenge: str
    # Over the bytes of `challenge`: base64url, or for did:pkh a personal_sign signature (EIP-191), 0x….
    signature: str


class Presentation(TypedDict):
    # The Verifiable Presentation (JWT).
    presentation: str
    # Whether it contains the challenge of a verifier.
    bound: bool
    # RFC 3339, UTC, with milliseconds.
    expires_at: str
    warnings: list[PresentationWarnings]


class PresentationWarnings(TypedDict):
    code: str
    detail: str


class Present(TypedDict, total=False):
    credentials: list[str]
    credential_ids: list[str]
    # The challenge from the verifier.
    challenge: str
    # The domain of the verifier.
    domain: str


class NewAuditLink(TypedDict):
    # Id of the link in lists and for its revocation.
    id: str
    url: str
    # RFC 3339, UTC, with milliseconds.
    expires_at: str


class CreateAuditLink(TypedDict, total=False):
    # In seconds. The link never outlives the credential that makes it.
    expires_in: int


class AuditLinks(TypedDict):
    data: list[AuditLinksData]


class AuditLinksData(TypedDict):
    # Id of the link in lists and for its revocation.
    id: str
    # RFC 3339, UTC, with milliseconds.
    created_at: str
    # RFC 3339, UTC, with milliseconds.
    expires_at: str


class RevokedAuditLink(TypedDict):
    # Id of the link in lists and for its revocation.
    id: str
    revoked: Literal[True]
    # RFC 3339, UTC, with milliseconds.
    revoked_at: str


class ConsoleLink(TypedDict):
    # Give it to one person. It is a secret until it is used.
    url: str
    # RFC 3339, UTC, with milliseconds.
    expires_at: str


class CreateConsoleLink(TypedDict, total=False):
    # The session may look and do nothing else. Default: false.
    read_only: bool
    # Seconds in which the link must be used. Default: 600. The session lasts longer.
    expires_in: int


class MechEnvelope(TypedDict):
    success: bool
    # The result of the action; null on failure.
    data: dict[str, Any] | None
    error: MechEnvelopeError | None
    # The id of the request, or one made for it.
    request_id: str
    # In xDAI; 0 on failure.
    price_paid_wei: int
    price_paid_human: str


class _MechEnvelopeError(TypedDict):
    # A stable code. GET /errors/{code} explains it.
    code: str
    # The same for every occurrence of the code.
    message: str
    # One sentence that says what to do.
    detail: str


class MechEnvelopeError(_MechEnvelopeError, total=False):
    errors: list[MechEnvelopeErrorErrors]


class _MechEnvelopeErrorErrors(TypedDict):
    pointer: str
    code: str
    detail: str


class MechEnvelopeErrorErrors(_MechEnvelopeErrorErrors, total=False):
    hint: str


class _MechExecute(TypedDict):
    # The tool, `service_send_letter`.
    tool: str
    # `action` and its fields, as an object or as JSON text.
    params: dict[str, Any] | str


class MechExecute(_MechExecute, total=False):
    # 1 to 128 visible ASCII characters: an id of the marketplace, in hex or in decimal digits, or your own. Each id is carried out once: repeating it repeats the same request. Required for paid actions, except in test mode.
    request_id: str


class StatusMessage(TypedDict):
    # What happened, such as `letter.posted`. Ignore types that you do not know.
    type: str
    # RFC 3339, UTC, with milliseconds.
    timestamp: str
    data: StatusMessageData


class _StatusMessageData(TypedDict):
    notification_id: str
    letter_id: str | None
    status: LetterStatus | None
    # Whether the account is a test account.
    test: bool


class StatusMessageData(_StatusMessageData, total=False):
    # Of the types `approval.…` and `policy_change.…`.
    approval_id: str
    # The page of the approval, without the token of an approver.
    approval_url: str


class CredentialMessage(TypedDict):
    # `letter.event.credential`, or `webhook.test`.
    type: str
    # RFC 3339, UTC, with milliseconds.
    timestamp: str
    data: CredentialMessageData


class CredentialMessageData(TypedDict):
    letter_id: str | None
    event_id: str
    # Position of the event in its stream.
    sequence: int
    status: LetterStatus | None
    # The Verifiable Credential of the event (JWT).
    credential: str
    # Text of C2SP tlog-proof. Null if no checkpoint covers the credential yet.
    inclusion_proof: str | None
    # Names the log. It changes when the service is restored from a backup.
    log_id: str


class _Problem(TypedDict):
    type: str
    # The same for every occurrence of the code.
    title: str
    status: int
    # One sentence that says what to do.
    detail: str
    # The path of the request.
    instance: str
    code: ProblemCode
    request_id: str


class Problem(_Problem, total=False):
    errors: list[ProblemErrors]


ProblemCode = Literal["invalid_json", "invalid_form", "duplicate_name", "invalid_encoding", "invalid_header", "payment_malformed", "invalid_did", "invalid_did_url", "authentication_required", "sign_in_invalid", "invalid_api_key", "partner_signature_invalid", "webhook_signature_invalid", "ucan_invalid", "missing_proofs", "payment_required", "payment_invalid", "insufficient_funds", "max_total_exceeded", "scope_insufficient", "caveat_not_met", "policy_denied", "approval_required", "approver_is_requester", "approver_not_allowed", "frozen", "account_closing", "closure_code_required", "policy_protected", "delegation_escalates", "revocation_not_allowed", "test_mode_only", "account_blocked", "key_unconfirmed", "mech_proof_needed", "registration_closed", "offer_not_yours", "not_found", "topup_not_found", "policy_not_found", "contract_not_found", "mech_disabled", "order_not_found", "offer_not_found", "commitment_not_found", "profile_not_found", "approval_not_found", "letter_not_found", "credential_not_found", "logo_not_found", "audit_link_not_found", "key_not_found", "job_not_found", "ucan_not_found", "notification_not_found", "export_not_found", "closure_not_found", "account_not_found", "country_not_supported", "did_not_found", "method_not_allowed", "not_acceptable", "idempotency_in_progress", "payment_already_used", "payment_pending", "payment_not_taken", "mech_request_reused", "email_registered", "agent_registered", "contract_over", "contract_needs_history", "contract_overlaps", "export_in_progress", "export_not_ready", "last_full_key", "freeze_limit_reached", "policy_limit_reached", "key_limit_reached", "email_not_set", "webhook_not_set", "subscription_limit_reached", "topup_limit_reached", "logo_limit_reached", "audit_link_limit_reached", "key_revoked", "did_self_custody", "recovery_token_used", "letter_not_cancellable", "letter_not_updatable", "letter_not_deletable", "letter_not_sendable", "approval_pending", "approval_over", "letter_not_advanceable", "offer_already_accepted", "commitment_consumed", "commitment_mismatch", "commitment_payment_mismatch", "offer_expired", "commitment_expired", "letter_deleted", "did_deactivated", "secret_not_repeated", "conflict", "version_mismatch", "request_timeout", "body_too_large", "unsupported_media_type", "validation_failed", "address_invalid", "service_not_available", "content_not_printable", "too_many_pages", "offer_invalid", "quote_invalid", "quote_expired", "quote_mismatch", "idempotency_key_reused", "url_not_allowed", "document_not_supported", "recovery_token_invalid", "recovery_token_expired", "closure_code_invalid", "confirmation_invalid", "confirmation_expired", "position_beyond_log", "invalid_cursor", "statement_too_long", "audit_too_long", "did_challenge_invalid", "did_control_not_proved", "delegation_invalid", "event_too_large", "rate_limited", "mech_cap_reached", "quota_exceeded", "internal_error", "payment_method_unavailable", "did_not_supported", "did_document_invalid", "payment_unavailable", "mech_unavailable", "exchange_rate_stale", "overloaded", "html_unavailable", "store_unavailable", "storage_full", "read_model_behind"]


class _ProblemErrors(TypedDict):
    # RFC 6901; `/query/…` for query parameters.
    pointer: str
    code: str
    detail: str


class ProblemErrors(_ProblemErrors, total=False):
    hint: str


class ListUcansAnswer(TypedDict):
    data: list[ListedUcan]
    has_more: bool
    # Send it as `cursor` to get the next page. Null on the last page.
    next_cursor: str | None


class ListNotificationsAnswer(TypedDict):
    data: list[Notification]
    has_more: bool
    # Send it as `cursor` to get the next page. Null on the last page.
    next_cursor: str | None


class ListLettersAnswer(TypedDict):
    data: list[Letter]
    has_more: bool
    # Send it as `cursor` to get the next page. Null on the last page.
    next_cursor: str | None


class SearchLettersBody(TypedDict):
    recipient: RecipientAddress


X402StatusMethod = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
ListTopUpsStatus = TopUpStatus


class ListTopUpsAnswer(TypedDict):
    data: list[TopUp]
    has_more: bool
    # Send it as `cursor` to get the next page. Null on the last page.
    next_cursor: str | None


ListOrdersStatus = OrderStatus


class ListOrdersAnswer(TypedDict):
    data: list[Order]
    has_more: bool
    # Send it as `cursor` to get the next page. Null on the last page.
    next_cursor: str | None


class ListCommitmentsAnswer(TypedDict):
    data: list[Commitment]
    has_more: bool
    # Send it as `cursor` to get the next page. Null on the last page.
    next_cursor: str | None


ListContractsState = Literal["active", "fulfilled", "breached", "all"]


class ListContractsAnswer(TypedDict):
    data: list[VolumeContract]
    has_more: bool
    # Send it as `cursor` to get the next page. Null on the last page.
    next_cursor: str | None


class ListCredentialsAnswer(TypedDict):
    data: list[IssuedCredential]
    has_more: bool
    # Send it as `cursor` to get the next page. Null on the last page.
    next_cursor: str | None


class ListAccountAuditLinksAnswer(TypedDict):
    data: list[ListedAuditLink]
    has_more: bool
    # Send it as `cursor` to get the next page. Null on the last page.
    next_cursor: str | None


class _VerifyCredentialBody(TypedDict):
    # A compact JWS.
    credential: str


class VerifyCredentialBody(_VerifyCredentialBody, total=False):
    # The `nonce` that a presentation must have.
    challenge: str
    # The `aud` that a presentation must name.
    domain: str


class ListRequestsAnswer(TypedDict):
    data: list[LoggedRequest]
    has_more: bool
    # Send it as `cursor` to get the next page. Null on the last page.
    next_cursor: str | None


RevokeKeyRevokeIssued = Literal["true", "false"]
RevokeOwnKeyRevokeIssued = RevokeKeyRevokeIssued
DeletePolicyRequestApproval = RevokeKeyRevokeIssued


class DeletePolicyAnswer1(TypedDict):
    policy: str
    deleted: Literal[True]


DeleteKeyPolicyRequestApproval = RevokeKeyRevokeIssued


class DeleteKeyPolicyAnswer1(TypedDict):
    policy: str
    deleted: Literal[True]


DeleteUcanPolicyRequestApproval = RevokeKeyRevokeIssued


class DeleteUcanPolicyAnswer1(TypedDict):
    policy: str
    deleted: Literal[True]


class RejectPolicyChangeBody(TypedDict, total=False):
    reason: str


class ListApprovalsAnswer(TypedDict):
    data: list[Approval]
    has_more: bool
    # Send it as `cursor` to get the next page. Null on the last page.
    next_cursor: str | None


class RejectLetterBody(TypedDict, total=False):
    reason: str


class ListAuditDeliveriesAnswer(TypedDict):
    data: list[AuditDelivery]
    has_more: bool
    # Send it as `cursor` to get the next page. Null on the last page.
    next_cursor: str | None
