/**
 * Orders: the letter is kept as a draft, its price is paid by card, and the draft is sent with that money.
 * The card's payment is credited and held for the order in one commit, and moves from the order to the letter
 * in one commit, so that it pays for nothing else. Each step is safe to repeat.
 */
import { createHash, randomUUID } from 'node:crypto';
import { type AppError, isRefusal } from '../../contract/errors.ts';
import { askerRevoked } from '../../contract/refusals.ts';
import type { CreditReason } from '../../events/order.ts';
import type { Purpose } from '../../events/wallet.ts';
import { uuidv5 } from '../../ground/uuid.ts';
import type { MicroUsd } from '../../money/amounts.ts';
import { sum } from '../../money/buckets.ts';
import { type Charge, chargeOfCents, totalOf } from '../../money/charge.ts';
import { accountAggregate } from '../accounts/account.ts';
import { assertNotBlocked } from '../accounts/restrictions.ts';
import type { CommandHandler } from '../handling/handle.ts';
import type { SendOptions } from '../letters/accept-letter.ts';
import type { Approval } from '../letters/approval.ts';
import { expireApproval } from '../letters/decide-approval.ts';
import { cancelLetter, type Letter, letterAggregate } from '../letters/letter.ts';
import type { SendContext } from '../letters/pay-letter.ts';
import { letterIdOf, type SendLetterService } from '../letters/send-letter.ts';
import type { LetterInput } from '../preparation/letter-input.ts';
import { isAnyRevoked } from '../ucans/was-revoked.ts';
import { type Hold, partsOfCredit, settleReservation, walletAggregate } from '../wallets/wallet.ts';
import {
  assertSameRequest,
  decide as decideOrder,
  type KnownOrder,
  type OrderCommand,
  orderAggregate,
  orderIdOf,
  type PlaceOrder,
} from './order.ts';
import type { TopUpCurrency, TopUps } from './top-ups.ts';

type OrderWish = { email: string; currency: TopUpCurrency };

/** An order, and the state of its letter and its money. */
type OrderView = {
  order: KnownOrder;
  /** The money is there. */
  paid: boolean;
  letter: Letter;
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
  topUps: Pick<TopUps, 'request' | 'load' | 'assertOffered'>;
  /** The page that shows a payer the order, with its secret. */
  pageOf: (orderId: string) => string;
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
  const left = state.receipts.get(receiptId)?.reversibleMicro ?? credited;
  if (left === credited) return 0n;
  return partsOfCredit(state, receiptId).reduce(
    (gone, { leftMicro }) => gone - leftMicro,
    credited,
  );
};

/** The approval that the order's letter waits for, or waited for; undefined: it was not sent, or needed none. */
const approvalFor = async (
  handler: CommandHandler,
  { placed: { orderId, letterId } }: KnownOrder,
): Promise<Approval | undefined> => {
  const { state } = await handler.load(letterAggregate, letterId);
  const approval = state.status === 'none' ? undefined : state.approval;
  return approval?.requestHash === sendHash(orderId) ? approval : undefined;
};

/** Ends the approval that the order's letter waits for. One that was decided meanwhile stays as it is. */
const endApproval = async (
  handler: CommandHandler,
  { placed: { letterId } }: KnownOrder,
  { approvalId }: Approval,
): Promise<void> => {
  await handler.handle(letterAggregate, letterId, context(), (letter, _, at) =>
    expireApproval(letter, { approvalId, isTakenBack: true }, at),
  );
};

/** An order follows the approval of its letter. Without approval the money stays in the wallet. */
const followApproval = async (
  handler: CommandHandler,
  order: KnownOrder,
  asked: Approval,
  isTakenBack: boolean,
): Promise<void> => {
  if (isTakenBack) await endApproval(handler, order, asked);
  const { status } = (isTakenBack && (await approvalFor(handler, order))) || asked;
  if (status === 'pending') return;
  if (status === 'approved') {
    await perform(handler, order.placed.orderId, { type: 'FulfilOrder' });
    return;
  }
  const without = status === 'superseded' ? 'letter_changed' : 'not_sendable';
  await creditOrder(handler, order, isTakenBack ? 'taken_back' : without);
};

