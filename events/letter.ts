/**
 * Events of a letter. Stream `letter-<letter_id>`, data key subject = the stream.
 *
 * Persisted contract: type names and shapes here are what lies in the store. Add a type or a version
 * with an upcaster and a golden file (test/golden-events/); never change one in place.
 */
import type { Static } from 'typebox';
import { Type } from '../ground/type.ts';
import type { EventDefinitions, EventUnion } from './definition.ts';
import { ApprovalNeed, ApprovalNeeds, policyLimits } from './policy.ts';

const Id = Type.String({ minLength: 1, maxLength: 64 });
const Instant = Type.String({ minLength: 20, maxLength: 30 });
const Day = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' });
const Cents = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const Code = Type.String({ minLength: 1, maxLength: 64 });
const BlobKey = Type.String({ minLength: 1, maxLength: 128 });
/** A keyed HMAC or a salted hash, base64url. Never a bare hash of something personal. */
const Digest = Type.String({ minLength: 22, maxLength: 44 });

/** The amounts that the customer pays, split by the bucket of the wallet they come from. USD cents. */
const Charge = Type.Exact({
  subtotalCryptoCents: Cents,
  commissionCryptoCents: Cents,
  subtotalFiatCents: Cents,
  commissionFiatCents: Cents,
});

/**
 * The price lines in USD cents; the total is the sum of `charge`. `printCents` is already reduced by
 * `discount`, the amount that a volume contract took off it.
 */
export const Price = Type.Exact({
  postageCents: Cents,
  printCents: Cents,
  surchargeCents: Cents,
  charge: Charge,
  pricingVersion: Code,
  discount: Type.Optional(
    Type.Exact({
      contractId: Id,
      basisPoints: Type.Integer({ minimum: 1, maximum: 10_000 }),
      amountCents: Cents,
    }),
  ),
  local: Type.Exact({ currency: Type.String(), postageCents: Cents, rate: Type.String() }),
});

/** Everything about a letter that is not personal. */
export const LetterTerms = Type.Exact({
  accountId: Id,
  test: Type.Boolean(),
  service: Code,
  intent: Code,
  country: Type.String({ minLength: 2, maxLength: 2 }),
  pages: Type.Integer({ minimum: 1 }),
  sheets: Type.Integer({ minimum: 1 }),
  color: Type.Boolean(),
  duplex: Type.Boolean(),
  /** Decides where the window is: the letter is set for it. */
  envelope: Code,
  price: Price,
  /** sha256(salt ‖ content), base64url; the salt is personal. */
  commitment: Digest,
  /** Keyed HMACs that make a reference or a metadata pair findable. */
  referenceHash: Type.Optional(Digest),
  metadataHashes: Type.Optional(Type.Array(Digest, { maxItems: 50 })),
  sendDate: Type.Optional(Day),
  expectedDelivery: Type.Exact({ earliest: Day, latest: Day }),
  /** The kind of content that was sent. Absent: text. */
  kind: Type.Optional(Type.Literals(['text', 'html', 'pdf'])),
  /** The first page of the PDF is an address page that we put in front. */
  coverPage: Type.Optional(Type.Boolean()),
  /** The PDF brings its address along, in the window: we print none. */
  addressInDocument: Type.Optional(Type.Boolean()),
  /** How its pages are laid out (postal/geometry.ts). Absent: in the first layout. */
  layout: Type.Optional(Type.Literal(2)),
  /** Keys of its documents in the blob store, for erasure. They identify no person. */
  blobs: Type.Optional(Type.Array(BlobKey, { maxItems: 4 })),
});

const AddressPart = Type.Exact({
  name: Type.String(),
  company: Type.Optional(Type.String()),
  line1: Type.String(),
  line2: Type.Optional(Type.String()),
  city: Type.String(),
  state: Type.Optional(Type.String()),
  postalCode: Type.String(),
  country: Type.String(),
});

