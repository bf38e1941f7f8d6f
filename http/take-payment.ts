/** Payment instead of a key, or together with one: the rule of operations that can be paid for. */
import { AppError, isAppError } from '../contract/errors.ts';
import type { AnyOperation, Caller } from '../contract/operation.ts';
import { accountBlocked } from '../contract/refusals.ts';
import { requestFingerprint } from '../ground/fingerprint.ts';
import { createInTurn } from '../ground/in-turn.ts';
import { dollars, type MicroUsd } from '../money/amounts.ts';
import { onlyReads } from './authenticate-caller.ts';
import { commandMaker } from './command-of.ts';
import { permissible } from './honour-sign-in.ts';
import type { AwaitPosition } from './min-log-position.ts';
import type { OwnWrites } from './own-writes.ts';
import type { About, PaymentGateway } from './payment-gateway.ts';
import { assertNotFrozen } from './refuse-frozen.ts';
import type { HttpContext, HttpOptions, Rule } from './rule.ts';
import { setHeader } from './set-header.ts';

type Ports = Pick<HttpOptions, 'digest' | 'baseUrl' | 'frozenSubject'> & {
  gateway: PaymentGateway;
  /** Absent: reads wait for nothing. */
  ownWrites?: Pick<OwnWrites, 'note'> | undefined;
  /** Of reads: a refusal to wait any longer comes before the payment is taken. */
  awaitPosition?: AwaitPosition | undefined;
};

/** After a payment was taken, a refusal says where its money is. */
const withCredit = (error: AppError, amountMicro: MicroUsd): AppError =>
  new AppError(
    error.code,
    `${error.message} Your payment of ${dollars(amountMicro)} was credited to your wallet.`,
    {
      errors: error.errors,
      extra: { ...error.extra, payment_credited: Number(amountMicro) / 1_000_000 },
      headers: error.headers,
      cause: error,
    },
  );

/** `commandId`: of a request that a payment is presented for. */
type When = { agoMs?: number; commandId?: string | undefined };

/** The price of a request, now and as far back as a 402 holds. */
const createPrices = ({ payable }: AnyOperation, gateway: PaymentGateway) => {
  const priced = typeof payable === 'object' ? payable : undefined;

  /** Undefined: the price of a read. */
  const ownPriceOf = async (
    { state }: HttpContext,
    caller: Caller | undefined,
    { agoMs = 0, commandId }: When = {},
  ): Promise<MicroUsd | undefined> =>
    priced?.priceOf({
      body: state.body as never,
      params: state.params as never,
      address: state.address,
      ifMatch: state.ifMatch,
      caller,
      agoMs,
      commandId,
    });

  const priceOf = async (
    ctx: HttpContext,
    caller: Caller | undefined,
    when: When = {},
  ): Promise<MicroUsd> => (await ownPriceOf(ctx, caller, when)) ?? gateway.readPriceMicro;

  /**
   * The price that a payment is for. It is the payer's own current price, or one that a 402 may have asked
   * for: the price without a discount, for unknown callers, and either of them as it was when the oldest
   * valid 402 was answered. The surplus over the payer's own price stays in the wallet.
   */
  const pricePaid = async (
    ctx: HttpContext,
    payer: Caller,
    amountMicro: MicroUsd,
    commandId: string | undefined,
  ): Promise<{ priceMicro: MicroUsd; agoMs: number }> => {
    const now = { priceMicro: await priceOf(ctx, payer, { commandId }), agoMs: 0 };
    if (!priced || now.priceMicro === amountMicro) return now;
    for (const agoMs of [0, gateway.priceHoldsMs]) {
      const own = agoMs === 0 ? now.priceMicro : await priceOf(ctx, payer, { agoMs, commandId });
      const asked = own === amountMicro ? own : await priceOf(ctx, undefined, { agoMs });
      if (asked === amountMicro && asked >= own) return { priceMicro: asked, agoMs };
    }
    return now;
  };

  return { priced, ownPriceOf, priceOf, pricePaid };
};

