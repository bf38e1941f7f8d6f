/**
 * Events of a wallet. Stream `wallet-<account_id>-<period>`, periods counted from 0.
 * Amounts are integer micro-USD (10⁻⁶ USD, exactly USDC's decimals), at most 2⁵³ − 1.
 *
 * Persisted contract: see events/letter.ts.
 */
import type { Static } from 'typebox';
import { Type } from '../ground/type.ts';
import { type Amounts, buckets } from '../money/buckets.ts';
import type { EventDefinitions, EventUnion } from './definition.ts';
import { ApproverName, CredentialLine } from './letter.ts';
import {
  AlertedRules,
  alertFields,
  Count,
  FrozenSubject,
  Held,
  LetterCount,
  mostFrozen,
  Policy,
  PolicyPersonal,
  policyChangeFields,
  policyFields,
  SeenCountries,
  thresholdFields,
  Used,
} from './policy.ts';

const Id = Type.String({ minLength: 1, maxLength: 64 });
const Instant = Type.String({ minLength: 20, maxLength: 30 });
const Micro = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const SignedMicro = Type.Integer({
  minimum: -Number.MAX_SAFE_INTEGER,
  maximum: Number.MAX_SAFE_INTEGER,
});
const Bucket = Type.Literals(buckets);

/** Of the two buckets: spending takes crypto first, a refund goes back where it came from. */
const amounts = { cryptoMicro: Micro, fiatMicro: Micro };
/** How much of the amounts is commission. */
const commission = { commissionCryptoMicro: Micro, commissionFiatMicro: Micro };

/** The ways in which money comes in. */
const methods = [
  'test_grant',
  'operator',
  'x402',
  'usdc_transfer',
  'lightning',
  'card',
  'mech',
] as const;

/**
 * Proof that money moved outside: its id there. One id moves money here once, for every `method` that reports
 * it and in either direction. The form of an id shows its source: a transfer on a chain (chain, transaction,
 * log index), a payment hash, a checkout session, a dispute.
 */
const ReceiptId = Type.String({ minLength: 1, maxLength: 128 });
const Receipt = Type.Exact({ method: Type.Literals(methods), id: ReceiptId });

/**
 * The purpose that money is reserved for and spent on. For a letter or an order, the stream `<kind>-<id>`
 * decides about it. For a volume contract, the id contains that of the contract and the number of a period.
 */
const Purpose = Type.Exact({ kind: Type.Literals(['letter', 'order', 'volume-contract']), id: Id });

/** One payment for a purpose: the first, or a later one for a higher price. */
const paymentAttempt = {
  attemptId: Id,
  ...amounts,
  ...commission,
  /** The commitment whose locked price it pays. It is used for as long as the purpose has money. */
  commitmentId: Type.Optional(Id),
  /** The letter waits for approvals. Absent: it is queued at once. */
  held: Type.Optional(Held),
};
const PaymentAttempt = Type.Exact(paymentAttempt);

/** How many attempts of a letter one event names. */
export const mostAttempts = 1_000;
const Attempts = Type.Optional(Type.Array(Id, { minItems: 1, maxItems: mostAttempts }));

const CarriedReservation = Type.Exact({
  purpose: Purpose,
  attempts: Type.Array(PaymentAttempt, { maxItems: 1000 }),
  state: Type.Literals(['held', 'captured']),
  /** When it was made or captured. */
  since: Instant,
  ...amounts,
  /** Its counts against the limits of policies. */
  counts: Type.Optional(Type.Array(LetterCount, { maxItems: 1000 })),
  /** The rules that alerted of the letter. */
  alerted: Type.Optional(AlertedRules),
});

const Counts = Type.Array(Count, { minItems: 1, maxItems: 500 });

/** A receipt that was used. `reversibleMicro`: how much of the credit can still be charged back. */
const CarriedReceipt = Type.Exact({ id: ReceiptId, bucket: Bucket, reversibleMicro: Micro });

const PolicyChange = Type.Exact({ ...policyChangeFields, requester: CredentialLine });
const PolicyChangeDecision = Type.Exact({
  approvalId: policyChangeFields.approvalId,
  subject: policyFields.subject,
  approver: ApproverName,
  credential: CredentialLine,
});

