/** Refusals for a payer whose payment is not accepted. */
import { AppError } from '../../contract/errors.ts';
import { NoGasMoney, type PaymentFault, type RailUnavailable } from './rails.ts';

const sentences: Record<PaymentFault, string> = {
  signature:
    'The token does not accept this signature from the payer. Sign with the key of the address in from. A wallet that is a contract, or delegates to one (EIP-7702), must be deployed and accept the signature itself (ERC-1271); otherwise pay from another wallet.',
  expired: 'The authorization has expired or is about to expire. Sign a new one.',
  not_yet_valid: 'The authorization is not valid yet. Sign one whose validAfter has passed.',
  used: 'The authorization was already used or cancelled on the chain. Sign a new one.',
  funds: 'The wallet that signed does not have the amount. Top it up, or pay from another wallet.',
  recipient: 'The authorization pays somebody else. Pay to the address in accepts.',
  amount: 'The authorization is for another amount. Sign exactly the amount in accepts.',
  gas: 'The transfer needs more gas than this server pays for. Pay from an ordinary account, or from a wallet contract whose signature check is cheaper.',
  failed_before:
    'A transfer from this wallet recently failed on the chain at the cost of this server, so the server sends none for it at the moment. Pay from another wallet, or transfer USDC to a top-up.',
  refused: 'The network refused the transfer. Sign a new authorization and try again.',
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
    'The payment was sent to the network but is not confirmed yet. Repeat the request with the same payment; do not sign another one.',
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
    'This authorization was settled outside this request. Its amount was credited to the payer’s wallet account.',
  );

export const presentedBefore = (): AppError =>
  new AppError(
    'payment_already_used',
    'This payment was presented before. Once it is settled, its amount is in the payer’s wallet account. Sign a new one.',
  );

/** The payment of a request that takes none twice was not settled in time. @param cause why not */
export const tooLateForRequest = (cause: unknown): AppError =>
  new AppError(
    'payment_already_used',
    'The payment is recorded but was not settled in time for this request, which takes no payment twice. Once it is settled, its amount is credited to the payer’s wallet account. Repeat the request with a new payment, or sign in with the wallet (SIGN-IN-WITH-X).',
    { cause },
  );

export const unavailable = (cause: RailUnavailable): AppError =>
  cause instanceof NoGasMoney
    ? new AppError(
        'payment_unavailable',
        'The payment was not sent, because this server has no money left for network fees and its operator must refill it. No money was moved. Repeat the request with the same payment later.',
        { cause, headers: { 'Retry-After': '60' } },
      )
    : new AppError(
        'payment_unavailable',
        'The payment network cannot be reached at the moment. Repeat the request with the same payment.',
        { cause, headers: { 'Retry-After': '5' } },
      );
