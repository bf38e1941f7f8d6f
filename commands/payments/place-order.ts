/**
 * Orders: the letter is kept as a draft, its price is paid by card, and the draft is sent with that money.
 * The card's payment is credited and held for the order in one commit, and moves from the order to the letter
 * in one commit, so that it pays for nothing else. Each step is safe to repeat.
 */
import { createHash, randomUUID } from 'node:crypto';
import type { ChargeCurrency } from '../../contract/charge-currency.ts';
import { AppError, isAppError, isRefusal } from '../../contract/errors.ts';
import { frozenError } from '../../contract/frozen.ts';
import { askerRevoked } from '../../contract/refusals.ts';
import type { CreditReason } from '../../events/order.ts';
import type { Purpose } from '../../events/wallet.ts';
import { uuidv5 } from '../../ground/uuid.ts';
import type { MicroUsd } from '../../money/amounts.ts';
import { sum } from '../../money/buckets.ts';
import { type Charge, chargeOfCents, totalOf } from '../../money/charge.ts';
import type { Language } from '../../postal/stationery.ts';
import { accountAggregate } from '../accounts/account.ts';
import { assertNotBlocked } from '../accounts/restrictions.ts';
import type { CommandHandler } from '../handling/handle.ts';
import type { SendOptions } from '../letters/accept-letter.ts';
import type { Approval } from '../letters/approval.ts';
import { expireApproval } from '../letters/decide-approval.ts';
import { cancelLetter, type Letter, letterAggregate } from '../letters/letter.ts';
import { abandonSend } from '../letters/letter-drafts.ts';
import type { SendContext } from '../letters/pay-letter.ts';
import { letterIdOf, type SendLetterService } from '../letters/send-letter.ts';
import type { LetterInput } from '../preparation/letter-input.ts';
import { frozenElsewhere } from '../ucans/frozen-elsewhere.ts';
import { isAnyRevoked } from '../ucans/was-revoked.ts';
import type { Hold } from '../wallets/credits.ts';
import { settleReservation } from '../wallets/settle-reservation.ts';
import { walletAggregate } from '../wallets/wallet.ts';
import {
  assertSameRequest,
  decide as decideOrder,
  type KnownOrder,
  type OrderCommand,
  orderAggregate,
  orderIdOf,
  type PlaceOrder,
} from './order.ts';
import { takenBackOf } from './reversals.ts';
import { topUpAggregate } from './top-up.ts';
import type { TopUps } from './top-ups.ts';

/** The name of the letter at the checkout, in the language of the letter, like the mails to its payer. */
const descriptions: Record<Language, string> = {
  en: 'A letter, printed and posted',
  de: 'Ein Brief, gedruckt und zur Post gegeben',
  fr: 'Une lettre, imprimée et postée',
};

type OrderWish = { email: string; currency: ChargeCurrency };

/** An order, and the state of its letter and its money. */
type OrderView<L> = {
  order: KnownOrder;
  /** The money is there. */
  paid: boolean;
  letter: L;
  /** The refunded or disputed part. */
  takenBackMicro: MicroUsd;
};

/** The ids of the order that a command places, and of its letter. `commandId` is the one that drafts it. */
const idsOf = (placing: string) => {
  const commandId = uuidv5(placing, 'order');
  const letterId = letterIdOf(commandId);
  return { commandId, letterId, orderId: orderIdOf(letterId) };
};

const purposeOf = (orderId: string): Purpose => ({ kind: 'order', id: orderId });

/** Names the order's own request to send the draft. */
const sendHash = (orderId: string): string =>
  createHash('sha256').update(`order:${orderId}`).digest('base64url');

/** The command that sends the letter of an order. */
const sendCommandOf = (orderId: string): string => uuidv5(orderId, 'send');

const context = () => ({ commandId: randomUUID(), actor: 'payments' });

/** Holds the price of the order's letter as soon as the order is paid. */
export const createOrderHold =
  ({ handler }: { handler: CommandHandler }) =>
  async (orderId: string): Promise<Hold | undefined> => {
    const { state } = await handler.load(orderAggregate, orderId);
    if (state.status !== 'awaiting_payment') return undefined;
    const commissionMicro = BigInt(state.placed.commissionMicro);
    return { purpose: purposeOf(orderId), attemptId: orderId, commissionMicro };
  };

const reasonOf = ({ code }: AppError): CreditReason =>
  ['quote_mismatch', 'letter_not_sendable', 'letter_deleted'].includes(code)
    ? 'letter_changed'
    : 'not_sendable';

type OrderPorts = {
  handler: CommandHandler;
  letters: Pick<SendLetterService, 'send' | 'sendDraft'>;
  topUps: Pick<TopUps, 'request' | 'load' | 'offered'>;
  /** The page that shows a payer the order, with its secret. */
  pageOf: (orderId: string) => string;
};

