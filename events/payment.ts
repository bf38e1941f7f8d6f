/**
 * Events of a payment that a caller signed (x402), and of a transfer on a chain that credits somebody.
 * Streams `payment-<payment_id>` and `transfer-<transfer_id>`; the ids follow from the authorization and
 * from the place of the transfer on its chain, so that neither is ever taken twice. Stream `payer-<account_id>`
 * holds what settling for a wallet cost in vain, by the account that is the wallet's.
 *
 * Persisted contract: see events/letter.ts.
 */
import type { Static } from 'typebox';
import { Type } from '../ground/type.ts';
import { uuidv5 } from '../ground/uuid.ts';
import type { EventDefinitions, EventUnion } from './definition.ts';

const Id = Type.String({ minLength: 1, maxLength: 64 });
const Digest = Type.String({ minLength: 22, maxLength: 64 });
/** CAIP-2: `eip155:8453`. */
const Network = Type.String({ pattern: '^eip155:[1-9][0-9]{0,18}$' });
const Address = Type.String({ pattern: '^0x[0-9a-f]{40}$' });
const Hash = Type.String({ pattern: '^0x[0-9a-f]{64}$' });
const Block = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const Micro = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
/** 256 bits, in decimal digits. */
const Uint = Type.String({ pattern: '^[0-9]{1,78}$' });
/** Wei, in decimal digits. */
const Fee = Type.String({ pattern: '^[0-9]{1,40}$' });
const Signature = Type.String({ pattern: '^0x[0-9a-fA-F]+$', maxLength: 4_098 });
/** A transfer of tokens to us, as the chain has it. */
const ChainTransfer = Type.Exact({
  network: Network,
  asset: Address,
  transaction: Hash,
  logIndex: Type.Integer({ minimum: 0 }),
  block: Block,
  amountMicro: Micro,
});

/** The transfer was seen on the chain before it was presented as a payment: it is credited as any transfer is. */
const Found = Type.Optional(Type.Literal(true));

export const paymentEvents = {
  /**
   * An authorization was presented for a request. It is on record before it is used, so that whatever
   * dies afterwards, its money has an owner.
   */
  PaymentClaimed: {
    version: 2,
    data: Type.Exact({
      paymentId: Id,
      network: Network,
      asset: Address,
      payTo: Address,
      amountMicro: Micro,
      /** Seconds since the epoch, when it stops being usable; at most 2⁵³ − 1, unlike `validUntil`. */
      validBefore: Type.Integer({ minimum: 0 }),
      /** The account to credit. */
      accountId: Id,
      /** The request that presented it: another request with the same authorization is refused. */
      operation: Type.String({ maxLength: 64 }),
      requestHash: Digest,
      /**
       * The chain's newest block when it was presented: a use of the authorization before then was not
       * ours.
       */
      block: Block,
      /** The address of our key that was to send its transaction; absent: it was not recorded. */
      signer: Type.Optional(Address),
    }),
    /** All that was signed, so that it can be settled again where the chain forgets that it was. */
    personal: Type.Exact({
      payer: Address,
      nonce: Hash,
      validAfter: Uint,
      validUntil: Uint,
      signature: Signature,
    }),
    upcasters: { 1: (data) => data },
  },
  /** The chain has its transfer. `accountId`: whom it credits, the payer where others used it first. */
  PaymentSettled: {
    version: 2,
    data: Type.Exact({
      paymentId: Id,
      accountId: Id,
      transfer: ChainTransfer,
      /** Whether the transaction is ours, and what it cost us in wei, in decimal digits. */
      ours: Type.Boolean(),
      feeWei: Fee,
      found: Found,
    }),
    upcasters: { 1: (data) => data },
  },
  /**
   * The chain has forgotten its transfer for good, as far as it can be known, and what that cost us. It may be
   * settled again.
   */
  PaymentReverted: {
    version: 1,
    data: Type.Exact({
      paymentId: Id,
      transfer: ChainTransfer,
      ours: Type.Boolean(),
      feeWei: Fee,
      found: Found,
    }),
  },
  /** It can move no money any more, and has moved none to us. */
  PaymentLapsed: {
    version: 1,
    data: Type.Exact({
      paymentId: Id,
      reason: Type.Literals(['expired', 'cancelled']),
    }),
  },
  /** A transfer is somebody's, once. `paymentId`: of the payment that it is; absent: it was seen on the chain. */
  TransferClaimed: {
    version: 2,
    data: Type.Exact({ accountId: Id, transfer: ChainTransfer, paymentId: Type.Optional(Id) }),
    upcasters: { 1: (data) => data },
  },
  /**
   * A transaction of ours that was to settle a payment failed on the chain, and this is what it cost us.
   * `paidByAnother`: another transaction had made the payment by then, so the payer is not to blame.
   */
  SettlementFailed: {
    version: 2,
    data: Type.Exact({
      payerId: Id,
      paymentId: Id,
      network: Network,
      transaction: Hash,
      feeWei: Fee,
      paidByAnother: Type.Optional(Type.Literal(true)),
    }),
    upcasters: { 1: (data) => data },
  },
} as const satisfies EventDefinitions;

export type PaymentEvent = EventUnion<
  Pick<
    typeof paymentEvents,
    'PaymentClaimed' | 'PaymentSettled' | 'PaymentReverted' | 'PaymentLapsed'
  >
>;
export type TransferEvent = EventUnion<Pick<typeof paymentEvents, 'TransferClaimed'>>;
export type PayerEvent = EventUnion<Pick<typeof paymentEvents, 'SettlementFailed'>>;
export type ChainTransfer = Static<typeof ChainTransfer>;

const paymentNamespace = '0e4a52b1-0000-5000-8000-7061796d656e';

/** The same for an authorization whatever request it comes with, and whatever the case of its digits. */
export const paymentIdOf = (authorization: {
  network: string;
  asset: string;
  payer: string;
  nonce: string;
}): string => {
  const { network, asset, payer, nonce } = authorization;
  return uuidv5(paymentNamespace, `${network}|${asset}|${payer}|${nonce}`.toLowerCase());
};

export const paymentStream = (paymentId: string): string => `payment-${paymentId}`;

/** Names a transfer everywhere: chain, transaction, place of its log in the block. */
export const receiptIdOf = ({ network, transaction, logIndex }: ChainTransfer): string =>
  `${network}:${transaction}:${logIndex}`;

/**
 * Names a credit for a transfer: the transfer itself, and each time that it was forgotten and came back.
 * @param reverts how often it was taken back before
 */
export const creditIdOf = (transfer: ChainTransfer, reverts: number): string =>
  reverts === 0 ? receiptIdOf(transfer) : `${receiptIdOf(transfer)}:again:${reverts}`;

/** The transfer that a credit, or what took it back, is for. */
export const transferIdIn = (receiptId: string): string =>
  receiptId.replace(/(?::again:\d+)?(?::reverted)?$/, '');

export const transferStream = (receiptId: string): string =>
  `transfer-${uuidv5(paymentNamespace, receiptId)}`;

export const payerStream = (payerId: string): string => `payer-${payerId}`;
