/**
 * A stand-in for Stripe: checkouts, payments, refunds and disputes over HTTP, form-encoded as the real one
 * takes them, with its idempotency keys. Signed webhooks report every change.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Stripe from 'stripe';

type Session = {
  id: string;
  status: 'open' | 'complete' | 'expired';
  payment_status: 'paid' | 'unpaid';
  client_reference_id: string;
  /** Name of what is sold. */
  sold: string;
  /** Whether the payer may be charged in the currency of the card: the setting of the account, if the checkout has none. */
  isLocalized: boolean;
  currency: string;
  amount_total: number;
  customer_email: string | null;
  payment_intent: string | null;
  /** Status of the payment intent. */
  payment: 'requires_payment_method' | 'processing' | 'succeeded';
  expires_at: number;
  /** Epoch seconds. */
  created: number;
  url: string;
  success_url: string;
  cancel_url: string;
};
type Refund = {
  id: string;
  amount: number;
  status: string;
  payment_intent: string;
  /** Epoch seconds. */
  created: number;
};
/** `balance_transactions`: what it took of the balance, and gave back. */
type Dispute = Refund & { balance_transactions: object[] };

/** A page of a list: the newest first, made since `created[gte]`, after `starting_after`, at most `limit`. */
const pageOf = <T extends { id: string; created: number }>(
  made: readonly T[],
  query: URLSearchParams,
): { data: T[]; has_more: boolean } => {
  const since = Number(query.get('created[gte]') ?? 0);
  const all = made.filter(({ created }) => created >= since).toReversed();
  const after = query.get('starting_after');
  const begin = after === null ? 0 : all.findIndex(({ id }) => id === after) + 1;
  const end = begin + Number(query.get('limit') ?? 10);
  return { data: all.slice(begin, end), has_more: end < all.length };
};

const secretKey = 'sk_test_standin';
const webhookSecret = 'whsec_standin';

export type StripeServer = Awaited<ReturnType<typeof startStripe>>;