/** @throws AppError payment_method_unavailable */
const assertTakesOrders = ({ offered }: Pick<TopUps, 'offered'>): void => {
  if (offered.includes('card')) return;
  throw new AppError(
    'payment_method_unavailable',
    'This server does not accept payments by card, so it takes no orders. Send the letter from your wallet: POST /api/send.',
    { extra: { methods: [] } },
  );
};

const loadOrder = async (handler: CommandHandler, orderId: string) =>
  (await handler.load(orderAggregate, orderId)).state;

const perform = (handler: CommandHandler, orderId: string, command: OrderCommand) =>
  handler.handle(orderAggregate, orderId, context(), (order) => decideOrder(order, command));

/** The money that was held for the order is in the wallet for anything. */
const freeMoney = async (
  handler: CommandHandler,
  { placed: { orderId, accountId } }: KnownOrder,
): Promise<void> => {
  const release = {
    type: 'SettleReservation' as const,
    purpose: purposeOf(orderId),
    target: { state: 'over' as const },
  };
  await handler.handle(walletAggregate, accountId, context(), (wallet) =>
    settleReservation(wallet, release),
  );
};

/** Frees the held money; then the order says why the money is a credit. */
const creditOrder = async (
  handler: CommandHandler,
  order: KnownOrder,
  reason: CreditReason,
): Promise<void> => {
  await freeMoney(handler, order);
  await perform(handler, order.placed.orderId, { type: 'CreditOrder', reason });
};

/** How much of a receipt is gone. */
const takenBack = async (
  handler: CommandHandler,
  accountId: string,
  receiptId: string,
  credited: MicroUsd,
) => {
  const { state } = await handler.load(walletAggregate, accountId);
  return takenBackOf(state, receiptId, credited);
};

/** Whether the payment of an order, or a part of it, was refunded or disputed. */
export const wasTakenBack = async (
  handler: CommandHandler,
  { orderId, accountId }: { orderId: string; accountId: string },
): Promise<boolean> => {
  const { state } = await handler.load(topUpAggregate, orderId);
  if (state.status !== 'paid') return false;
  const { receiptId, creditedMicro } = state;
  return (await takenBack(handler, accountId, receiptId, creditedMicro)) > 0n;
};

/** The order's request to send its letter, as the letter has it. `ended`: its approval was not given. */
type Sending =
  | { state: 'unsent' | 'sent' }
  | { state: 'waits'; approval: Approval }
  | { state: 'ended'; reason: CreditReason };

const sendingOf = (letter: Letter, orderId: string): Sending => {
  if (letter.status === 'none' || !letter.commandIds.includes(sendCommandOf(orderId)))
    return { state: 'unsent' };
  const { approval, requests } = letter;
  const requestHash = sendHash(orderId);
  if (approval?.requestHash === requestHash) {
    if (approval.status === 'pending') return { state: 'waits', approval };
    if (approval.status === 'approved') return { state: 'sent' };
    const isChanged = approval.status === 'superseded';
    return { state: 'ended', reason: isChanged ? 'letter_changed' : 'not_sendable' };
  }
  // After the approval had ended, the owner sent the letter with other money.
  const waited = requests.some((one) => one.requestHash === requestHash && one.approval);
  return waited ? { state: 'ended', reason: 'not_sendable' } : { state: 'sent' };
};

const loadSending = async (
  handler: CommandHandler,
  { placed: { orderId, letterId } }: KnownOrder,
): Promise<Sending> => sendingOf((await handler.load(letterAggregate, letterId)).state, orderId);

/**
 * Ends the sending of an order's letter, unless the letter was sent. This also stops another process that is about to
 * send it. An approval that is no longer needed ends too.
 */
const endSending = async (
  handler: CommandHandler,
  { placed: { orderId, letterId, accountId } }: KnownOrder,
  isTakenBack: boolean,
): Promise<Sending> => {
  const forbidding = { type: 'AbandonSend' as const, accountId, attemptId: sendCommandOf(orderId) };
  const { state } = await handler.handle(letterAggregate, letterId, context(), (letter, _, at) => {
    const sending = sendingOf(letter, orderId);
    const isSendable = letter.status === 'draft' && !letter.erased;
    if (sending.state === 'unsent') return isSendable ? abandonSend(letter, forbidding) : [];
    if (sending.state !== 'waits' || !isTakenBack) return [];
    const { approvalId } = sending.approval;
    return expireApproval(letter, { approvalId, isOver: true }, at);
  });
  return sendingOf(state, orderId);
};

/** An order follows its letter. Unless the letter is sent, the money stays in the wallet. */
const follow = async (
  handler: CommandHandler,
  order: KnownOrder,
  sending: Sending,
  reason: CreditReason,
): Promise<void> => {
  if (sending.state === 'waits') return;
  if (sending.state === 'sent') {
    await perform(handler, order.placed.orderId, { type: 'FulfilOrder' });
    return;
  }
  await creditOrder(handler, order, reason);
};