/** The personal part of a letter, complete each time it changes. */
export const LetterPersonal = Type.Exact({
  to: AddressPart,
  from: AddressPart,
  /** The text or HTML, or absent when it lies in the blob store under `contentBlob`. */
  content: Type.Optional(Type.String()),
  /** Of a PDF: the printed document. */
  contentBlob: Type.Optional(BlobKey),
  /** Of a PDF that was made to fit: the document as it came, which `commitment` is about. */
  originalBlob: Type.Optional(BlobKey),
  salt: Type.String(),
  /** The requested parts of the letterhead. Absent: a date in the language of the recipient's country. */
  stationery: Type.Optional(
    Type.Exact({
      language: Type.Literals(['de', 'fr', 'en']),
      /** Absent: the day of hand-over. */
      date: Type.Optional(Type.Union([Day, Type.Literal(false)])),
      logoBlob: Type.Optional(BlobKey),
      footer: Type.Optional(Type.String()),
    }),
  ),
  reference: Type.Optional(Type.String()),
  metadata: Type.Optional(Type.Record(Type.String(), Type.String())),
  warnings: Type.Array(
    Type.Exact({ pointer: Type.String(), code: Type.String(), detail: Type.String() }),
  ),
});

const empty = Type.Exact({});
const source = Type.Literals(['partner', 'carrier', 'operator', 'simulator']);
/** A step that was not reported itself but follows from a later one carries `inferred`. */
const step = {
  source,
  inferred: Type.Optional(Type.Boolean()),
  reportedAt: Type.Optional(Instant),
};
const House = Type.String({ minLength: 1, maxLength: 2_048 });

/** Version 1 knew no PDF that brings its address along, version 2 no discount, version 3 one layout only. */
const same = (data: Record<string, unknown>) => data;
const upcasters = { 1: same, 2: same, 3: same };

/** A key or UCAN (`own`) with all that it comes from (`line`), as subjects of policies. */
const Subjects = Type.Array(Type.String({ minLength: 1, maxLength: 160 }), { maxItems: 400 });
export const CredentialLine = Type.Exact({ own: Subjects, line: Subjects });

/** The first of the keys that were rotated one to another, `ucan:<cid>`, `email:<digest>`, or `operator`. */
export const ApproverName = Type.String({ minLength: 1, maxLength: 160 });
const Policies = Type.Array(ApprovalNeed.properties.policy, {
  minItems: 1,
  maxItems: policyLimits.policies,
});
const decision = { approvalId: Id, approver: ApproverName, credential: CredentialLine };

