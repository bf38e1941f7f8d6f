/** x402: what is asked for is signed by the caller's own payer, within caps, once per call. */
import { fromBase64, toBase64, utf8 } from './encoding.ts';
import { clientError, type PaymentOffer, type PaymentRequired } from './errors.ts';

/** A signed payment as x402 has it, version 2, or the value of its header. */
export type SignedPayment = string | { x402Version: number; [member: string]: unknown };

export type Payer = {
  /** Signs one of `accepts`, of which each is within the caps. */
  pay(required: PaymentRequired, call: { url: string }): Promise<SignedPayment>;
  /** The most that one call may cost, in US dollars. */
  maxUsd: number;
  /** The most that all calls of one client may cost together. Default: no limit. */
  maxTotalUsd?: number;
};

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

/** What the answer asks for; undefined when there is nothing that can be paid. */
export const paymentRequiredIn = (headers: Headers): PaymentRequired | undefined => {
  const required = decoded(headers.get('payment-required') ?? '') as PaymentRequired | undefined;
  return Array.isArray(required?.accepts) ? required : undefined;
};

const amountOf = (offer: PaymentOffer): number =>
  typeof offer?.amount === 'string' && /^\d{1,15}$/.test(offer.amount)
    ? Number(offer.amount)
    : Number.POSITIVE_INFINITY;

/** What a signed payment moves, where it says so. */
const signedAmount = (payment: SignedPayment): number | undefined => {
  const { accepted, payload } = ((typeof payment === 'string' ? decoded(payment) : payment) ??
    {}) as { accepted?: PaymentOffer; payload?: { authorization?: { value?: unknown } } };
  const value = payload?.authorization?.value ?? accepted?.amount;
  return value === undefined ? undefined : Number(value);
};

const headerOf = (payment: SignedPayment): string =>
  typeof payment === 'string' ? payment : toBase64(utf8(JSON.stringify(payment)));

const aboveCap = (detail: string, required: PaymentRequired) =>
  clientError('payment_above_cap', detail, 'Nothing was signed or paid. Raise the cap to pay it.', {
    status: 402,
    payment_required: required,
  });

const atomic = (usd: number | undefined): number =>
  usd === undefined ? Number.POSITIVE_INFINITY : Math.floor(usd * perUsd + 1e-6);

/**
 * Signs payments within the caps. What was signed counts until it is known to be refused, so that calls at
 * the same moment stay within the total, too.
 */
export const createWallet = (payer: Payer) => {
  const cap = atomic(payer.maxUsd);
  const total = atomic(payer.maxTotalUsd);
  if (!(cap >= 0) || !(total >= 0)) {
    throw clientError('invalid_options', 'The payer has no maxUsd.', 'Say what a call may cost.');
  }
  let spent = 0;

  /** @throws ServiceError payment_above_cap, payment_not_signed */
  const sign = async (required: PaymentRequired, url: string) => {
    const room = Math.min(cap, total - spent);
    const accepts = required.accepts.filter((offer) => amountOf(offer) <= room);
    if (accepts.length === 0) {
      const least = Math.min(...required.accepts.map(amountOf)) / perUsd;
      const price = Number.isFinite(least) ? `It costs ${least} USD` : 'Its price cannot be read';
      throw aboveCap(`${price}; the payer may pay ${room / perUsd} USD.`, required);
    }
    const most = Math.max(...accepts.map(amountOf));
    spent += most;
    const release = () => {
      spent -= most;
    };
    try {
      const payment = await payer.pay({ ...required, accepts }, { url });
      const amount = signedAmount(payment);
      if (amount !== undefined && !(amount <= most)) {
        throw aboveCap('The payer signed more than was asked for; it was not sent.', required);
      }
      return { header: headerOf(payment), release };
    } catch (error) {
      release();
      if (error instanceof Error && error.name === 'ServiceError') throw error;
      const detail = `The payer did not sign: ${error instanceof Error ? error.message : String(error)}.`;
      throw clientError('payment_not_signed', detail, 'Nothing was paid. Look at the payer.', {
        ...{ status: 402, payment_required: required, cause: error },
      });
    }
  };
  return { sign };
};

export type Wallet = ReturnType<typeof createWallet>;
