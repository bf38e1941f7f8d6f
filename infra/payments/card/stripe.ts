/** Stripe Checkout. */

import Stripe from 'stripe';
import type { CardGateway, Checkout } from '../../../commands/payments/card.ts';
import { RailUnavailable } from '../../../commands/payments/rails.ts';
import type { Reversal } from '../../../commands/payments/reversals.ts';
import type { ChargeCurrency } from '../../../contract/charge-currency.ts';
import { AppError } from '../../../contract/errors.ts';
import type { SignedRequest } from '../../../contract/operation.ts';
import { invalidField } from '../../../contract/refusals.ts';
import { type BalanceMove, balanceMovesOf } from './balance.ts';
import { reversalsOf, reversedSince } from './reversed.ts';

export type StripeSettings = {
  secretKey: string;
  webhookSecret: string;
  /** In place of Stripe's own address. */
  apiBase?: string | undefined;
};

/** Which checkout an event is about, and whether it is about money that was taken back. */
type CardNews = { reference: string; withReversals: boolean };

const addressOf = (apiBase: string | undefined) => {
  if (apiBase === undefined) return {};
  const { hostname, port, protocol } = new URL(apiBase);
  const scheme = protocol === 'http:' ? ('http' as const) : ('https' as const);
  return { host: hostname, protocol: scheme, ...(port === '' ? {} : { port }) };
};

const currencies: Record<string, ChargeCurrency> = { usd: 'USD', eur: 'EUR', cad: 'CAD' };

const idOf = (value: string | { id: string } | null | undefined): string | undefined =>
  typeof value === 'string' ? value : value?.id;

/** Refusals and failures of Stripe are for the operator of the service. */
const away = (error: unknown): never => {
  throw new RailUnavailable(error);
};

/** An answer that is of Stripe. @throws RailUnavailable for another one, as of a proxy before it */
const named = <T extends { id: string }>(answer: T | undefined): T =>
  typeof answer?.id === 'string' ? answer : away(new Error('the answer has no id'));

/** Addresses of payers that Stripe refuses are for the caller. @throws AppError validation_failed; RailUnavailable */
const notOpened = (error: unknown): never => {
  const isRefused = error instanceof Stripe.errors.StripeInvalidRequestError;
  if (!isRefused || (error.code !== 'email_invalid' && error.param !== 'customer_email'))
    return away(error);
  throw invalidField(
    '/email',
    'format',
    'The card provider does not accept the address in email. Correct it, and place the order under a new Idempotency-Key.',
  );
};

const isMissing = (error: unknown): boolean =>
  error instanceof Stripe.errors.StripeInvalidRequestError && error.code === 'resource_missing';

const sessionOf = (
  stripe: Stripe,
  sessionId: string,
): Promise<Stripe.Checkout.Session | undefined> =>
  stripe.checkout.sessions
    .retrieve(sessionId, { expand: ['payment_intent'] })
    .then(named)
    .catch((error: unknown) => (isMissing(error) ? undefined : away(error)));

const stateOf = (session: Stripe.Checkout.Session): Checkout['state'] => {
  const { payment_status, status, payment_intent: payment } = session;
  if (payment_status === 'paid') return 'paid';
  if (status === 'expired') return 'expired';
  // A delayed method that failed leaves the checkout complete; it cannot be paid any more.
  const failed =
    status === 'complete' &&
    typeof payment === 'object' &&
    (payment?.status === 'requires_payment_method' || payment?.status === 'canceled');
  return failed ? 'expired' : 'open';
};

const checkoutOf = (session: Stripe.Checkout.Session): Checkout => ({
  sessionId: session.id,
  state: stateOf(session),
  reference: session.client_reference_id ?? '',
  currency: currencies[session.currency ?? ''],
  amountMinor: BigInt(session.amount_total ?? 0),
});

