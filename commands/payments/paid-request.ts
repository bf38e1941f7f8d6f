/** Requests that callers pay for with signed payments, and the outcome of these payments. */
import type { ChainTransfer } from '../../events/payment.ts';
import type { MicroUsd } from '../../money/amounts.ts';
import type { Claim } from './payment.ts';
import type { Authorization } from './rails.ts';

/** The request that an authorization pays for. */
export type PaidRequest = {
  operation: string;
  /** Keyed digest of the request. */
  requestHash: string;
  /** The account to credit; absent: the payer's. */
  accountId?: string | undefined;
  /**
   * Whether the same request may present it again. Never for reads: a settled authorization is public, so its
   * presenter may not be its payer.
   */
  repeatable: boolean;
};

export type Paid = {
  paymentId: string;
  payer: string;
  /** The credited account. */
  accountId: string;
  amountMicro: MicroUsd;
  transaction: string;
  /** As the wallet knows it. */
  receiptId: string;
  /** Log position by which it is credited. */
  position: bigint;
  /** Whether it pays for its request: the chain had it after it was recorded. */
  forRequest: boolean;
};

/**
 * A payment that the chain had before its claim was on record buys nothing, even if we sent it: after a backup
 * is restored, payments sent since then are public, and the presenter may not be the payer.
 */
export const cameAfter = (claim: Claim, transfer: ChainTransfer): boolean =>
  transfer.block > claim.block;

/** The presented payment, as its payer signed it. */
export const authorizationOf = (claim: Claim): Authorization => ({
  payer: claim.payer,
  payTo: claim.payTo,
  nonce: claim.nonce,
  signature: claim.signature,
  amountMicro: BigInt(claim.amountMicro),
  validAfter: BigInt(claim.validAfter),
  validBefore: BigInt(claim.validUntil),
});
