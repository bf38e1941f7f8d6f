/** A payment that a caller signed: claimed, then settled once, or lapsed. */
import { AppError } from '../../contract/errors.ts';
import {
  type ChainTransfer,
  type PaymentEvent,
  paymentStream,
  type TransferEvent,
  transferStream,
} from '../../events/payment.ts';
import type { Aggregate } from '../handling/aggregate.ts';

type Claimed = Extract<PaymentEvent, { type: 'PaymentClaimed' }>;
type Settled = Extract<PaymentEvent, { type: 'PaymentSettled' }>['data'];

export type Claim = Claimed['data'] & NonNullable<Claimed['personal']>;

export type Payment =
  | { status: 'none' }
  | { status: 'claimed'; claim: Claim }
  | { status: 'settled'; claim: Claim; settled: Settled; reverted: readonly Settled[] }
  /** `reverted`: what was settled and forgotten, in the order of time. */
  | { status: 'reverted'; claim: Claim; reverted: readonly Settled[] }
  | { status: 'lapsed'; claim: Claim; reason: 'expired' | 'cancelled' };

/** Of a payer whose data was erased. */
const forgotten = { payer: '', nonce: '', validAfter: '0', validUntil: '0', signature: '' };

/** Whether the data of the payer was erased. The chain cannot be asked for such a payment. */
export const isForgotten = ({ signature }: Claim): boolean => signature === forgotten.signature;

const initialState = (): Payment => ({ status: 'none' });

const claimOf = (state: Payment): Claim => {
  if (state.status === 'none') throw new Error('a payment that was never claimed');
  return state.claim;
};

const evolve = (state: Payment, event: PaymentEvent): Payment => {
  switch (event.type) {
    case 'PaymentClaimed': {
      return { status: 'claimed', claim: { ...event.data, ...(event.personal ?? forgotten) } };
    }
    case 'PaymentSettled':
      return {
        status: 'settled',
        claim: claimOf(state),
        settled: event.data,
        reverted: state.status === 'reverted' ? state.reverted : [],
      };
    case 'PaymentReverted':
      if (state.status !== 'settled') throw new Error('a payment that was not settled is reverted');
      return {
        status: 'reverted',
        claim: state.claim,
        reverted: [...state.reverted, state.settled],
      };
    case 'PaymentLapsed':
      return { status: 'lapsed', claim: claimOf(state), reason: event.data.reason };
    default: {
      const unknown: never = event;
      return unknown;
    }
  }
};

type ClaimPayment = { type: 'ClaimPayment'; claim: Claim };

/**
 * Takes an authorization for a request. The same request may present it again as long as its outcome can still
 * be answered. @throws AppError payment_already_used
 */
export const claimPayment = (state: Payment, { claim }: ClaimPayment): PaymentEvent[] => {
  if (state.status === 'none') {
    const { payer, nonce, validAfter, validUntil, signature, ...data } = claim;
    const personal = { payer, nonce, validAfter, validUntil, signature };
    return [{ type: 'PaymentClaimed', data, personal }];
  }
  const { accountId, operation, requestHash, payTo, amountMicro } = state.claim;
  // A payer may sign two amounts or two addresses with one nonce. The chain is asked only for the first.
  const same =
    operation === claim.operation &&
    requestHash === claim.requestHash &&
    accountId === claim.accountId &&
    payTo === claim.payTo &&
    amountMicro === claim.amountMicro;
  if (same) return [];
  // It may not be settled yet, so the text only says where the money goes.
  throw new AppError(
    'payment_already_used',
    'This payment was presented before, with another request or Idempotency-Key. Once it is settled, its amount is credited to the wallet account that pays for that request. Repeat that request unchanged, under its Idempotency-Key, to get its answer; the wallet can also sign in to see its letters. With a new payment this request is carried out in addition: a send mails a second letter.',
  );
};

type SettlePayment = { type: 'SettlePayment'; settled: Omit<Settled, 'paymentId'> };

/** Once. @throws Error for a payment that nobody claimed */
export const settlePayment = (state: Payment, { settled }: SettlePayment): PaymentEvent[] => {
  if (state.status === 'settled') return [];
  const { paymentId } = claimOf(state);
  return [{ type: 'PaymentSettled', data: { paymentId, ...settled } }];
};

type RevertPayment = { type: 'RevertPayment'; reverts: number };

/** @param reverts how often it was reverted when the chain was asked: what was settled since stays */
export const revertPayment = (state: Payment, { reverts }: RevertPayment): PaymentEvent[] => {
  if (state.status !== 'settled' || state.reverted.length !== reverts) return [];
  const { accountId: _, ...forgotten } = state.settled;
  return [{ type: 'PaymentReverted', data: forgotten }];
};

type LapsePayment = { type: 'LapsePayment'; reason: 'expired' | 'cancelled' };

/** @throws Error for a payment that nobody claimed */
export const lapsePayment = (state: Payment, { reason }: LapsePayment): PaymentEvent[] => {
  const { paymentId } = claimOf(state);
  return state.status === 'claimed' ? [{ type: 'PaymentLapsed', data: { paymentId, reason } }] : [];
};

export const paymentAggregate: Aggregate<Payment, PaymentEvent> = {
  stream: paymentStream,
  initialState,
  evolve,
};

/** The account of a transfer on a chain, and its payment, if it has one. */
type Transfer = { accountId: string | undefined; paymentId?: string | undefined };

/** The first to claim it has it. */
export const claimTransfer = (
  { accountId: owner }: Transfer,
  accountId: string,
  transfer: ChainTransfer,
  paymentId?: string,
): TransferEvent[] => {
  if (owner !== undefined) return [];
  const of = paymentId === undefined ? {} : { paymentId };
  return [{ type: 'TransferClaimed', data: { accountId, transfer, ...of } }];
};

/** Its id is the receipt's. */
export const transferAggregate: Aggregate<Transfer, TransferEvent> = {
  stream: transferStream,
  initialState: () => ({ accountId: undefined }),
  evolve: (_state, { data: { accountId, paymentId } }) => ({ accountId, paymentId }),
};
