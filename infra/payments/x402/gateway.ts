/** The way of an x402 payment through HTTP: asked for, presented, taken. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Intake } from '../../../commands/payments/intake.ts';
import type { Paid } from '../../../commands/payments/paid-request.ts';
import { AppError } from '../../../contract/errors.ts';
import { walletIdPrefix } from '../../../contract/frozen.ts';
import type { Caller } from '../../../contract/operation.ts';
import type { PaymentGateway } from '../../../http/payment-gateway.ts';
import { dollars, type MicroUsd } from '../../../money/amounts.ts';
import type { Network } from './networks.ts';
import type { SignedFor, SignIn } from './sign-in.ts';
import {
  type Asked,
  demandOf,
  differenceFrom,
  maxTimeoutSeconds,
  type Presented,
  presentedIn,
  receiptHeaders,
  requirementsV2,
} from './wire.ts';

const testAccount = (): AppError =>
  new AppError(
    'payment_not_taken',
    'A test account cannot take real money. Leave the payment out, or use a live key.',
  );

/** A wallet that pays or signs in: it reads and sends for its account. */
const payerCaller = (
  accountId: string,
  paymentId: string,
  { blocked, signedFor }: { blocked?: boolean; signedFor?: SignedFor } = {},
): Caller => ({
  accountId,
  keyId: `${walletIdPrefix}${paymentId}`,
  scope: 'send',
  test: false,
  wallet: true,
  ...(blocked ? { blocked } : {}),
  ...(signedFor ? { signedFor } : {}),
});

export const createPaymentGateway = (ports: {
  intake: Intake;
  network: Network;
  payTo: string;
  /** The price of identifying oneself by a payment where nothing is bought. It is credited. */
  readPriceMicro: MicroUsd;
  signIn: SignIn;
  /** The account of the wallet with this address. */
  accountOf: (address: string) => Promise<string>;
  isBlocked: (accountId: string) => Promise<boolean>;
}): PaymentGateway<Presented> & { requirements(amountMicro: MicroUsd): unknown } => {
  const { intake, network, payTo, readPriceMicro, signIn, accountOf, isBlocked } = ports;

  const askedOf = (
    amountMicro: MicroUsd,
    { url, description }: { url: string; description: string },
  ): Asked => ({ amountMicro, payTo, network, url, description });

  const required: PaymentGateway<Presented>['required'] = (priceMicro, about, because) => {
    const asked = askedOf(priceMicro, about);
    const detail =
      because ??
      (priceMicro === readPriceMicro
        ? `This operation takes ${dollars(priceMicro)} by x402 (see accepts, or /x402) to know who asks, and credits it to the wallet. To pay nothing, sign in with the wallet (SIGN-IN-WITH-X), or send an API key.`
        : `This operation costs ${dollars(priceMicro)}. Pay by x402 (see accepts, or /x402), or send an API key.`);
    const { headers, body } = demandOf(asked, because === undefined ? 'payment required' : detail, {
      'sign-in-with-x': signIn.challenge(about),
    });
    return new AppError('payment_required', detail, { headers, extra: body });
  };

  /**
   * A payment that is on record goes on: it was asked for this, at the price of then, unless it is of another request,
   * which taking it refuses.
   * @throws AppError payment_required for a new one that does not meet the demand
   */
  const assertFits = async (
    presented: Presented,
    priceMicro: MicroUsd,
    about: Parameters<typeof required>[1],
  ): Promise<void> => {
    const difference = differenceFrom(presented, askedOf(priceMicro, about));
    if (difference === undefined) return;
    if (await intake.isRecorded(presented.authorization)) return;
    throw required(
      priceMicro,
      about,
      `The payment does not match: its ${difference} differs from accepts. It was not taken.`,
    );
  };

  const receiptOf = (presented: Presented, paid: Paid): Record<string, string> =>
    receiptHeaders({
      success: true,
      network,
      version: presented.version,
      transaction: paid.transaction,
      payer: paid.payer,
      amountMicro: paid.amountMicro,
    });

  return {
    readPriceMicro,
    /** As version 2 writes them, for clients that pay on a retry. */
    requirements: (amountMicro) => ({
      x402Version: 2,
      accepts: [requirementsV2(askedOf(amountMicro, { url: '', description: '' }))],
    }),
    presented: (headers: IncomingHttpHeaders) => presentedIn(headers),
    amountOf: ({ authorization }) => authorization.amountMicro,
    idOf: ({ authorization }) => intake.idOf(authorization),
    isRecorded: ({ authorization }) => intake.isRecorded(authorization),
    priceHoldsMs: maxTimeoutSeconds * 1_000,
    required,

    async signedIn(headers) {
      const signed = await signIn.signerIn(headers);
      if (signed === undefined) return undefined;
      const { address, ...signedFor } = signed;
      const accountId = await accountOf(address);
      const blocked = await isBlocked(accountId);
      return payerCaller(accountId, 'sign-in', { blocked, signedFor });
    },
    signInFor: (request) => ({ extensions: { 'sign-in-with-x': signIn.challenge(request) } }),
    assertPermits: ({ signedFor }, request) =>
      signedFor && signIn.assertPermits(signedFor, request),

    async payerOf(presented) {
      const { accountId } = await intake.payerOf(presented.authorization);
      const { nonce } = presented.authorization;
      return payerCaller(accountId, nonce.slice(2, 34), {
        blocked: await isBlocked(accountId),
      });
    },

    async take(presented, { priceMicro, about, caller, ...request }) {
      if (caller?.test) throw testAccount();
      await assertFits(presented, priceMicro, about);
      await intake.payerOf(presented.authorization);
      const paid = await intake.take(presented.authorization, {
        ...request,
        accountId: caller?.accountId,
      });
      return {
        caller: caller ?? payerCaller(paid.accountId, paid.paymentId),
        payment: {
          paymentId: paid.paymentId,
          receiptId: paid.receiptId,
          amountMicro: paid.amountMicro,
        },
        position: paid.position,
        headers: receiptOf(presented, paid),
      };
    },
  };
};
