/**
 * Top-ups: how requested money from outside reaches a wallet. A `TopUpMethod` takes the money; here it is
 * recorded, and credited once per receipt.
 */
import { randomUUID } from 'node:crypto';
import type { ChargeCurrency } from '../../contract/charge-currency.ts';
import { AppError } from '../../contract/errors.ts';
import type { TopUpMethodName, TopUpTerms } from '../../events/top-up.ts';
import type { Method } from '../../events/wallet.ts';
import type { Clock } from '../../ground/clock.ts';
import type { MicroUsd } from '../../money/amounts.ts';
import type { Bucket } from '../../money/buckets.ts';
import type { CommandContext } from '../handling/fold.ts';
import type { CommandHandler } from '../handling/handle.ts';
import { creditAndHold, creditFunds, type Hold } from '../wallets/credits.ts';
import { walletAggregate } from '../wallets/wallet.ts';
import { RailUnavailable } from './rails.ts';
import { takenBackOf } from './reversals.ts';
import {
  expireTopUp,
  payTopUp,
  requestTopUp,
  type TopUp,
  topUpAggregate,
  topUpIdOf,
} from './top-up.ts';
import { createUnpaidTopUps } from './unpaid-top-ups.ts';

/** The requested top-up. */
type TopUpWish = {
  topUpId: string;
  accountId: string;
  amountMicro: MicroUsd;
  /** In which a card is charged; the wallet is in dollars. */
  currency: ChargeCurrency;
  /** The wallet that USDC is transferred from, in lower case; absent: any. */
  sender?: string | undefined;
  /** It is paid in the same request. */
  isPaid?: boolean;
  /** Of a card's checkout that is for something else than the wallet: how it is shown, and whereto it leads. */
  checkout?: { description: string; email: string; returnUrl: string };
};

/** A way to pay in. */
export type TopUpMethod = {
  method: TopUpMethodName;
  /** How long a top-up can be paid. */
  payableMs: number;
  /**
   * Makes the payment instructions for the payer. Safe to repeat under the same `topUpId`: those on record are
   * handed out.
   * @throws AppError payment_unavailable
   */
  open(wish: TopUpWish): Promise<{
    terms: TopUpTerms;
    /** An invoice, the address of a checkout; empty where there is none. */
    handed: string;
    expiresAt: string;
    /** The wallet that it is to come from, where one was named. */
    sender?: string;
  }>;
};

/** How the wallet's books name what paid a top-up. */
const receiptMethods: Record<TopUpMethodName, Method> = {
  usdc: 'usdc_transfer',
  lightning: 'lightning',
  card: 'card',
};

const bucketOf = (method: TopUpMethodName): Bucket => (method === 'card' ? 'fiat' : 'crypto');

/** @throws AppError payment_unavailable */
const unavailable = (error: unknown): never => {
  if (!(error instanceof RailUnavailable)) throw error;
  throw new AppError(
    'payment_unavailable',
    'The payment provider cannot be reached at the moment. Try again with the same Idempotency-Key.',
    { cause: error, headers: { 'Retry-After': '5' } },
  );
};

type Known = Exclude<TopUp, { status: 'none' }>;

type TopUpPorts = {
  handler: CommandHandler;
  clock: Clock;
  methods: readonly TopUpMethod[];
  /** Absent: nothing is held for a credited top-up. */
  holdFor?: (topUpId: string) => Promise<Hold | undefined>;
};

/** @throws AppError payment_method_unavailable */
const offeredMethod = (methods: readonly TopUpMethod[], name: TopUpMethodName): TopUpMethod => {
  const method = methods.find((one) => one.method === name);
  if (method) return method;
  const others =
    methods.length === 0
      ? 'It accepts none: ask its operator to credit the wallet.'
      : `It accepts ${methods.map((one) => one.method).join(', ')}.`;
  throw new AppError(
    'payment_method_unavailable',
    `This server does not accept payments by ${name}. ${others}`,
    { extra: { methods: methods.map((one) => one.method) } },
  );
};

const notFound = (): AppError =>
  new AppError('topup_not_found', 'Your account has no top-up with this id.');

const creditTopUp = async (
  { handler, holdFor }: TopUpPorts,
  { asked }: Known,
  receipt: { id: string; amountMicro: MicroUsd },
): Promise<bigint> => {
  const { method } = asked.terms;
  const credit = {
    type: 'CreditFunds' as const,
    receipt: { method: receiptMethods[method], id: receipt.id },
    bucket: bucketOf(method),
    amountMicro: receipt.amountMicro,
  };
  const hold = await holdFor?.(asked.topUpId);
  const { position } = await handler.handle(
    walletAggregate,
    asked.accountId,
    { commandId: randomUUID(), actor: 'payments' },
    (wallet) => (hold ? creditAndHold(wallet, credit, hold) : creditFunds(wallet, credit)),
  );
  return position;
};

/** The refunded or disputed part of a card payment. */
const takenBack = async (handler: CommandHandler, topUp: Known): Promise<MicroUsd> => {
  if (topUp.status !== 'paid' || topUp.asked.terms.method !== 'card') return 0n;
  const { state } = await handler.load(walletAggregate, topUp.asked.accountId);
  return takenBackOf(state, topUp.receiptId, topUp.creditedMicro);
};