/**
 * Refuses an order if, since it was placed, the operator blocked the account, the owner revoked the key, or another
 * account froze what it passed on.
 * @throws AppError account_blocked, key_revoked, frozen
 */
const assertMaySend = async (
  handler: CommandHandler,
  { placed: { letterId, accountId, keyIds = [] } }: KnownOrder,
): Promise<void> => {
  const { state: letter } = await handler.load(letterAggregate, letterId);
  // A letter that was sent before a crash stays sent.
  if (letter.status !== 'draft') return;
  const { state: account } = await handler.load(accountAggregate, accountId);
  assertNotBlocked(account);
  if (await isAnyRevoked(handler, account, keyIds)) throw askerRevoked('The order');
  const frozen = await frozenElsewhere(handler, account, keyIds);
  if (frozen !== undefined) throw frozenError(frozen);
};

const sendOrder = async ({ handler, letters }: OrderPorts, order: KnownOrder): Promise<void> => {
  const { orderId, letterId, accountId, amountMicro, keyIds } = order.placed;
  const options = {
    draft: false,
    holdWithoutFunds: false,
    agreedTotalMicro: BigInt(amountMicro),
  };
  try {
    await assertMaySend(handler, order);
    const { approval } = await letters.sendDraft(letterId, options, {
      commandId: sendCommandOf(orderId),
      actor: 'payments',
      requestHash: sendHash(orderId),
      accountId,
      test: false,
      repeatable: true,
      paidFrom: purposeOf(orderId),
      keyIds,
    });
    if (approval) return;
  } catch (error) {
    if (!isRefusal(error)) throw error;
    // Another process may send it at this moment.
    const sending = await endSending(handler, order, false);
    return follow(handler, order, sending, reasonOf(error));
  }
  await perform(handler, orderId, { type: 'FulfilOrder' });
};

/** A draft that waits for approval was sent by its owner, with other money. An erased one cannot be sent any more. */
const isUnsent = (letter: Letter): boolean =>
  letter.status === 'draft' && !letter.erased && letter.approval?.status !== 'pending';

const cancelUnsent = async (handler: CommandHandler, letterId: string): Promise<void> => {
  await handler.handle(letterAggregate, letterId, context(), (letter) =>
    isUnsent(letter) ? cancelLetter(letter) : [],
  );
};

const expireOrder = async (
  handler: CommandHandler,
  { placed: { orderId, letterId } }: KnownOrder,
): Promise<void> => {
  await cancelUnsent(handler, letterId);
  await perform(handler, orderId, { type: 'ExpireOrder' });
};

type Placing = PlaceOrder['placed'];

/**
 * Opens the checkout of an order's price and returns its terms for the record.
 * @throws AppError payment_unavailable; validation_failed for an e-mail address that the provider refuses
 */
const openCheckout = async (
  { topUps, pageOf }: Pick<OrderPorts, 'topUps' | 'pageOf'>,
  of: {
    orderId: string;
    letterId: string;
    language: Language | undefined;
    charge: Charge;
    wish: OrderWish;
  },
  command: SendContext,
): Promise<Placing> => {
  const { orderId, letterId, charge, language = 'en' } = of;
  const { email, currency } = of.wish;
  const amountMicro = totalOf(charge);
  const { accountId, requestHash, keyIds = [] } = command;
  const checkout = {
    description: descriptions[language],
    email,
    returnUrl: pageOf(orderId),
  };
  const { topUp } = await topUps.request(
    'card',
    { accountId, amountMicro, currency, checkout },
    { ...command, commandId: letterId },
  );
  const { terms, handed, expiresAt } = topUp.asked;
  if (terms.method !== 'card') throw new Error('a checkout that is not by card');
  return {
    orderId,
    accountId,
    letterId,
    email,
    checkoutUrl: handed,
    expiresAt,
    requestHash,
    currency: terms.currency,
    amountMinor: terms.amountMinor,
    amountMicro: Number(amountMicro),
    commissionMicro: Number(sum(charge.commission)),
    ...(keyIds.length > 0 ? { keyIds: [...keyIds] } : {}),
  };
};

/** The order that this command placed; undefined: none. @throws AppError idempotency_key_reused */
const placedBy = async (
  handler: CommandHandler,
  { commandId, requestHash }: Pick<SendContext, 'commandId' | 'requestHash'>,
): Promise<KnownOrder | undefined> => {
  const order = await loadOrder(handler, idsOf(commandId).orderId);
  if (order.status === 'none') return undefined;
  assertSameRequest(order, requestHash);
  return order;
};

/**
 * Checks and prices a letter, keeps it as a draft and opens the checkout of its price.
 * @throws AppError of every check of the letter; policy_denied, frozen, payment_method_unavailable, payment_unavailable,
 * idempotency_key_reused
 */