/** The command of a request, and whether it was carried out before. */
const createCommands = (
  operation: AnyOperation,
  { gateway, digest }: Pick<Ports, 'gateway' | 'digest'>,
) => {
  const { payable, idempotent = false } = operation;
  const repeatable = idempotent && payable !== 'to-identify';
  const priced = typeof payable === 'object' ? payable : undefined;
  const commandOf = commandMaker(operation, digest);

  /** The same payment makes the same request, even without an Idempotency-Key. */
  const keyOf = (presented: unknown): string | undefined =>
    repeatable ? `payment ${gateway.idOf(presented)}` : undefined;

  /** The command of the request under a key, if it can be carried out only once. */
  const commandIdOf = (
    { state }: HttpContext,
    caller: Caller,
    key: string | undefined,
  ): string | undefined =>
    priced && key !== undefined
      ? commandOf({ ...state, caller, idempotencyKey: key }).commandId
      : undefined;

  const wasObeyedUnder = async (
    ctx: HttpContext,
    caller: Caller,
    key: string | undefined,
  ): Promise<boolean> => {
    const commandId = commandIdOf(ctx, caller, key);
    if (!priced || commandId === undefined) return false;
    return priced.wasObeyed({ commandId, body: ctx.state.body as never, caller });
  };

  /** Whether this payment was taken and its request carried out before: such a request is not priced again. */
  const wasPaid = async (ctx: HttpContext, presented: unknown, payer: Caller): Promise<boolean> =>
    ctx.state.idempotencyKey === undefined &&
    (await wasObeyedUnder(ctx, payer, keyOf(presented))) &&
    gateway.isRecorded(presented);

  return { repeatable, keyOf, commandIdOf, wasObeyedUnder, wasPaid };
};

const createPay = (
  operation: AnyOperation,
  { gateway, digest, ownWrites }: Pick<Ports, 'gateway' | 'digest' | 'ownWrites'>,
  pricePaid: ReturnType<typeof createPrices>['pricePaid'],
  { repeatable, keyOf, commandIdOf, wasPaid }: ReturnType<typeof createCommands>,
) => {
  const { name, countsAs = name } = operation;

  return async (
    ctx: HttpContext,
    presented: unknown,
    payer: Caller,
    about: About,
  ): Promise<MicroUsd> => {
    const { state } = ctx;
    const { body, params, query, fingerprints } = state;
    const { idempotencyKey } = state;
    const fingerprint =
      fingerprints?.payment ?? requestFingerprint(countsAs, body, { params, query });
    // A settled payment is public. Under another key it would be another command of the payer.
    const requestHash = digest(
      idempotencyKey === undefined ? fingerprint : `${fingerprint}\nunder ${idempotencyKey}`,
    );
    const amountMicro = gateway.amountOf(presented);
    const commandId = commandIdOf(ctx, payer, idempotencyKey ?? keyOf(presented));
    const { priceMicro, agoMs } = (await wasPaid(ctx, presented, payer))
      ? { priceMicro: amountMicro, agoMs: 0 }
      : await pricePaid(ctx, payer, amountMicro, commandId);
    const taken = await gateway.take(presented, {
      priceMicro,
      about,
      operation: name,
      requestHash,
      repeatable,
      caller: state.caller,
    });
    state.caller = taken.caller;
    ownWrites?.note(taken.caller.accountId, taken.position);
    state.idempotencyKey ??= keyOf(presented);
    state.payment = { ...taken.payment, pricedAgoMs: agoMs };
    for (const header in taken.headers) setHeader(ctx, header, taken.headers[header] ?? '');
    return taken.payment.amountMicro;
  };
};

/**
 * Takes the payment of a request before its handler runs. Without a credential and without a payment, the answer
 * is 402. The money is in a wallet by then, and the handler spends it like any other.
 */
