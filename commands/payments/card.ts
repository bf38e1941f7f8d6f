/** Topping up by card: a checkout at the card provider, charged in the payer's currency. */
import { randomUUID } from 'node:crypto';
import type { ChargeCurrency } from '../../contract/charge-currency.ts';
import { AppError } from '../../contract/errors.ts';
import type { TopUpTerms } from '../../events/top-up.ts';
import { type Clock, toTimestamp } from '../../ground/clock.ts';
import type { MicroUsd } from '../../money/amounts.ts';
import type { CommandHandler } from '../handling/handle.ts';
import { walletAggregate } from '../wallets/wallet.ts';
import type { Orders } from './place-order.ts';
import { hasReversal, type Reversal, reverseCredit } from './reversals.ts';
import type { TopUpMethod, TopUps } from './top-ups.ts';

/** A checkout as its provider has it. */
export type Checkout = {
  sessionId: string;
  state: 'open' | 'paid' | 'expired';
  /** The id of the top-up or order that it pays. */
  reference: string;
  /** Undefined: one that we never charge. */
  currency: ChargeCurrency | undefined;
  amountMinor: bigint;
};

/** The card provider. @throws RailUnavailable where it cannot be asked */
export type CardGateway = {
  /**
   * Each call opens a checkout. Only the recorded one has its address handed out, so nobody pays another.
   * @throws AppError validation_failed for an e-mail address that the provider refuses
   */
  open(wish: {
    reference: string;
    amountMinor: bigint;
    currency: ChargeCurrency;
    description: string;
    email?: string;
    returnUrl: string;
    expiresAt: number;
  }): Promise<{ sessionId: string; url: string; expiresAt: number }>;
  /** Undefined: there is none. */
  checkout(sessionId: string): Promise<Checkout | undefined>;
  /** Ends a checkout that nobody has paid. Returns false if it is paid, or is about to be. */
  close(sessionId: string): Promise<boolean>;
  /** Everything that was taken back of a checkout's payment so far, or given back: it only grows. */
  reversals(sessionId: string): Promise<Reversal[]>;
};

/** US dollars for one of a currency; `at` is a day. @throws AppError exchange_rate_stale */
type RateFor = (currency: ChargeCurrency) => { rate: string; at: string; source: string };

const checkoutMs = 3_600_000;
const microPerCent = 10_000n;
const million = 1_000_000n;

/** Millionths. */
const scaled = (rate: string): bigint => {
  const [whole = '0', decimals = ''] = rate.split('.');
  return BigInt(whole + decimals.slice(0, 6).padEnd(6, '0'));
};

/**
 * Cents of a currency for an amount in dollars, rounded up, so that the payment covers the credit.
 * @param rate US dollars for one of the currency
 */
const minorFor = (amountMicro: MicroUsd, rate: string): bigint => {
  const unit = microPerCent * scaled(rate);
  return (amountMicro * million + unit - 1n) / unit;
};

export const createCardMethod = (ports: {
  gateway: CardGateway;
  rateFor: RateFor;
  /** The page that a person sees after the checkout of a top-up, paid or not. */
  pageOf: (topUpId: string) => string;
  clock: Clock;
}): TopUpMethod => ({
  method: 'card',
  payableMs: checkoutMs,
  async open({ topUpId, amountMicro, currency, checkout }) {
    const { gateway, rateFor, pageOf, clock } = ports;
    const rate = currency === 'USD' ? undefined : rateFor(currency);
    const amountMinor = minorFor(amountMicro, rate?.rate ?? '1');
    const { sessionId, url, expiresAt } = await gateway.open({
      reference: topUpId,
      amountMinor,
      currency,
      ...(checkout ?? {
        description: 'Top-up of your letters wallet',
        returnUrl: pageOf(topUpId),
      }),
      expiresAt: clock() + checkoutMs,
    });
    const locked = rate && {
      value: rate.rate,
      source: rate.source,
      at: `${rate.at}T00:00:00.000Z`,
    };
    return {
      terms: {
        method: 'card',
        sessionId,
        currency,
        amountMinor: Number(amountMinor),
        ...(locked ? { rate: locked } : {}),
      },
      handed: url,
      expiresAt: toTimestamp(expiresAt),
    };
  },
});