const createPlace =
  ({ handler, letters, topUps, pageOf }: OrderPorts) =>
  async (
    input: LetterInput,
    wish: OrderWish,
    options: SendOptions,
    command: SendContext,
  ): Promise<{ order: KnownOrder; position: bigint; replayed: boolean }> => {
    const { commandId, letterId, orderId } = idsOf(command.commandId);
    const before = await placedBy(handler, command);
    if (before) return { order: before, position: 0n, replayed: true };
    assertTakesOrders(topUps);
    const drafting = {
      ...options,
      draft: true,
      draftFor: 'fiat' as const,
      holdWithoutFunds: false,
    };
    const draft = await letters.send(input, drafting, { ...command, commandId });
    const charge = chargeOfCents(draft.terms.price.charge);
    const language = draft.personal.stationery?.language;
    const placed = await openCheckout(
      { topUps, pageOf },
      { orderId, letterId, language, charge, wish },
      command,
    ).catch(async (error: unknown) => {
      // Nobody can ever pay for it: a repetition would be refused as well.
      const isFinal = isAppError(error) && error.code === 'validation_failed';
      if (isFinal) await cancelUnsent(handler, letterId);
      throw error;
    });
    const outcome = await handler.handle(
      orderAggregate,
      orderId,
      { commandId: uuidv5(commandId, 'place'), actor: command.actor },
      (order) => decideOrder(order, { type: 'PlaceOrder', placed }),
    );
    const { state, position } = outcome;
    if (state.status === 'none') throw new Error('an order that was placed is not');
    return { order: state, position, replayed: outcome.events.length === 0 };
  };

export type Orders = ReturnType<typeof createOrders>;

export const createOrders = (ports: OrderPorts) => {
  const { handler, topUps } = ports;

  const readWith = async <L>(
    orderId: string,
    letterOf: (letterId: string) => Promise<L>,
  ): Promise<OrderView<L> | undefined> => {
    const order = await loadOrder(handler, orderId);
    if (order.status === 'none') return undefined;
    const topUp = await topUps.load(orderId);
    const letter = await letterOf(order.placed.letterId);
    const paid = topUp.status === 'paid';
    const takenBackMicro = paid
      ? await takenBack(handler, order.placed.accountId, topUp.receiptId, topUp.creditedMicro)
      : 0n;
    return { order, paid, letter, takenBackMicro };
  };

  return {
    place: createPlace(ports),
    placedBy: (command: Pick<SendContext, 'commandId' | 'requestHash'>) =>
      placedBy(handler, command),

    /** The letter of the order that this command places. */
    letterOf: (commandId: string): string => idsOf(commandId).letterId,

    /** Whether an order was placed by this command. */
    exists: async (commandId: string): Promise<boolean> =>
      (await loadOrder(handler, idsOf(commandId).orderId)).status !== 'none',

    /** Makes an order follow its checkout. Safe to repeat, at any time; an id that is no order's: nothing. */
    async settle(orderId: string): Promise<void> {
      const order = await loadOrder(handler, orderId);
      if (order.status !== 'awaiting_payment' && order.status !== 'expired') return;
      const topUp = await topUps.load(orderId);
      if (topUp.status === 'paid') {
        if (order.status === 'expired') return creditOrder(handler, order, 'paid_late');
        const { receiptId, creditedMicro } = topUp;
        const gone = await takenBack(handler, order.placed.accountId, receiptId, creditedMicro);
        if (gone > 0n) {
          const sending = await endSending(handler, order, true);
          return follow(handler, order, sending, 'taken_back');
        }
        const sending = await loadSending(handler, order);
        if (sending.state === 'unsent') return sendOrder(ports, order);
        const reason = sending.state === 'ended' ? sending.reason : 'not_sendable';
        return follow(handler, order, sending, reason);
      }
      if (topUp.status === 'expired' && order.status === 'awaiting_payment')
        await expireOrder(handler, order);
    },

    /** Whether nobody has paid an order, and its letter was cancelled, deleted or sent with other money. */
    async isWithdrawn(orderId: string): Promise<boolean> {
      const order = await loadOrder(handler, orderId);
      if (order.status !== 'awaiting_payment') return false;
      const { state: letter } = await handler.load(letterAggregate, order.placed.letterId);
      return letter.status !== 'none' && (letter.erased || letter.status !== 'draft');
    },

    /** Reads an order, and its letter from the stream of the letter. Undefined if the order does not exist. */
    read: (orderId: string): Promise<OrderView<Letter> | undefined> =>
      readWith(orderId, async (letterId) => (await handler.load(letterAggregate, letterId)).state),

    /** Reads an order, and its letter by `letterOf`. Undefined if the order does not exist. */
    readWith,
  };
};