/**
 * Refuses an order if, since it was placed, the operator blocked the account or the owner revoked the key.
 * @throws AppError account_blocked, key_revoked
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
    return creditOrder(handler, order, reasonOf(error));
  }
  await perform(handler, orderId, { type: 'FulfilOrder' });
};

/**
 * An order whose payment was taken back. Its letter may have been sent just before; once the order's money is free, no
 * one sends it with that any more.
 */
const takeBackOrder = async (handler: CommandHandler, order: KnownOrder): Promise<void> => {
  const { orderId, letterId } = order.placed;
  await freeMoney(handler, order);
  const asked = await approvalFor(handler, order);
  if (asked) return followApproval(handler, order, asked, true);
  const { state: letter } = await handler.load(letterAggregate, letterId);
  const isSent =
    letter.status !== 'none' &&
    letter.status !== 'draft' &&
    letter.commandIds.includes(sendCommandOf(orderId));
  await perform(
    handler,
    orderId,
    isSent ? { type: 'FulfilOrder' } : { type: 'CreditOrder', reason: 'taken_back' },
  );
};

/** A draft that waits for approval was sent by its owner, with other money. An erased one cannot be sent any more. */
const isUnsent = (letter: Letter): boolean =>
  letter.status === 'draft' && !letter.erased && letter.approval?.status !== 'pending';

const expireOrder = async (
  handler: CommandHandler,
  { placed: { orderId, letterId } }: KnownOrder,
): Promise<void> => {
  await handler.handle(letterAggregate, letterId, context(), (letter) =>
    isUnsent(letter) ? cancelLetter(letter) : [],
  );
  await perform(handler, orderId, { type: 'ExpireOrder' });
};

type Placing = PlaceOrder['placed'];

/**
 * Opens the checkout of an order's price and returns its terms for the record.
 * @throws AppError payment_unavailable
 */
const openCheckout = async (
  { topUps, pageOf }: Pick<OrderPorts, 'topUps' | 'pageOf'>,
  of: { orderId: string; letterId: string; charge: Charge; wish: OrderWish },
  command: SendContext,
): Promise<Placing> => {
  const { orderId, letterId, charge } = of;
  const { email, currency } = of.wish;
  const amountMicro = totalOf(charge);
  const { accountId, requestHash, keyIds = [] } = command;
  const checkout = {
    description: 'A letter, printed and posted',
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
    topUps.assertOffered('card');
    const drafting = {
      ...options,
      draft: true,
      draftFor: 'fiat' as const,
      holdWithoutFunds: false,
    };
    const draft = await letters.send(input, drafting, { ...command, commandId });
    const charge = chargeOfCents(draft.terms.price.charge);
    const placed = await openCheckout(
      { topUps, pageOf },
      { orderId, letterId, charge, wish },
      command,
    );
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
        const asked = await approvalFor(handler, order);
        if (asked) return followApproval(handler, order, asked, gone > 0n);
        return gone > 0n ? takeBackOrder(handler, order) : sendOrder(ports, order);
      }
      if (topUp.status === 'expired' && order.status === 'awaiting_payment')
        await expireOrder(handler, order);
    },

    /** Undefined: there is none. */
    async read(orderId: string): Promise<OrderView | undefined> {
      const order = await loadOrder(handler, orderId);
      if (order.status === 'none') return undefined;
      const topUp = await topUps.load(orderId);
      const letter = await handler.load(letterAggregate, order.placed.letterId);
      const paid = topUp.status === 'paid';
      const takenBackMicro = paid
        ? await takenBack(handler, order.placed.accountId, topUp.receiptId, topUp.creditedMicro)
        : 0n;
      return { order, paid, letter: letter.state, takenBackMicro };
    },
  };
};
