/** The answers to a payer whose payment is not taken. */
import { AppError } from '../../contract/errors.ts';
import { NoGasMoney, type PaymentFault, type RailUnavailable } from './rails.ts';

const sentences: Record<PaymentFault, string> = {
  signature: 'The signature is not that of the payer for this authorization; sign it again.',
  expired: 'The authorization has expired, or will within seconds; sign a new one.',
  not_yet_valid: 'The authorization is not valid yet; sign one whose validAfter has passed.',
  used: 'The authorization was used or cancelled on the chain; sign a new one.',
  funds: 'The wallet that signed does not hold the amount; top it up, or pay from another one.',
  recipient: 'The authorization pays somebody else; pay to the address in accepts.',
  amount: 'The authorization is over another amount; sign the amount in accepts, exactly.',
  gas: 'The transfer takes more gas than this server pays for; pay from an ordinary account, or from a wallet contract that checks signatures at less cost.',
  failed_before:
    'A transfer from this wallet failed on the chain lately, at the cost of this server, so that none is sent for it now; pay from another wallet, or transfer USDC to a top-up.',
  refused: 'The network refused the transfer; sign a new authorization and try again.',
};

/** @param waitMs how long the same would be refused again */
export const invalidPayment = (fault: PaymentFault, waitMs?: number): AppError =>
  new AppError('payment_invalid', sentences[fault], {
    extra: { payment_fault: fault },
    ...(waitMs === undefined
      ? {}
      : { headers: { 'Retry-After': String(Math.ceil(waitMs / 1_000)) } }),
  });

export const pending = (): AppError =>
  new AppError(
    'payment_pending',
    'The payment was sent to the network and is not confirmed yet; repeat the request with the same payment, do not sign another one.',
    { headers: { 'Retry-After': '2' } },
  );

/**
 * For a payment that no block has used yet. A node that still says `used` has its transaction waiting, perhaps
 * one of ours from before a crash: signing another payment would pay twice.
 */
export const refusal = (fault: PaymentFault): AppError =>
  fault === 'used' ? pending() : invalidPayment(fault);

export const usedElsewhere = (): AppError =>
  new AppError(
    'payment_already_used',
    'This authorization was settled outside this request; its amount was credited to the wallet account of the payer.',
  );

export const presentedBefore = (): AppError =>
  new AppError(
    'payment_already_used',
    'This payment was presented before; its amount is in the wallet account of the payer. Sign a new one.',
  );

export const unavailable = (cause: RailUnavailable): AppError =>
  cause instanceof NoGasMoney
    ? new AppError(
        'payment_unavailable',
        'The payment was not sent: this server has nothing left to pay the network fees with, and its operator must refill that. Nothing was moved; repeat the request with the same payment later.',
        { cause, headers: { 'Retry-After': '60' } },
      )
    : new AppError(
        'payment_unavailable',
        'The payment network cannot be reached at the moment; repeat the request with the same payment.',
        { cause, headers: { 'Retry-After': '5' } },
      );