const createGateway = (stripe: Stripe): CardGateway => ({
  async open({ reference, amountMinor, currency, description, email, returnUrl, expiresAt }) {
    // The library repeats a call under a key of its own. A request that is repeated asks for a later end, which Stripe
    // would refuse under the key of the first.
    const session = await stripe.checkout.sessions
      .create({
        mode: 'payment',
        // Otherwise the settings at Stripe decide whether the payer is charged in another currency than the one shown.
        adaptive_pricing: { enabled: false },
        line_items: [
          {
            quantity: 1,
            price_data: {
              currency: currency.toLowerCase(),
              unit_amount: Number(amountMinor),
              product_data: { name: description },
            },
          },
        ],
        success_url: returnUrl,
        cancel_url: returnUrl,
        client_reference_id: reference,
        metadata: { reference },
        payment_intent_data: { metadata: { reference } },
        expires_at: Math.floor(expiresAt / 1_000),
        ...(email === undefined ? {} : { customer_email: email }),
      })
      .then(named)
      .catch(notOpened);
    return {
      sessionId: session.id,
      url: session.url ?? '',
      expiresAt: session.expires_at * 1_000,
    };
  },

  async checkout(sessionId) {
    const session = await sessionOf(stripe, sessionId);
    return session && checkoutOf(session);
  },

  async close(sessionId) {
    const session = await stripe.checkout.sessions
      .expire(sessionId)
      .catch((error: unknown) =>
        error instanceof Stripe.errors.StripeInvalidRequestError ? undefined : away(error),
      );
    return session?.status === 'expired';
  },

  async reversals(sessionId) {
    const payment = idOf((await sessionOf(stripe, sessionId))?.payment_intent);
    if (payment === undefined) return [];
    return reversalsOf(stripe, payment).catch(away);
  },
});

export const createStripe = ({ secretKey, webhookSecret, apiBase }: StripeSettings) => {
  const stripe = new Stripe(secretKey, {
    timeout: 10_000,
    maxNetworkRetries: 2,
    telemetry: false,
    ...addressOf(apiBase),
  });

  /** The top-up or order of an event, from the metadata that the payment got when it was made. */
  const referenceOf = async (payment: string | undefined): Promise<string | undefined> => {
    if (payment === undefined) return undefined;
    const found = await stripe.paymentIntents
      .retrieve(payment)
      .then(named)
      .catch((error: unknown) => (isMissing(error) ? undefined : away(error)));
    return found?.metadata.reference;
  };

  return {
    gateway: createGateway(stripe),

    /** Every checkout that was paid, of whatever system sold with the same account. */
    async *paidCheckouts(): AsyncGenerator<
      Checkout & { payment: string | undefined; createdMs: number }
    > {
      for await (const session of stripe.checkout.sessions.list({ limit: 100 })) {
        const checkout = checkoutOf(session);
        if (checkout.state !== 'paid') continue;
        const createdMs = session.created * 1_000;
        yield { ...checkout, payment: idOf(session.payment_intent), createdMs };
      }
    },

    /** Refunds and disputes made since a time, in epoch ms, by the reference of their payment. */
    reversedSince: (sinceMs: number): Promise<Map<string, Reversal[]>> =>
      reversedSince(stripe, sinceMs).catch(away),

    /** Changes of the balance that Stripe keeps. */
    balanceMoves: (): Promise<BalanceMove[]> => balanceMovesOf(stripe).catch(away),

    /** @throws AppError webhook_signature_invalid */
    checkSignature({ headers, body }: SignedRequest): void {
      const signature = headers['stripe-signature'];
      try {
        stripe.webhooks.constructEvent(body, String(signature ?? ''), webhookSecret);
      } catch {
        throw new AppError(
          'webhook_signature_invalid',
          'stripe-signature does not match the body, or is older than 5 minutes. Check STRIPE_WEBHOOK_SECRET.',
        );
      }
    },

    /** The subject of an event; undefined: it is not about a payment of ours. */
    async newsIn(event: {
      type: string;
      data: { object: unknown };
    }): Promise<CardNews | undefined> {
      const { type } = event;
      if (type.startsWith('checkout.session.')) {
        const { client_reference_id: reference } = event.data.object as Stripe.Checkout.Session;
        return reference ? { reference, withReversals: false } : undefined;
      }
      if (!/^(charge\.(refund|dispute)|refund\.)/.test(type)) return undefined;
      const { payment_intent: payment } = event.data.object as {
        payment_intent?: string | { id: string } | null;
      };
      const reference = await referenceOf(idOf(payment));
      return reference === undefined ? undefined : { reference, withReversals: true };
    },
  };
};