type Data = Record<string, unknown>;

/** Version 1 reserved for letters only. */
const forLetter = ({ letterId, ...rest }: Data): Data => ({
  purpose: { kind: 'letter', id: letterId },
  ...rest,
});

/** Prefix of the receipts for money that the closure of an account took out of its wallet. */
export const closureReceipts = 'closure-';

export const walletEvents = {
  /** `remembersRefunds`: folding the wallet gives every refund of spent money. */
  WalletOpened: {
    version: 2,
    data: Type.Exact({ accountId: Id, test: Type.Boolean(), remembersRefunds: Type.Boolean() }),
    upcasters: { 1: (data) => ({ ...data, remembersRefunds: false }) },
  },
  /** Money came in from outside. Once per receipt. */
  FundsCredited: {
    version: 2,
    data: Type.Exact({
      receipt: Receipt,
      bucket: Bucket,
      amountMicro: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
    }),
    personal: Type.Exact({ reference: Type.String({ maxLength: 500 }) }),
    upcasters: {
      1: ({ creditId, source, ...rest }) => ({
        receipt: { method: source, id: creditId },
        ...rest,
      }),
    },
  },
  /**
   * A credit, or a part of it, was taken back outside: a dispute, a refund, a chain that forgot. Or its money was paid
   * out or given up at a closure (receipt `closure-…`); the credit can then still be taken back outside.
   */
  FundsChargedBack: {
    version: 2,
    data: Type.Exact({
      receipt: Receipt,
      /** Id of the receipt that was credited. */
      creditId: ReceiptId,
      bucket: Bucket,
      amountMicro: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
    }),
    /** Why, where an operator says so. Version 1 had none. */
    personal: Type.Exact({ reference: Type.String({ maxLength: 500 }) }),
    upcasters: { 1: (data) => data },
  },
  /** Held for a purpose. A later one for the same purpose adds to it. */
  FundsReserved: {
    version: 5,
    data: Type.Exact({
      purpose: Purpose,
      ...paymentAttempt,
      /** Its counts against the limits of policies. */
      counts: Type.Optional(Counts),
    }),
    /** Version 2 knew no commitments, version 3 no policies, version 4 no approvals. */
    upcasters: { 1: forLetter, 2: (data) => data, 3: (data) => data, 4: (data) => data },
  },
  /**
   * A letter changes so that it takes more of the limits of policies. Moves no money. `attemptId`: the attempt to change
   * it; earlier versions of the service named one that the letter rested on before.
   */
  LetterCounted: {
    version: 1,
    data: Type.Exact({ purpose: Purpose, attemptId: Id, counts: Counts }),
  },
  /** A letter that waited got its last approval, under the policies and freezes of this moment. Moves no money. */
  HoldLifted: {
    version: 1,
    data: Type.Exact({ purpose: Purpose, attemptId: Id }),
  },
  /** The policy of the account or of a key, whole. */
  PolicySet: {
    version: 3,
    data: Type.Exact(policyFields),
    /** Version 1 held no letters for approval, version 2 knew no alerts and no recipients by earlier letters. */
    personal: PolicyPersonal,
    upcasters: { 1: (data) => data, 2: (data) => data },
  },
  PolicyRemoved: {
    version: 1,
    data: Type.Exact({ subject: policyFields.subject, version: policyFields.version }),
  },
  /** A credential that cannot make a change of a policy asks for its approval. One for each policy waits at a time. */
  PolicyChangeRequested: {
    version: 2,
    data: PolicyChange,
    personal: PolicyPersonal,
    /** Version 1 asked for no removal. */
    upcasters: { 1: (data) => data },
  },
  /** One approver approves. The last one that is needed sets or removes the policy in the same commit. */
  PolicyChangeApproved: { version: 1, data: PolicyChangeDecision },
  /** The policy stays as it is. */
  PolicyChangeRejected: {
    version: 1,
    data: PolicyChangeDecision,
    personal: Type.Exact({ reason: Type.String({ maxLength: 500 }) }),
  },
  /** A letter is sent that the owner of the account is alerted of. Once for each letter and rule. */
  AlertRaised: { version: 1, data: Type.Exact({ purpose: Purpose, ...alertFields }) },
  BudgetThresholdReached: { version: 1, data: Type.Exact(thresholdFields) },
  /** The account, a key with all that comes from it, or a UCAN with all that was delegated from it spends nothing. */
  SpendingFrozen: { version: 1, data: Type.Exact({ subject: FrozenSubject }) },
  SpendingUnfrozen: { version: 1, data: Type.Exact({ subject: FrozenSubject }) },
  /** The available balance fell below `thresholdMicro`, with the reservation before it. Moves no money. */
  WalletRanLow: {
    version: 2,
    data: Type.Exact({ availableMicro: SignedMicro, thresholdMicro: Micro }),
    upcasters: { 1: (data) => data },
  },
  /**
   * Given back from the held money. Counts against the limits of policies follow it, so an attempt that counts a letter
   * and holds no money is undone by an event without money.
   */
  FundsReleased: {
    version: 3,
    data: Type.Exact({
      purpose: Purpose,
      ...amounts,
      /** Attempts that failed: the letter no longer counts by them, and no longer waits for approval with them. */
      undone: Attempts,
      /** Attempts that can still succeed: the letter counts by them as before. */
      undecided: Attempts,
    }),
    /** Version 2 did not name attempts. */
    upcasters: { 1: forLetter, 2: (data) => data },
  },
  /** Held money is spent. Version 1 did not record commission separately: there it is 0. */
  FundsCaptured: {
    version: 2,
    data: Type.Exact({ purpose: Purpose, ...amounts, ...commission }),
    upcasters: {
      1: (data) => ({ ...forLetter(data), commissionCryptoMicro: 0, commissionFiatMicro: 0 }),
    },
  },
  /** Given back after it was spent. */
  FundsRefunded: {
    version: 2,
    data: Type.Exact({ purpose: Purpose, ...amounts }),
    upcasters: { 1: forLetter },
  },
  /** The books of this stream are closed; the wallet continues in `nextPeriod`. */
  WalletPeriodClosed: {
    version: 1,
    data: Type.Exact({ nextPeriod: Type.Integer({ minimum: 1 }) }),
  },
  WalletPeriodOpened: {
    version: 2,
    data: Type.Exact({
      accountId: Id,
      test: Type.Boolean(),
      period: Type.Integer({ minimum: 1 }),
      availableCryptoMicro: SignedMicro,
      availableFiatMicro: SignedMicro,
      remembersRefunds: Type.Boolean(),
    }),
    upcasters: { 1: (data) => ({ ...data, remembersRefunds: false }) },
  },
  /** A reservation that is too large for one event comes in several: each has the amounts, and a part of the lists. */
  ReservationsCarriedForward: {
    version: 6,
    data: Type.Exact({ reservations: Type.Array(CarriedReservation, { maxItems: 500 }) }),
    upcasters: {
      1: ({ reservations }) => ({ reservations: (reservations as Data[]).map(forLetter) }),
      2: (data) => data,
      3: (data) => data,
      4: (data) => data,
      5: (data) => data,
    },
  },
  /** Every receipt that was used. Of credits in version 1 nothing is known but the id. */
  CreditsCarriedForward: {
    version: 2,
    data: Type.Exact({ receipts: Type.Array(CarriedReceipt, { maxItems: 2000 }) }),
    upcasters: {
      1: ({ creditIds }) => ({
        receipts: (creditIds as string[]).map((id) => ({ id, bucket: 'fiat', reversibleMicro: 0 })),
      }),
    },
  },
  /**
   * A policy, and the usage of its limits. Absent: only how often policies changed, and the usage of a policy that left
   * no room for it.
   */
  PoliciesCarriedForward: {
    version: 4,
    data: Type.Exact({
      changes: Type.Integer({ minimum: 1 }),
      policy: Type.Optional(Policy),
      used: Type.Array(Used, { maxItems: 20 }),
      /** Countries that letters of the policy went to. */
      seen: Type.Optional(SeenCountries),
    }),
    personal: PolicyPersonal,
    /** Version 1 knew no alerts of budgets, version 2 no approvals, version 3 no alerts of letters. */
    upcasters: { 1: (data) => data, 2: (data) => data, 3: (data) => data },
  },
  /** The latest change of a policy whose time to be decided is not over, with the approvals that it has. */
  PolicyChangeCarriedForward: {
    version: 3,
    data: Type.Exact({
      change: PolicyChange,
      given: Type.Array(Type.Exact({ approver: ApproverName, credential: CredentialLine }), {
        maxItems: 2,
      }),
      /** How many changes of policies of the account were asked for in the hour before it. */
      askedBefore: Type.Optional(Type.Integer({ minimum: 0 })),
      isRejected: Type.Optional(Type.Literal(true)),
      isSuperseded: Type.Optional(Type.Literal(true)),
      /** When changes were asked for, epoch ms: in the hour before the latest one of the account. */
      askedAt: Type.Optional(Type.Array(Type.Integer({ minimum: 0 }), { maxItems: 100 })),
    }),
    personal: Type.Exact({
      emails: Type.Optional(PolicyPersonal.properties.emails),
      /** Why it was rejected. */
      reason: Type.Optional(Type.String({ maxLength: 500 })),
    }),
    /** Version 1 carried no removal, version 2 only changes that wait. */
    upcasters: { 1: (data) => data, 2: (data) => data },
  },
  /** The subjects that are frozen when the period begins. */
  FreezesCarriedForward: {
    version: 1,
    data: Type.Exact({
      frozen: Type.Array(Type.Exact({ subject: FrozenSubject, since: Instant }), {
        minItems: 1,
        // The account itself and its closure come on top.
        maxItems: mostFrozen + 2,
      }),
    }),
  },
  /** Purposes that were refunded after they were spent, in this period or before. */
  RefundsCarriedForward: {
    version: 1,
    data: Type.Exact({ purposes: Type.Array(Purpose, { maxItems: 2000 }) }),
  },
} as const satisfies EventDefinitions;

