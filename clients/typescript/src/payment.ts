/** x402: the caller's own payer signs the demanded payment, within caps, once per call. */
import { fromBase64, toBase64, utf8 } from './encoding.ts';
import { clientError, type PaymentOffer, type PaymentRequired } from './errors.ts';

/** A signed payment as x402 has it, version 2, or the value of its header. */
export type SignedPayment = string | { x402Version: number; [member: string]: unknown };

export type Payer = {
  /** Signs one of `accepts`, of which each is within the caps. */
  pay(required: PaymentRequired, call: { url: string }): Promise<SignedPayment>;
  /** The most that one call may cost, in US dollars. */
  maxUsd: number;
  /** The most that all calls with this payer may cost together. Default: no limit. */
  maxTotalUsd?: number;
  /**
   * The tokens that may be paid with, each as `<CAIP-2 network>/<contract>`. Default: USDC on Base and Base
   * Sepolia. Name only tokens that count in millionths of a dollar, as USDC does.
   */
  assets?: readonly string[];
};

const payerMembers = ['pay', 'maxUsd', 'maxTotalUsd', 'assets'];

/** Circle's USDC on Base and Base Sepolia. Source: developers.circle.com, USDC contract addresses. */
const usdc = [
  'eip155:8453/0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
  'eip155:84532/0x036cbd53842c5426634e7929541ec2318f3dcf7e',
];

/** USDC has six decimals. */
const perUsd = 1_000_000;