type CardTerms = Extract<TopUpTerms, { method: 'card' }>;

/** @throws AppError conflict: the provider's figures are not those that were asked for */
const assertAsAsked = (checkout: Checkout, terms: CardTerms): void => {
  const { currency, amountMinor } = checkout;
  if (currency === terms.currency && amountMinor === BigInt(terms.amountMinor)) return;
  throw new AppError(
    'conflict',
    'The amount or currency of the payment differs from the checkout. The operator has to look at it.',
  );
};

/**
 * Makes a top-up follow its checkout: paid, expired, and partly or fully taken back. Notifications of the
 * provider are only hints; its answers to our requests count.
 */
export const createFollowCheckout = (ports: {
  gateway: Pick<CardGateway, 'checkout' | 'close' | 'reversals'>;
  topUps: Pick<TopUps, 'load' | 'paid' | 'expire' | 'expireUnknown'>;
  handler: CommandHandler;
  /** A checkout may be that of an order. */
  orders: Pick<Orders, 'settle' | 'isWithdrawn'>;
}) => {
  const { gateway, topUps, handler, orders } = ports;

  /** Nobody can pay for a letter any more that cannot be sent with the payment. */
  const closeWithdrawn = async (topUpId: string, sessionId: string): Promise<void> => {
    if (!(await orders.isWithdrawn(topUpId))) return;
    if (await gateway.close(sessionId)) await topUps.expire(topUpId);
  };

  /** @param withReversals whether the provider tells of money that was taken back */
  return async (topUpId: string, withReversals: boolean): Promise<void> => {
    const before = await topUps.load(topUpId);
    const { terms, accountId } = before.asked;
    if (terms.method !== 'card') return;
    const { sessionId } = terms;
    const checkout = await gateway.checkout(sessionId);
    if (checkout === undefined) return topUps.expireUnknown(topUpId);
    if (checkout.reference !== topUpId) return;
    if (checkout.state === 'expired') return topUps.expire(topUpId);
    if (checkout.state === 'open') return closeWithdrawn(topUpId, sessionId);
    assertAsAsked(checkout, terms);
    const credited = BigInt(before.asked.amountMicro);
    await topUps.paid(topUpId, { id: sessionId, amountMicro: credited });
    if (!withReversals) return;
    const credit = {
      creditId: sessionId,
      creditedMicro: credited,
      chargedMinor: BigInt(terms.amountMinor),
    };
    // Another process may have got newer reports meanwhile.
    let reversals = await gateway.reversals(sessionId);
    for (let before = -1; reversals.length !== before; ) {
      before = reversals.length;
      const context = { commandId: randomUUID(), actor: 'payments' };
      const told = reversals;
      await handler.handle(walletAggregate, accountId, context, (wallet) =>
        reverseCredit(wallet, credit, told),
      );
      reversals = await gateway.reversals(sessionId);
    }
    await orders.settle(topUpId);
  };
};

/** Whether all of these reversals of a top-up have a receipt in the wallet. @throws AppError topup_not_found */
export const createHasReversals =
  ({ topUps, handler }: { topUps: Pick<TopUps, 'load'>; handler: CommandHandler }) =>
  async (topUpId: string, reversals: readonly Reversal[]): Promise<boolean> => {
    const { terms, accountId } = (await topUps.load(topUpId)).asked;
    if (terms.method !== 'card') return true;
    const { state } = await handler.load(walletAggregate, accountId);
    return reversals.every((reversal) => hasReversal(state, terms.sessionId, reversal));
  };