export const startStripe = async () => {
  const sessions = new Map<string, Session>();
  const answered = new Map<string, { asked: string; body: object }>();
  const refunds: Refund[] = [];
  const disputes: Dispute[] = [];
  const stripe = new Stripe(secretKey);
  let count = 0;
  let hook = '';
  let down = false;
  let losesAnswers = false;
  const reads: string[] = [];
  /** Ids are as long as the real ones. */
  const next = (prefix: string): string => {
    const begin = `${prefix}_test_`;
    const length = prefix === 'cs' ? 66 : 27;
    return begin + String(++count).padStart(length - begin.length, '0');
  };

  const send = (response: ServerResponse, status: number, body: object): void => {
    response.writeHead(status, { 'Content-Type': 'application/json', 'Request-Id': next('req') });
    response.end(JSON.stringify(body));
  };
  const fail = (message: string, code: string) => ({
    error: { type: 'invalid_request_error', code, message },
  });

  const create = (form: URLSearchParams): Session => {
    const id = next('cs');
    const quantity = Number(form.get('line_items[0][quantity]') ?? 1);
    const session: Session = {
      id,
      status: 'open',
      payment_status: 'unpaid',
      client_reference_id: form.get('client_reference_id') ?? '',
      isLocalized: form.get('adaptive_pricing[enabled]') !== 'false',
      sold: form.get('line_items[0][price_data][product_data][name]') ?? '',
      currency: form.get('line_items[0][price_data][currency]') ?? '',
      amount_total: quantity * Number(form.get('line_items[0][price_data][unit_amount]')),
      customer_email: form.get('customer_email'),
      payment_intent: null,
      payment: 'requires_payment_method',
      expires_at: Number(form.get('expires_at')),
      created: Math.floor(Date.now() / 1_000),
      url: `https://checkout.example/${id}`,
      success_url: form.get('success_url') ?? '',
      cancel_url: form.get('cancel_url') ?? '',
    };
    sessions.set(id, session);
    return session;
  };

  const expireOpen = (session: Session | undefined, response: ServerResponse): void => {
    if (session === undefined) {
      send(response, 404, fail('No such checkout.session', 'resource_missing'));
    } else if (session.status !== 'open') {
      const message = 'Only Checkout Sessions with a status in ["open"] can be expired.';
      send(response, 400, { error: { type: 'invalid_request_error', message } });
    } else {
      session.status = 'expired';
      send(response, 200, session);
    }
  };

  const withPayment = (session: Session): object => ({
    ...session,
    payment_intent: session.payment_intent && {
      id: session.payment_intent,
      object: 'payment_intent',
      status: session.payment,
      metadata: { reference: session.client_reference_id },
    },
  });

  /** Payments whose money never reached the balance. */
  const lost = new Set<string>();
  const payoutMinor = 250;

  const balanceMove = (
    reporting_category: string,
    amount: number,
    fee: number,
    source?: { id: string; currency?: string; amount: number; payment_intent: string | null },
  ): object => ({
    id: next('txn'),
    object: 'balance_transaction',
    reporting_category,
    amount,
    fee,
    net: amount - fee,
    currency: source?.currency ?? 'usd',
    source: source ?? null,
  });

  const balanceMoves = (): object[] => [
    ...[...sessions.values()]
      .filter((one) => one.payment_status === 'paid' && !lost.has(one.id))
      .map(({ amount_total: amount, currency, payment_intent }) =>
        balanceMove('charge', amount, 59, { id: next('ch'), currency, amount, payment_intent }),
      ),
    ...refunds.map((one) => balanceMove('refund', -one.amount, 0, one)),
    ...disputes
      .filter(({ balance_transactions: moved }) => moved.length > 0)
      .map((one) => balanceMove('dispute', -one.amount, 1_500, one)),
    ...disputes
      .filter(({ status }) => status === 'won')
      .map((one) => balanceMove('dispute_reversal', one.amount, 0, one)),
    balanceMove('payout', -payoutMinor, 0),
  ];

  const paymentOf = (id: string | undefined): object | undefined => {
    const session = [...sessions.values()].find((one) => one.payment_intent === id);
    return (
      session && {
        id,
        object: 'payment_intent',
        metadata: { reference: session.client_reference_id },
      }
    );
  };

  const get = (path: string, query: URLSearchParams): object | undefined => {
    const [, resource, id] = /^\/v1\/(checkout\/sessions|payment_intents)\/(\w+)$/.exec(path) ?? [];
    const list = (data: object[]) => ({ object: 'list', data, has_more: false, url: path });
    /** Of one payment or of all, with the payment itself if it is to be expanded. */
    const reversals = (made: readonly Refund[]) => {
      const payment = query.get('payment_intent');
      const own = made.filter((one) => payment === null || one.payment_intent === payment);
      const { data, has_more } = pageOf(own, query);
      const isExpanded = query.get('expand[0]') === 'data.payment_intent';
      return {
        ...list(
          isExpanded
            ? data.map((one) => ({ ...one, payment_intent: paymentOf(one.payment_intent) }))
            : data,
        ),
        has_more,
      };
    };
    if (path === '/v1/checkout/sessions') return list([...sessions.values()]);
    if (path === '/v1/balance_transactions') {
      return query.get('expand[0]') === 'data.source' ? list(balanceMoves()) : undefined;
    }
    if (path === '/v1/refunds') return reversals(refunds);
    if (path === '/v1/disputes') return reversals(disputes);
    if (resource === 'checkout/sessions') {
      const session = sessions.get(id ?? '');
      return session && query.get('expand[0]') === 'payment_intent'
        ? withPayment(session)
        : session;
    }
    return paymentOf(id);
  };

  const server = createServer((incoming, response) => {
    if (down) {
      incoming.socket.destroy();
      return;
    }
    if (incoming.headers.authorization !== `Bearer ${secretKey}`) {
      send(response, 401, fail('Invalid API Key provided', 'api_key_invalid'));
      return;
    }
    const url = new URL(incoming.url ?? '/', 'http://stripe');
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const asked = Buffer.concat(chunks).toString();
      if (incoming.method === 'GET') {
        reads.push(url.pathname);
        const found = get(url.pathname, url.searchParams);
        if (found) send(response, 200, found);
        else send(response, 404, fail('No such object', 'resource_missing'));
        return;
      }
      const [, ended] = /^\/v1\/checkout\/sessions\/(\w+)\/expire$/.exec(url.pathname) ?? [];
      if (ended !== undefined) {
        expireOpen(sessions.get(ended), response);
        return;
      }
      const key = String(incoming.headers['idempotency-key'] ?? '');
      const before = answered.get(key);
      if (before && before.asked !== asked) {
        send(response, 400, { error: { type: 'idempotency_error', message: 'other parameters' } });
        return;
      }
      const form = new URLSearchParams(asked);
      const email = form.get('customer_email');
      // Stricter than the format of JSON Schema, as the real one is.
      if (email !== null && !/\.[a-z]{2,}$/i.test(email)) {
        const refused = fail(`Invalid email address: ${email}`, 'email_invalid');
        send(response, 400, { error: { ...refused.error, param: 'customer_email' } });
        return;
      }
      const body = before?.body ?? create(form);
      if (key !== '') answered.set(key, { asked, body });
      if (losesAnswers) incoming.socket.destroy();
      else send(response, 200, body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  /** Tells of something by a signed webhook. Returns what was answered. */
  const tell = async (type: string, object: object, secret = webhookSecret): Promise<number> => {
    const payload = JSON.stringify({ id: next('evt'), object: 'event', type, data: { object } });
    const signature = stripe.webhooks.generateTestHeaderString({ payload, secret });
    const answer = await fetch(hook, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Stripe-Signature': signature },
      body: payload,
    });
    return answer.status;
  };

  const sessionAt = (url: string): Session => {
    const session = [...sessions.values()].find((one) => one.url === url);
    if (!session) throw new Error('no such checkout');
    return session;
  };

  const reversed = (prefix: string, status: string, url: string, amount: number): Refund => {
    const { payment_intent } = sessionAt(url);
    const created = Math.floor(Date.now() / 1_000);
    return { id: next(prefix), amount, status, payment_intent: payment_intent ?? '', created };
  };

  return {
    /** The settings of a service that takes card payments through this server. */
    env: {
      STRIPE_SECRET_KEY: secretKey,
      STRIPE_WEBHOOK_SECRET: webhookSecret,
      STRIPE_API_BASE: `http://127.0.0.1:${port}`,
    },
    /** Where it sends its webhooks. */
    tellTo(address: string): void {
      hook = address;
    },
    tell,
    sessionAt,
    /** Paths that were read so far. */
    reads: (): readonly string[] => reads,
    setDown(value: boolean): void {
      down = value;
    },
    /** It makes checkouts, and the connection breaks before it answers. */
    setLosesAnswers(value: boolean): void {
      losesAnswers = value;
    },
    /** The payer completes the checkout; a delayed method pays later. */
    complete(url: string, delayed = false): Session {
      const session = sessionAt(url);
      if (session.status === 'expired') throw new Error('the checkout has expired');
      session.status = 'complete';
      session.payment_intent ??= next('pi');
      session.payment = delayed ? 'processing' : 'succeeded';
      if (!delayed) session.payment_status = 'paid';
      return session;
    },
    /** The money of a checkout that was paid never reaches the balance. */
    lose(url: string): void {
      lost.add(sessionAt(url).id);
    },
    settle(url: string): Session {
      const session = sessionAt(url);
      session.payment = 'succeeded';
      session.payment_status = 'paid';
      return session;
    },
    /** The bank refuses a delayed payment. */
    fail(url: string): Session {
      const session = sessionAt(url);
      session.payment = 'requires_payment_method';
      return session;
    },
    expire(url: string): Session {
      const session = sessionAt(url);
      session.status = 'expired';
      return session;
    },
    refund(url: string, amount: number): Refund {
      const refund = reversed('re', 'succeeded', url, amount);
      refunds.push(refund);
      return refund;
    },
    dispute(url: string, amount: number): Dispute {
      const taken = { id: next('txn'), amount: -amount };
      const dispute = {
        ...reversed('dp', 'needs_response', url, amount),
        balance_transactions: [taken],
      };
      disputes.push(dispute);
      return dispute;
    },
    async stop(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