const decoded = (header: string): unknown => {
  const bytes = fromBase64(header);
  try {
    return bytes && JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
};

/** The demand for payment in the answer; undefined when there is nothing that can be paid. */
export const paymentRequiredIn = (headers: Headers): PaymentRequired | undefined => {
  const required = decoded(headers.get('payment-required') ?? '') as PaymentRequired | undefined;
  return Array.isArray(required?.accepts) ? required : undefined;
};

const amountOf = (offer: PaymentOffer): number =>
  typeof offer?.amount === 'string' && /^\d{1,15}$/.test(offer.amount)
    ? Number(offer.amount)
    : Number.POSITIVE_INFINITY;

const assetOf = ({ network, asset }: PaymentOffer): string => `${network}/${asset}`.toLowerCase();

/** The amount that a signed payment moves, where it names one. */
const signedAmount = (payment: SignedPayment): number | undefined => {
  const { accepted, payload } = ((typeof payment === 'string' ? decoded(payment) : payment) ??
    {}) as { accepted?: PaymentOffer; payload?: { authorization?: { value?: unknown } } };
  const value = payload?.authorization?.value ?? accepted?.amount;
  return value === undefined ? undefined : Number(value);
};

/** @throws Error if its text is no header, such as base64 in several lines */
const headerOf = (payment: SignedPayment): string => {
  if (typeof payment !== 'string') return toBase64(utf8(JSON.stringify(payment)));
  if (/^[\x21-\x7e]+$/.test(payment)) return payment;
  throw new Error('the payment is not one line of base64');
};

const aboveCap = (detail: string, required: PaymentRequired) =>
  clientError('payment_above_cap', detail, 'Nothing was signed or paid. Raise the cap to pay it.', {
    status: 402,
    payment_required: required,
  });

const otherAsset = (required: PaymentRequired) =>
  clientError(
    'asset_not_allowed',
    'The service asks for no token that the payer may pay with.',
    'Nothing was signed or paid. If a token is worth one US dollar and has six decimals, add it to assets of the payer.',
    { status: 402, payment_required: required },
  );

const refused = (detail: string, hint: string) => clientError('invalid_options', detail, hint);

/** A cap in millionths of a dollar. @throws ServiceError invalid_options */
const capOf = (name: string, usd: unknown): number => {
  if (typeof usd === 'number' && usd >= 0) return Math.floor(usd * perUsd + 1e-6);
  throw refused(
    `${name} of the payer is ${String(usd)}, which is no amount in US dollars.`,
    `Set ${name} to a number, such as 5.`,
  );
};

/** @throws ServiceError invalid_options */
const assertPayer = (payer: Payer): void => {
  const unknown = Object.keys(payer).find((name) => !payerMembers.includes(name));
  if (unknown !== undefined) {
    const names = payerMembers.join(', ');
    throw refused(`The payer has a member ${unknown}, which does not exist.`, `It takes ${names}.`);
  }
  if (payer.maxUsd === undefined) {
    throw refused('The payer has no maxUsd.', 'Set maxUsd to the most that one call may cost.');
  }
};

/** A signed payment, and how often it was sent. */
export type Payment = {
  header: string;
  sent: number;
  /** The service took nothing, so it does not count. */
  release(): void;
};

/** By request: its path and idempotency key. */
type Payments = Map<string, Promise<Payment>>;

const mostPayments = 1_000;

/** The payments of a payer, which may serve several clients: `execute` makes one for each call. */
const accounts = new WeakMap<Payer, { spent: number; payments: Payments }>();

const accountOf = (payer: Payer) => {
  const account = accounts.get(payer) ?? { spent: 0, payments: new Map() };
  accounts.set(payer, account);
  return account;
};

/**
 * Signs payments within the caps. A signed payment counts until it is known to be refused, so that concurrent
 * calls stay within the total, too.
 */
export const createWallet = (payer: Payer) => {
  assertPayer(payer);
  const account = accountOf(payer);
  const cap = capOf('maxUsd', payer.maxUsd);
  const { maxTotalUsd } = payer;
  const total =
    maxTotalUsd === undefined ? Number.POSITIVE_INFINITY : capOf('maxTotalUsd', maxTotalUsd);
  const assets = (payer.assets ?? usdc).map((name) => name.toLowerCase());

  /** @throws ServiceError payment_above_cap, asset_not_allowed, payment_not_signed */
  const sign = async (required: PaymentRequired, url: string): Promise<Payment> => {
    const room = Math.min(cap, total - account.spent);
    const payable = required.accepts.filter(
      (offer) => offer?.scheme === 'exact' && assets.includes(assetOf(offer)),
    );
    if (payable.length === 0) throw otherAsset(required);
    const accepts = payable.filter((offer) => amountOf(offer) <= room);
    if (accepts.length === 0) {
      const least = Math.min(...payable.map(amountOf)) / perUsd;
      const price = Number.isFinite(least) ? `It costs ${least} USD` : 'Its price cannot be read';
      throw aboveCap(`${price}; the payer may pay ${room / perUsd} USD.`, required);
    }
    const most = Math.max(...accepts.map(amountOf));
    account.spent += most;
    const release = () => {
      account.spent -= most;
    };
    try {
      const payment = await payer.pay({ ...required, accepts }, { url });
      const amount = signedAmount(payment);
      if (amount !== undefined && !(amount <= most)) {
        throw aboveCap('The payer signed more than was asked for; it was not sent.', required);
      }
      return { header: headerOf(payment), sent: 0, release };
    } catch (error) {
      release();
      if (error instanceof Error && error.name === 'ServiceError') throw error;
      const detail = `The payer did not sign: ${error instanceof Error ? error.message : String(error)}.`;
      throw clientError('payment_not_signed', detail, 'Nothing was paid. Look at the payer.', {
        status: 402,
        payment_required: required,
        cause: error,
      });
    }
  };

  const { payments } = account;
  return {
    /** The payment that was signed for a request before; it is sent again with each repetition. */
    async paymentOf(request: string): Promise<Payment | undefined> {
      return payments.get(request)?.catch(() => undefined);
    },

    /** Signs a payment, unless there is one for this request. @throws as sign */
    pay(required: PaymentRequired, url: string, request: string | undefined): Promise<Payment> {
      const known = request === undefined ? undefined : payments.get(request);
      const payment = known ?? sign(required, url);
      if (request === undefined || known) return payment;
      payments.set(request, payment);
      payment.catch(() => payments.delete(request));
      const [oldest] = payments.keys();
      if (payments.size > mostPayments && oldest !== undefined) payments.delete(oldest);
      return payment;
    },

    /** The request was refused and did nothing: it may be paid anew. */
    forget(request: string): void {
      payments.delete(request);
    },
  };
};

export type Wallet = ReturnType<typeof createWallet>;