export const letterEvents = {
  LetterDrafted: {
    version: 4,
    data: Type.Exact({
      terms: LetterTerms,
      holdReason: Type.Literals(['requested', 'funds', 'approval']),
      requestHash: Digest,
    }),
    personal: LetterPersonal,
    upcasters,
  },
  /** Valid, priced and paid: the reservation `attemptId` in the wallet covers `terms.price`. */
  LetterQueued: {
    version: 4,
    data: Type.Exact({
      terms: LetterTerms,
      attemptId: Id,
      cancellableUntil: Instant,
      releaseAt: Instant,
      requestHash: Digest,
    }),
    personal: LetterPersonal,
    upcasters,
  },
  /** Recipient, reference or metadata changed; the price with it where the country did. */
  LetterUpdated: {
    version: 5,
    data: Type.Exact({
      terms: LetterTerms,
      attemptId: Type.Optional(Id),
      changed: Type.Array(Type.String()),
      /** Both are set when a queued letter moves to another country; absent: unchanged. */
      cancellableUntil: Type.Optional(Instant),
      releaseAt: Type.Optional(Instant),
    }),
    personal: LetterPersonal,
    /** Version 4 has no new times. */
    upcasters: { ...upcasters, 4: same },
  },
  /** The request that reserved funds under `attemptId` never finished: it must not finish any more. */
  SendAbandoned: { version: 1, data: Type.Exact({ accountId: Id, attemptId: Id }) },
  /**
   * The letter is paid for under `attemptId` and waits for approvals. `commitment`: a salted hash of all that is
   * approved. The personal part: of a draft that was sent, as it is sent; absent: as it was drafted in the same commit.
   */
  ApprovalRequested: {
    version: 1,
    data: Type.Exact({
      approvalId: Id,
      attemptId: Id,
      terms: LetterTerms,
      commitment: Digest,
      needs: ApprovalNeeds,
      requester: CredentialLine,
      expiresAt: Instant,
      requestHash: Digest,
    }),
    personal: LetterPersonal,
  },
  /** One approver approves, for these policies. The last one that is needed queues the letter in the same commit. */
  ApprovalGiven: { version: 1, data: Type.Exact({ ...decision, policies: Policies }) },
  /** The letter stays a draft, and its money goes back. */
  ApprovalRejected: {
    version: 1,
    data: Type.Exact(decision),
    personal: Type.Exact({ reason: Type.String({ maxLength: 500 }) }),
  },
  ApprovalExpired: { version: 1, data: Type.Exact({ approvalId: Id }) },
  /** `house`: the address of the print house; absent: the partner has one house only, or the configured one. */
  LetterProcessingStarted: {
    version: 2,
    data: Type.Exact({ partner: Code, jobId: Id, house: Type.Optional(House), ...step }),
    /** Version 1 did not record the house. */
    upcasters: { 1: same },
  },
  /**
   * The print partner has the job: from here on it is printed once, unless it is given back. `house`: the address of the
   * print house that took the job; absent: the one with which production started. `datedAt`: when the pages were set,
   * which gives the date that they bear; absent: unknown.
   */
  PrintJobAccepted: {
    version: 2,
    data: Type.Exact({
      partner: Code,
      jobId: Id,
      house: Type.Optional(House),
      datedAt: Type.Optional(Instant),
    }),
    /** Version 1 recorded neither. */
    upcasters: { 1: same },
  },
  LetterPosted: { version: 1, data: Type.Exact({ ...step }) },
  LetterInTransit: {
    version: 1,
    data: Type.Exact({ ...step, location: Type.Optional(Type.String()) }),
  },
  LetterDelivered: {
    version: 1,
    data: Type.Exact({
      ...step,
      evidence: Type.Literals(['carrier_scan', 'signature', 'recipient_report', 'simulated']),
    }),
  },
  /** Came back, or could not be delivered. The status stays where it was. */
  LetterReturned: { version: 1, data: Type.Exact({ ...step, reason: Code }) },
  TrackingNumberAssigned: {
    version: 1,
    data: Type.Exact({ trackingNumber: Type.String({ maxLength: 40 }), source }),
  },
  LetterCancellationRequested: { version: 1, data: empty },
  LetterCancellationRejected: { version: 1, data: Type.Exact({ reason: Code }) },
  LetterCancelled: {
    version: 1,
    data: Type.Exact({
      from: Type.Literals(['draft', 'queued', 'processing']),
    }),
  },
  /** Could not be produced or handed over. A full refund follows. */
  LetterFailed: {
    version: 1,
    data: Type.Exact({
      code: Code,
      stage: Type.Literals(['render', 'submit', 'print']),
      retryable: Type.Boolean(),
      detail: Type.String({ maxLength: 300 }),
      source,
    }),
  },
  /** Deleted by its owner: the data key is gone, and personal data can no longer be read. */
  LetterErased: {
    version: 1,
    data: Type.Exact({ reason: Type.Literals(['deleted', 'retention']) }),
  },
} as const satisfies EventDefinitions;

export type LetterEvent = EventUnion<typeof letterEvents>;
export type LetterTerms = Static<typeof LetterTerms>;
export type LetterPersonal = Static<typeof LetterPersonal>;
export type LetterPrice = Static<typeof Price>;
export type Evidence = Extract<LetterEvent, { type: 'LetterDelivered' }>['data']['evidence'];
export type CredentialLine = Static<typeof CredentialLine>;
export type StepSource = Static<typeof source>;

const streamPrefix = 'letter-';

export const letterStream = (letterId: string): string => streamPrefix + letterId;

export const isLetterStream = (stream: string): boolean => stream.startsWith(streamPrefix);

/** The id of the letter that has this stream. @throws Error for the stream of anything else */
export const letterIdIn = (stream: string): string => {
  if (!isLetterStream(stream)) throw new Error(`stream ${stream} is not a letter's`);
  return stream.slice(streamPrefix.length);
};
