/** Sending letters: what a sender may ask for, from checking to changing. */

import { randomUUID } from 'node:crypto';
import { AppError, isAppError } from '../../contract/errors.ts';
import type { DataKeys } from '../../events/data-keys.ts';
import type { LetterPrice } from '../../events/letter.ts';
import { toTimestamp } from '../../ground/clock.ts';
import { uuidv5 } from '../../ground/uuid.ts';
import type { Micro } from '../../money/amounts.ts';
import type { Bucket } from '../../money/buckets.ts';
import { chargeOfCents, totalOf } from '../../money/charge.ts';
import { guardedLetter, type PricedTerms } from '../guards/guarded-letter.ts';
import type { CommandHandler } from '../handling/handle.ts';
import { agreedByCommitment } from '../negotiation/agreed-price.ts';
import { lockedPrice } from '../negotiation/commitment.ts';
import type { GuardedLetter } from '../policies/evaluate.ts';
import { type AgreedPrice, agreedByQuote } from '../preparation/agreed-price.ts';
import type { Examined, Owner } from '../preparation/examine-letter.ts';
import { pricedBy, priceOf } from '../preparation/letter-charge.ts';
import type { LetterInput } from '../preparation/letter-input.ts';
import {
  createPrepareLetter,
  type Prepared,
  type PreparePorts,
} from '../preparation/prepare-letter.ts';
import type { PricedLetter } from '../preparation/price-letter.ts';
import { stillAhead } from '../preparation/release.ts';
import { assertSendDate } from '../preparation/send-date.ts';
import { assertAllowed, type JudgedReservation } from '../wallets/wallet.ts';
import {
  assertPermitted,
  createAcceptLetter,
  replay,
  type Send,
  type SendOptions,
  type SendOutcome,
} from './accept-letter.ts';
import { letterAggregate } from './letter.ts';
import { inputOf, ownLetter, type ReadableLetter } from './own-letter.ts';
import { createPayments, type SendContext } from './pay-letter.ts';
import { createUpdateLetter } from './update-letter.ts';

export type SendPorts = PreparePorts & { handler: CommandHandler; dataKeys: DataKeys };

export const letterIdOf = (commandId: string): string => uuidv5(commandId, 'letter');

/** @throws AppError quote_mismatch */
const assertAgreed = ({ terms }: ReadableLetter, agreedTotalMicro: Micro): void => {
  if (totalOf(chargeOfCents(terms.price.charge)) === agreedTotalMicro) return;
  throw new AppError(
    'quote_mismatch',
    'The draft was changed, and its price is no longer the agreed price. Send it at its own price.',
  );
};

/** What the letter costs by what was agreed to before; undefined: today's price. @throws AppError commitment_expired */
const agreedIn = (
  { quote, commitment }: Pick<SendOptions, 'quote' | 'commitment'>,
  now: number,
): AgreedPrice | undefined => {
  if (commitment) return agreedByCommitment(commitment, toTimestamp(now));
  return quote && agreedByQuote(quote);
};

/** What a letter would cost, and what policies say of it. */
export type JudgedSend = { price: LetterPrice; judged: JudgedReservation };

/** A payment that is about to be asked for: who makes it, and which money it brings. */
export type ComingPayment = Pick<SendContext, 'accountId' | 'actor' | 'test' | 'keyIds'> & {
  bucket: Bucket;
};

type PriceOptions = Pick<SendOptions, 'quote' | 'commitment' | 'pricedAgoMs'> & {
  payment?: ComingPayment | undefined;
};

const termsOf = (accountId: string, { to, content, priced }: Examined): PricedTerms => ({
  terms: {
    accountId,
    country: to.country,
    service: priced.service,
    intent: priced.intent,
    kind: content.kind,
  },
  personal: { to },
});

export type SendLetterService = ReturnType<typeof createSendLetter>;