export const takePayment = (
  operation: AnyOperation,
  { gateway, digest, baseUrl, frozenSubject, ownWrites, awaitPosition }: Ports,
): Rule => {
  const { summary } = operation;
  const { ownPriceOf, priceOf, pricePaid, priced } = createPrices(operation, gateway);
  const commands = createCommands(operation, { gateway, digest });
  const pay = createPay(operation, { gateway, digest, ownWrites }, pricePaid, commands);
  const whileBlocked = operation.whileBlocked === true || onlyReads(operation);

  const inTurn = createInTurn();

  /** A key whose wallet is short may pay as well: the refusal says how. */
  const callWithKey = async (ctx: HttpContext, about: About, next: () => unknown) => {
    try {
      return await next();
    } catch (error) {
      const short = isAppError(error) && error.code === 'insufficient_funds';
      if (!short || !priced || ctx.state.caller?.test) throw error;
      // The refusal stays as it is where x402 cannot pay, or where a payment would not change it.
      const priceMicro = await ownPriceOf(ctx, ctx.state.caller).catch(() => undefined);
      if (priceMicro === undefined) throw error;
      const { headers, extra } = gateway.required(priceMicro, about);
      throw new AppError('insufficient_funds', error.message, {
        extra: { ...extra, ...error.extra },
        headers: { ...headers, ...error.headers },
        cause: error,
      });
    }
  };

  /** A payment that is not taken is refused with what to pay instead, as x402 asks for. */
  const withDemand = async (
    ctx: HttpContext,
    error: unknown,
    payer: Caller | undefined,
    about: About,
  ): Promise<unknown> => {
    if (!isAppError(error) || error.code !== 'payment_invalid') return error;
    const priceMicro = await priceOf(ctx, payer).catch(() => undefined);
    if (priceMicro === undefined) return error;
    const { headers, extra } = gateway.required(priceMicro, about, error.message);
    return new AppError(error.code, error.message, {
      extra: { ...extra, ...error.extra },
      headers: { ...headers, ...error.headers },
      cause: error,
    });
  };

  /** Whether the request was obeyed before under its key: then nothing more is taken for it. */
  const wasObeyed = async (ctx: HttpContext, caller: Caller): Promise<boolean> => {
    if (!(await commands.wasObeyedUnder(ctx, caller, ctx.state.idempotencyKey))) return false;
    ctx.state.caller = caller;
    return true;
  };

  const takeAndGoOn = async (
    ctx: HttpContext,
    presented: unknown,
    payer: Caller,
    about: About,
    next: () => unknown,
  ): Promise<unknown> => {
    if (await wasObeyed(ctx, payer)) return next();
    const amountMicro = await pay(ctx, presented, payer, about).catch(async (error: unknown) => {
      throw await withDemand(ctx, error, payer, about);
    });
    try {
      return await next();
    } catch (error) {
      throw isAppError(error) ? withCredit(error, amountMicro) : error;
    }
  };

  return async function takePaymentOfRequest(ctx, next) {
    const { state, req } = ctx;
    const about = { ...permissible(operation, ctx, baseUrl), description: summary };
    const presented = gateway.presented(req.headers);
    if (presented === undefined) {
      // The operation says to a test account that it takes no real money.
      const isDue = !state.caller?.test && priced?.isDue?.({ body: state.body as never }) === true;
      if (state.caller && !(isDue && !(await wasObeyed(ctx, state.caller))))
        return callWithKey(ctx, about, next);
      throw gateway.required(await priceOf(ctx, state.caller), about);
    }
    setHeader(ctx, 'Cache-Control', 'no-store');
    const payer =
      state.caller ??
      (await gateway.payerOf(presented).catch(async (error: unknown) => {
        throw await withDemand(ctx, error, undefined, about);
      }));
    // Nothing is taken from callers that may not use the operation.
    if (payer.blocked && !whileBlocked) throw accountBlocked();
    await assertNotFrozen(operation, payer, frozenSubject);
    if (state.caller === undefined) await awaitPosition?.(ctx, payer.accountId);
    const take = async () => takeAndGoOn(ctx, presented, payer, about, next);
    const key = state.idempotencyKey ?? commands.keyOf(presented);
    const commandId = commands.commandIdOf(ctx, payer, key);
    // Two payments for one command at once: the second finds it obeyed.
    return commandId === undefined ? take() : inTurn(commandId, take);
  };
};
