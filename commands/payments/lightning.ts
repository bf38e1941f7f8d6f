/** Topping up by Lightning: an invoice over whole satoshis at a locked rate, settled by its payment hash. */
import { createHash, createHmac } from 'node:crypto';
import type { TopUpTerms } from '../../events/top-up.ts';
import { type Clock, toTimestamp } from '../../ground/clock.ts';
import type { RotatingKey } from '../../ground/rotating-key.ts';
import type { MicroUsd } from '../../money/amounts.ts';
import type { TopUpMethod, TopUps } from './top-ups.ts';

/** US dollars for a bitcoin, in decimal digits. */
export type BitcoinRate = { value: string; source: string; at: string };

export type InvoiceState =
  | { state: 'open' | 'held' | 'cancelled' }
  | { state: 'settled'; paidMsat: bigint };

/** `earlier`: the terms of an invoice that the node had already. Times are epoch ms. */
type MadeInvoice = {
  request: string;
  earlier?: { amountSat: bigint; createdMs: number; expiresMs: number };
};

/** A Lightning node. @throws RailUnavailable where it cannot be asked */
export type LightningNode = {
  /** The invoice for this preimage. Making it again returns the existing one with its own terms. */
  invoice(wish: {
    preimage: Buffer;
    amountSat: bigint;
    memo: string;
    expirySeconds: number;
  }): Promise<MadeInvoice>;
  /** Undefined: the node has no such invoice. */
  stateOf(paymentHash: string): Promise<InvoiceState | undefined>;
};

/** @throws AppError payment_unavailable where no rate is fresh enough */
export type CurrentRate = () => Promise<BitcoinRate>;

const expirySeconds = 900;
const satoshisPerBitcoin = 100_000_000n;
const msatPerBitcoin = satoshisPerBitcoin * 1_000n;

/** Micro-dollars for a bitcoin. @throws RangeError for a number that is not positive */
export const microPerBitcoin = (value: string): bigint => {
  const match = /^(\d{1,12})(?:\.(\d{1,12}))?$/.exec(value);
  const micro = match ? BigInt((match[1] ?? '') + (match[2] ?? '').slice(0, 6).padEnd(6, '0')) : 0n;
  if (micro <= 0n) throw new RangeError(`${value} is not the price of a bitcoin`);
  return micro;
};

/** Rounded up to whole satoshis, so that the payment covers the credit. */
const satoshisFor = (amountMicro: MicroUsd, rate: string): bigint => {
  const perBitcoin = microPerBitcoin(rate);
  const msat = (amountMicro * msatPerBitcoin + perBitcoin - 1n) / perBitcoin;
  return (msat + 999n) / 1_000n;
};

/** The rate at which an earlier invoice asks for an amount, rounded down to micro-dollars. */
const rateOf = (
  amountMicro: MicroUsd,
  { amountSat, createdMs }: NonNullable<MadeInvoice['earlier']>,
): BitcoinRate => {
  const digits = String((amountMicro * satoshisPerBitcoin) / amountSat).padStart(7, '0');
  const value = `${digits.slice(0, -6)}.${digits.slice(-6)}`;
  return { value, source: 'invoice', at: toTimestamp(createdMs) };
};

type LightningTerms = Extract<TopUpTerms, { method: 'lightning' }>;

/** The value of a payment at the locked rate: the requested amount, or more if the payer overpaid. */
export const creditFor = (
  asked: MicroUsd,
  { amountSat, rate }: LightningTerms,
  paidMsat: bigint,
): MicroUsd =>
  paidMsat <= BigInt(amountSat) * 1_000n
    ? asked
    : (paidMsat * microPerBitcoin(rate.value)) / msatPerBitcoin;

export const createLightningMethod = (ports: {
  node: LightningNode;
  rate: CurrentRate;
  /** Makes the preimage of each top-up, so that the same top-up of the same amount has the same invoice. */
  key: RotatingKey;
  clock: Clock;
}): TopUpMethod => ({
  method: 'lightning',
  payableMs: expirySeconds * 1_000,
  async open({ topUpId, amountMicro }) {
    const { node, clock, key } = ports;
    const rate = await ports.rate();
    const amountSat = satoshisFor(amountMicro, rate.value);
    const expiresMs = clock() + expirySeconds * 1_000;
    // Two requests with one Idempotency-Key may ask for different amounts at once. Only one of them is recorded.
    const preimage = createHmac('sha256', key()[0])
      .update(`top-up ${topUpId} ${amountMicro}`)
      .digest();
    const memo = `Top-up ${topUpId}`;
    const { request, earlier } = await node.invoice({ preimage, amountSat, memo, expirySeconds });
    const paymentHash = createHash('sha256').update(preimage).digest('hex');
    // A request that ended before its top-up was on record has made the invoice.
    return {
      terms: {
        method: 'lightning',
        paymentHash,
        amountSat: Number(earlier?.amountSat ?? amountSat),
        rate: earlier && earlier.amountSat !== amountSat ? rateOf(amountMicro, earlier) : rate,
      },
      handed: request,
      expiresAt: toTimestamp(earlier?.expiresMs ?? expiresMs),
    };
  },
});

/** Goes by what the node says of an invoice; the node alone knows whether it was paid. */
export const createSettleLightning = (ports: {
  node: Pick<LightningNode, 'stateOf'>;
  topUps: Pick<TopUps, 'load' | 'paid' | 'expire' | 'expireUnknown'>;
}) => {
  const { node, topUps } = ports;
  return async (topUpId: string): Promise<void> => {
    const { asked } = await topUps.load(topUpId);
    const { terms } = asked;
    if (terms.method !== 'lightning') return;
    const invoice = await node.stateOf(terms.paymentHash);
    if (invoice?.state === 'settled') {
      const amountMicro = creditFor(BigInt(asked.amountMicro), terms, invoice.paidMsat);
      await topUps.paid(topUpId, { id: terms.paymentHash, amountMicro });
    } else if (invoice?.state === 'cancelled') {
      await topUps.expire(topUpId);
    } else if (invoice === undefined) {
      await topUps.expireUnknown(topUpId);
    }
  };
};