export const createSendLetter = (ports: SendPorts) => {
  const { handler, clock, limits, files } = ports;
  const preparing = createPrepareLetter(ports);
  const { timesOf, earliestRelease, check, prepare, contentOf } = preparing;
  const paymentOf = createPayments(ports);
  const { keep, queue, queueOrHold, wishOf } = createAcceptLetter({ ...ports, timesOf });

  const ownDraft = async (letterId: string, { accountId }: SendContext): Promise<ReadableLetter> =>
    ownLetter((await handler.load(letterAggregate, letterId)).state, accountId);

  /** Deletes what was stored for a letter that was refused, or was there already. */
  const discardUnused = async (
    prepared: Prepared,
    work: () => Promise<SendOutcome>,
  ): Promise<SendOutcome> => {
    const discard = () => files.delete(prepared.files.map(({ key }) => key)).catch(() => {});
    try {
      const outcome = await work();
      if (outcome.replayed) await discard();
      return outcome;
    } catch (error) {
      // Of any other error it is not known whether the letter was accepted.
      if (isAppError(error)) await discard();
      throw error;
    }
  };

  /** Checks and prices a letter that is new. @throws AppError of every check */
  const prepareNew = async (
    letterId: string,
    input: LetterInput,
    options: SendOptions,
    context: SendContext,
  ): Promise<Prepared> => {
    assertSendDate(input.sendDate, clock(), limits);
    const releaseAt = earliestRelease(input.sendDate, options.pricedAgoMs);
    const agreed = agreedIn(options, clock());
    const prepared = await prepare(input, { ...context, letterId }, releaseAt, agreed);
    assertPermitted(letterId, prepared, context);
    return prepared;
  };

  /** Checks and prices a draft as it stands. @throws AppError letter_not_sendable and those of every check */
  const prepareDraft = async (
    letterId: string,
    letter: ReadableLetter,
    options: SendOptions,
    context: SendContext,
  ): Promise<Prepared> => {
    if (letter.status !== 'draft') {
      throw new AppError(
        'letter_not_sendable',
        `The letter is ${letter.status}. Only a draft can be sent.`,
      );
    }
    const content = await contentOf(letterId, letter);
    const sendDate = stillAhead(letter.terms.sendDate, clock());
    const input = { ...inputOf(letter, content), sendDate };
    const releaseAt = Date.parse(timesOf(sendDate, false).releaseAt);
    const owner = { ...context, letterId };
    const { agreedTotalMicro } = options;
    if (agreedTotalMicro !== undefined) assertAgreed(letter, agreedTotalMicro);
    const agreed = agreedIn(options, clock());
    const today = await prepare(input, owner, releaseAt, agreed, letter);
    const prepared =
      agreedTotalMicro === undefined
        ? today
        : { ...today, priced: pricedBy(today.priced, letter.terms.price) };
    assertPermitted(letterId, prepared, context);
    return prepared;
  };

  /** Refuses a letter that somebody is about to pay for. @throws AppError policy_denied */
  const assertAllowedFor = async (
    { bucket, ...payer }: ComingPayment,
    letter: PricedTerms,
    { subtotalMicro }: { subtotalMicro: Micro },
    commitment: SendOptions['commitment'],
  ): Promise<void> => {
    const guarded = { letter: guardedLetter(letter, ports.indexOf) };
    const wish = { subtotalMicro, commitment: commitment && lockedPrice(commitment), guarded };
    const context = { ...payer, commandId: randomUUID(), requestHash: '', repeatable: false };
    assertAllowed(await paymentOf(randomUUID(), 0, context).judge(wish, bucket));
  };

  /** Keeps a draft; one that is to be paid for is judged first. @throws AppError policy_denied */
  const keepDraft = async (send: Send): Promise<SendOutcome> => {
    const { prepared, context, options } = send;
    const { draftFor } = options;
    if (draftFor) {
      const payment = { ...context, bucket: draftFor };
      await assertAllowedFor(payment, prepared, prepared.priced.subtotal, options.commitment);
    }
    return keep(send, 'requested');
  };

  return {
    /**
     * What sending it now would come to: a new letter, or a draft by its id. Keeps nothing.
     * @throws AppError as a send does, but for policy_denied
     */
    async judge(
      letter: LetterInput | { draftId: string },
      options: SendOptions,
      context: SendContext,
    ): Promise<JudgedSend> {
      // A letter of its own, whatever was sent under the same key before.
      const letterId = 'draftId' in letter ? letter.draftId : randomUUID();
      const prepared =
        'draftId' in letter
          ? await prepareDraft(letterId, await ownDraft(letterId, context), options, context)
          : await prepareNew(letterId, letter, options, context);
      const send = { letterId, prepared, context, options, isNew: false };
      const judged = await paymentOf(letterId, 0, context).judge(wishOf(send), 'wallet');
      return { price: priceOf(prepared.priced, judged.charge), judged };
    },

    /** What policies would say of a letter that is known in part. Keeps nothing, and asks for no money. */
    async judgePriced(
      letter: GuardedLetter,
      subtotalMicro: Micro,
      context: SendContext,
    ): Promise<JudgedReservation> {
      const payment = paymentOf(randomUUID(), 0, context);
      return payment.judge({ subtotalMicro, guarded: { letter } }, 'unasked');
    },

    /**
     * Checks and prices as a send would, and keeps nothing. `unread`: the logo is not read, since it does not
     * change the price. With `payment`, policies judge the letter before it is paid for.
     * @throws AppError of every check, policy_denied
     */
    async price(
      input: LetterInput,
      owner: Owner,
      options: PriceOptions & { logo?: 'unread' } = {},
    ): Promise<PricedLetter> {
      const now = clock();
      assertSendDate(input.sendDate, now, limits);
      const releaseAt = earliestRelease(input.sendDate, options.pricedAgoMs);
      const { logo, ...stationery } = input.stationery;
      const seen = options.logo === 'unread' ? { ...input, stationery } : input;
      const examined = await check(seen, owner, releaseAt, agreedIn(options, now));
      const { payment, commitment } = options;
      const { subtotal } = examined.priced;
      if (payment) {
        await assertAllowedFor(payment, termsOf(owner.accountId, examined), subtotal, commitment);
      }
      return examined.priced;
    },

    /**
     * Sends a new letter, or keeps it as a draft.
     * @throws AppError of every check; insufficient_funds, max_total_exceeded, idempotency_key_reused
     */
    async send(
      input: LetterInput,
      options: SendOptions,
      context: SendContext,
    ): Promise<SendOutcome> {
      const letterId = letterIdOf(context.commandId);
      let abandoned = 0;
      let isNew = true;
      if (context.repeatable) {
        const { state, version } = await handler.load(letterAggregate, letterId);
        if (state.status !== 'none') return replay(letterId, state, version, context.requestHash);
        abandoned = state.abandoned.length;
        isNew = version < 0n;
      }
      const prepared = await prepareNew(letterId, input, options, context);
      const send = { letterId, prepared, context, options, isNew };
      const accept = () =>
        options.draft
          ? keepDraft(send)
          : queueOrHold(send, paymentOf(letterId, abandoned, context));
      return prepared.files.length === 0 ? accept() : discardUnused(prepared, accept);
    },

    /**
     * What a draft costs when it is sent now; of a letter that its owner sent, what it cost. Without `accountId` a
     * draft is priced for its owner, and nothing is said of any other letter: undefined.
     * @throws AppError letter_not_found, letter_deleted, policy_denied, and those of every check
     */
    async priceDraft(
      letterId: string,
      owner: Pick<Owner, 'by'> & { accountId: string | undefined },
      options: PriceOptions = {},
    ): Promise<{ subtotalMicro: Micro } | { totalMicro: Micro } | undefined> {
      const { state } = await handler.load(letterAggregate, letterId);
      if (state.status === 'none') return undefined;
      if (owner.accountId === undefined && !(state.status === 'draft' && state.personal)) {
        return undefined;
      }
      const accountId = owner.accountId ?? state.terms.accountId;
      const letter = ownLetter(state, accountId);
      const { test, price, sendDate: wished } = letter.terms;
      if (letter.status !== 'draft') return { totalMicro: totalOf(chargeOfCents(price.charge)) };
      const sendDate = stillAhead(wished, clock());
      const input = { ...inputOf(letter, await contentOf(letterId, letter)), sendDate };
      const releaseAt = Date.parse(timesOf(sendDate, false).releaseAt);
      const agreed = agreedIn(options, clock());
      const whose = { letterId, accountId, by: owner.by, test };
      const examined = await check(input, whose, releaseAt, agreed, letter);
      const { payment, commitment } = options;
      const { subtotal } = examined.priced;
      if (payment)
        await assertAllowedFor(payment, termsOf(accountId, examined), subtotal, commitment);
      return subtotal;
    },

    /**
     * Sends a draft as it stands, at today's price or at the one that was agreed to.
     * @throws AppError letter_not_found, letter_not_sendable, version_mismatch and those of send
     */
    async sendDraft(
      letterId: string,
      options: SendOptions,
      context: SendContext,
    ): Promise<SendOutcome> {
      const { state, version } = await handler.load(letterAggregate, letterId);
      const letter = ownLetter(state, context.accountId);
      const { commandId, requestHash } = context;
      const isKnown =
        letter.commandIds.includes(commandId) ||
        letter.requests.some((one) => one.requestHash === requestHash);
      if (isKnown) return replay(letterId, letter, version, requestHash);
      const prepared = await prepareDraft(letterId, letter, options, context);
      const payment = paymentOf(letterId, version, context);
      const send = { letterId, prepared, context, options, isNew: false, draftVersion: version };
      return queue(send, payment);
    },

    /** Whether a letter was sent, or kept as a draft, by this id. */
    exists: async (letterId: string): Promise<boolean> =>
      (await handler.load(letterAggregate, letterId)).state.status !== 'none',

    /** Whether it was this request that sent it, or kept it as a draft. */
    async wasRequested(letterId: string, requestHash: string): Promise<boolean> {
      const { state } = await handler.load(letterAggregate, letterId);
      return (
        state.status !== 'none' && state.requests.some((one) => one.requestHash === requestHash)
      );
    },

    update: createUpdateLetter({ handler, paymentOf, preparing, indexOf: ports.indexOf }),
  };
};