/** Whether a charge-back took money that its owner did not give up at the closure of the account. */
export const isTakenBackOutside = ({ receipt }: { receipt: { id: string } }): boolean =>
  !receipt.id.startsWith(closureReceipts);

export type WalletEvent = EventUnion<typeof walletEvents>;
export type CarriedReservation = Static<typeof CarriedReservation>;
export type PaymentAttempt = Static<typeof PaymentAttempt>;
export type Purpose = Static<typeof Purpose>;
export type Receipt = Static<typeof Receipt>;
export type Method = Receipt['method'];

/** The amounts that an event keeps as numbers. */
export const amountsIn = (data: { cryptoMicro: number; fiatMicro: number }): Amounts => ({
  crypto: BigInt(data.cryptoMicro),
  fiat: BigInt(data.fiatMicro),
});

/** The part of the amounts that is commission. */
export const commissionIn = (data: {
  commissionCryptoMicro: number;
  commissionFiatMicro: number;
}): Amounts => ({
  crypto: BigInt(data.commissionCryptoMicro),
  fiat: BigInt(data.commissionFiatMicro),
});

export const toAmounts = ({ crypto, fiat }: Amounts) => ({
  cryptoMicro: Number(crypto),
  fiatMicro: Number(fiat),
});

export const walletStream = (accountId: string, period: number): string =>
  `wallet-${accountId}-${period}`;

/** The account and the period of a wallet's stream. */
export const placeOfWallet = (stream: string): { accountId: string; period: number } => {
  const cut = stream.lastIndexOf('-');
  return { accountId: stream.slice('wallet-'.length, cut), period: Number(stream.slice(cut + 1)) };
};

export const letterPurpose = (letterId: string): Purpose => ({ kind: 'letter', id: letterId });

/** The letter that a wallet's event is about. */
export const letterOf = (purpose: Purpose): string | undefined =>
  purpose.kind === 'letter' ? purpose.id : undefined;