const loadAt = async (
  handler: CommandHandler,
  topUpId: string,
): Promise<{ topUp: Known; position: bigint }> => {
  const { state, position } = await handler.load(topUpAggregate, topUpId);
  if (state.status === 'none') throw notFound();
  return { topUp: state, position };
};

/**
 * Asks for a top-up; the same command again gives the same one, also where its method is no longer offered.
 * @throws AppError payment_method_unavailable, payment_unavailable, topup_limit_reached, idempotency_key_reused
 */
const createRequest = ({ handler, clock, methods }: TopUpPorts) => {
  const { takePlace } = createUnpaidTopUps({ handler, clock });

  /** An order is no top-up of its account, and one that is paid in the same request does not wait. */
  const open = async (method: TopUpMethod, wish: TopUpWish) => {
    if (!wish.isPaid && !wish.checkout) await takePlace(wish, method);
    return method.open(wish).catch(unavailable);
  };

  return async (
    name: TopUpMethodName,
    wish: Omit<TopUpWish, 'topUpId'>,
    context: CommandContext & { requestHash: string },
  ): Promise<{ topUp: Known; position: bigint; replayed: boolean }> => {
    const topUpId = topUpIdOf(context.commandId);
    const before = await handler.load(topUpAggregate, topUpId);
    const { requestHash } = context;
    const { accountId } = wish;
    const amountMicro = Number(wish.amountMicro);
    const opened =
      before.state.status === 'none'
        ? await open(offeredMethod(methods, name), { ...wish, topUpId })
        : before.state.asked;
    const { terms, handed, expiresAt, sender } = opened;
    const asked = {
      topUpId,
      accountId,
      amountMicro,
      terms,
      handed,
      sender,
      expiresAt,
      requestHash,
    };
    const outcome = await handler.handle(topUpAggregate, topUpId, context, (topUp) =>
      requestTopUp(topUp, { type: 'RequestTopUp', asked }),
    );
    if (outcome.state.status === 'none') throw new Error('a top-up that was asked for is not');
    const { events, position, state } = outcome;
    return { topUp: state, position, replayed: events.length === 0 };
  };
};

export type TopUps = ReturnType<typeof createTopUps>;

export const createTopUps = (ports: TopUpPorts) => {
  const { handler, methods } = ports;

  const load = async (topUpId: string): Promise<Known> => (await loadAt(handler, topUpId)).topUp;

  const expire = async (topUpId: string, isUnknown: boolean): Promise<void> => {
    const context = { commandId: randomUUID(), actor: 'payments' };
    await handler.handle(topUpAggregate, topUpId, context, (topUp, _, at) =>
      expireTopUp(topUp, { type: 'ExpireTopUp', isUnknown }, at),
    );
  };

  return {
    /** @throws AppError topup_not_found */
    load,

    /** @throws AppError payment_method_unavailable */
    assertOffered: (name: TopUpMethodName): void => void offeredMethod(methods, name),

    /** Which methods are offered. */
    offered: methods.map(({ method }) => method),

    request: createRequest(ports),

    /** Whether the top-up that a command asked for is paid. */
    async isPaid(commandId: string): Promise<boolean> {
      const { state } = await handler.load(topUpAggregate, topUpIdOf(commandId));
      return state.status === 'paid';
    },

    /**
     * The top-up, the refunded or disputed part of it, and the log position of its last event. A payment is credited
     * before it is recorded, so a balance as of this position contains it.
     * @throws AppError topup_not_found, also for another account's
     */
    async read(
      topUpId: string,
      accountId: string,
    ): Promise<{ topUp: Known; takenBackMicro: MicroUsd; position: bigint }> {
      const found = await loadAt(handler, topUpId);
      if (found.topUp.asked.accountId !== accountId) throw notFound();
      return { ...found, takenBackMicro: await takenBack(handler, found.topUp) };
    },

    /**
     * A payment arrived: it is credited, then recorded; each once per receipt, no matter how often and in which
     * order it is reported. Reports are repeated until this returns. A second receipt is credited as well.
     * Returns the log position by which both are done.
     * @throws AppError topup_not_found
     */
    async paid(topUpId: string, receipt: { id: string; amountMicro: MicroUsd }): Promise<bigint> {
      const credited = await creditTopUp(ports, await load(topUpId), receipt);
      const { position } = await handler.handle(
        topUpAggregate,
        topUpId,
        { commandId: randomUUID(), actor: 'payments' },
        (topUp) =>
          payTopUp(topUp, {
            type: 'PayTopUp',
            receiptId: receipt.id,
            amountMicro: receipt.amountMicro,
          }),
      );
      return position > credited ? position : credited;
    },

    /** Where what takes the money says that it was not paid and cannot be any more. */
    expire: (topUpId: string): Promise<void> => expire(topUpId, false),

    /** Expires a top-up that its provider does not know, some days after its time. */
    expireUnknown: (topUpId: string): Promise<void> => expire(topUpId, true),
  };
};
