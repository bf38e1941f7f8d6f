/** The port through which requests are paid for. */
import type { IncomingHttpHeaders } from 'node:http';
import type { AppError } from '../contract/errors.ts';
import type { Caller, TakenPayment } from '../contract/operation.ts';
import type { MicroUsd } from '../money/amounts.ts';

/** A request that a wallet can permit by signing in. */
export type Permissible = {
  /** Without its query. */
  url: string;
  method: string;
  /** It changes nothing. */
  reads: boolean;
};

/** The thing that a payment is for, as its payer sees it. */
export type About = Permissible & { description: string };

/** Takes payments. `P`: a payment as it was presented. */
export type PaymentGateway<P = unknown> = {
  /** The price of an operation that has no price of its own. */
  readPriceMicro: MicroUsd;
  /** The caller, if it signed in with the wallet that pays. @throws AppError sign_in_invalid */
  signedIn(headers: IncomingHttpHeaders): Promise<Caller | undefined>;
  /** Members of a refusal that ask a wallet to sign in for a request. */
  signInFor(request: Permissible): Record<string, unknown>;
  /** Whether what the wallet of a caller signed permits a request. @throws AppError sign_in_invalid */
  assertPermits(caller: Caller, request: Permissible): void;
  /** @throws AppError payment_malformed */
  presented(headers: IncomingHttpHeaders): P | undefined;
  /** The refusal that says how to pay. `because`: why the presented payment is not enough. */
  required(priceMicro: MicroUsd, about: About, because?: string): AppError;
  /** The signed amount. */
  amountOf(presented: P): MicroUsd;
  /** The id under which a payment is recorded once it is taken. */
  idOf(presented: P): string;
  /** Whether the payment is recorded. */
  isRecorded(presented: P): Promise<boolean>;
  /** How long a price holds that was asked for, in ms. */
  priceHoldsMs: number;
  /** The payer, by the signature alone; no money moves. @throws AppError payment_invalid */
  payerOf(presented: P): Promise<Caller>;
  /** Settled and credited when it returns. @throws AppError payment_* */
  take(
    presented: P,
    request: {
      priceMicro: MicroUsd;
      about: About;
      operation: string;
      requestHash: string;
      repeatable: boolean;
      /** The caller whose wallet gets the credit; absent: the payer's. */
      caller: Caller | undefined;
    },
  ): Promise<{
    caller: Caller;
    payment: Omit<TakenPayment, 'pricedAgoMs'>;
    /** Log position by which it is credited. */
    position: bigint;
    headers: Record<string, string>;
  }>;
};
