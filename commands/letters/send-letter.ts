/** Sending letters: what a sender may ask for, from checking to changing. */
import { randomUUID } from 'node:crypto';
import { AppError, isAppError } from '../../contract/errors.ts';
import type { DataKeys } from '../../events/data-keys.ts';
import type { LetterPrice } from '../../events/letter.ts';
import { toTimestamp } from '../../ground/clock.ts';
import { uuidv5 } from '../../ground/uuid.ts';
import type { MicroUsd } from '../../money/amounts.ts';
import type { Bucket } from '../../money/buckets.ts';
import { chargeOfCents, splitCharge, totalOf } from '../../money/charge.ts';
import {
  guardedLetter,
  type LetterBeforeRules,
  type PricedTerms,
} from '../guards/guarded-letter.ts';
import type { CommandHandler } from '../handling/handle.ts';
import { agreedByCommitment } from '../negotiation/agreed-price.ts';
import { lockedPrice, lockedTotal } from '../negotiation/commitment.ts';
import { type AgreedPrice, agreedByQuote } from '../preparation/agreed-price.ts';
import type { Examined, Owner } from '../preparation/examine-letter.ts';
import { pricedBy, priceOf } from '../preparation/letter-charge.ts';
import type { LetterFiles } from '../preparation/letter-files.ts';
import type { LetterInput } from '../preparation/letter-input.ts';
import {
  createPrepareLetter,
  type Prepared,
  type PrepareLetter,
  type PreparePorts,
} from '../preparation/prepare-letter.ts';
import type { PricedLetter } from '../preparation/price-letter.ts';
import { stillAhead } from '../preparation/release.ts';
import { assertSendDate } from '../preparation/send-date.ts';
import { assertWithin } from '../wallets/max-total.ts';
import { assertAllowed, type JudgedReservation } from '../wallets/reserve-funds.ts';
import { walletAggregate } from '../wallets/wallet.ts';
import {
  assertPermitted,
  createAcceptLetter,
  replay,
  type Send,
  type SendOptions,
  type SendOutcome,
} from './accept-letter.ts';
import { createApproveLetter } from './approve-letter.ts';
import type { KnownRecipients } from './known-recipients.ts';
import { letterAggregate } from './letter.ts';
import { assertNotWaiting } from './letter-drafts.ts';
import { assertVersion, inputOf, ownLetter, type ReadableLetter } from './own-letter.ts';
import { createPayments, type Payer, type SendContext } from './pay-letter.ts';
import { createUpdateLetter } from './update-letter.ts';

export type SendPorts = PreparePorts & {
  handler: CommandHandler;
  dataKeys: DataKeys;
  isKnownRecipient: KnownRecipients;
} & Pick<Parameters<typeof createUpdateLetter>[0], 'isOrdered'>;

export const letterIdOf = (commandId: string): string => uuidv5(commandId, 'letter');

/** @throws AppError quote_mismatch */
const assertAgreed = ({ terms }: ReadableLetter, agreedTotalMicro: MicroUsd): void => {
  if (totalOf(chargeOfCents(terms.price.charge)) === agreedTotalMicro) return;
  throw new AppError(
    'quote_mismatch',
    'The draft was changed, and its price is no longer the agreed price. Send it at its own price.',
  );
};

/** @throws AppError letter_not_sendable, approval_pending */
const assertSendable = (letter: ReadableLetter): void => {
  if (letter.status !== 'draft') {
    throw new AppError(
      'letter_not_sendable',
      `The letter is ${letter.status}. Only a draft can be sent.`,
    );
  }
  assertNotWaiting(letter);
};

/** The price agreed to before; undefined: today's price applies. @throws AppError commitment_expired */
const agreedIn = (
  { quote, commitment }: Pick<SendOptions, 'quote' | 'commitment'>,
  now: number,
): AgreedPrice | undefined => {
  if (commitment) return agreedByCommitment(commitment, toTimestamp(now));
  return quote && agreedByQuote(quote);
};

/** Accepting a letter, and paying for it. */
type Accepting = ReturnType<typeof createAcceptLetter> & {
  paymentOf: ReturnType<typeof createPayments>;
};

export type SendLetterService = ReturnType<typeof createSendLetter>;

/** Deletes what was stored for a letter that was refused, or was there already. */
const discardUnused = async (
  files: LetterFiles,
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

/** Checking and pricing letters that are to be sent. */
const createPrepareSend = ({ clock, limits }: SendPorts, preparing: PrepareLetter) => {
  const { prepare, contentOf, earliestRelease } = preparing;

  return {
    /** @throws AppError of every check */
    async prepareNew(
      letterId: string,
      input: LetterInput,
      options: SendOptions,
      context: SendContext,
    ): Promise<Prepared> {
      assertSendDate(input.sendDate, input.to.country, clock(), limits);
      const releaseAt = earliestRelease(input.sendDate, options.pricedAgoMs);
      const agreed = agreedIn(options, clock());
      const prepared = await prepare(input, { ...context, letterId }, releaseAt, agreed);
      assertPermitted(letterId, prepared, context);
      return prepared;
    },

    /** A draft as it stands. @throws AppError letter_not_sendable, approval_pending and those of every check */
    async prepareDraft(
      letterId: string,
      letter: ReadableLetter,
      options: SendOptions,
      context: SendContext,
    ): Promise<Prepared> {
      assertSendable(letter);
      context.permission?.assertReaches({ ...letter.terms, letterId });
      const content = await contentOf(letterId, letter);
      const sendDate = stillAhead(letter.terms, clock());
      const input = { ...inputOf(letter, content), sendDate };
      const releaseAt = earliestRelease(sendDate, options.pricedAgoMs);
      const owner = { ...context, letterId };
      const { agreedTotalMicro } = options;
      if (agreedTotalMicro !== undefined) assertAgreed(letter, agreedTotalMicro);
      const agreed = agreedIn(options, clock());
      const document = { ...letter, isPaid: agreedTotalMicro !== undefined };
      const today = await prepare(input, owner, releaseAt, agreed, document);
      const prepared =
        agreedTotalMicro === undefined
          ? today
          : { ...today, priced: pricedBy(today.priced, letter.terms.price) };
      assertPermitted(letterId, prepared, context);
      return prepared;
    },
  };
};

type Preparing = ReturnType<typeof createPrepareSend>;

/** The price of a letter, and the verdict of the policies on it. */
type JudgedSend = { price: LetterPrice; judged: JudgedReservation };

/** A payment that is about to be asked for: who makes it, and which money it brings. */
export type ComingPayment = Pick<
  SendContext,
  'accountId' | 'actor' | 'test' | 'keyIds' | 'permission'
> & {
  bucket: Bucket;
};

type PriceOptions = Pick<SendOptions, 'quote' | 'commitment' | 'pricedAgoMs' | 'ifMatch'> & {
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

/** Judges a letter by policies, and by the money that is about to come in for it. */
const createAssertAllowedWith =
  (indexOf: SendPorts['indexOf'], paymentOf: Accepting['paymentOf']) =>
  /** @throws AppError policy_denied, frozen, insufficient_funds */
  async (
    { bucket, ...payer }: ComingPayment,
    letter: PricedTerms,
    { subtotal: { subtotalMicro } }: PricedLetter,
    commitment: SendOptions['commitment'],
  ): Promise<JudgedReservation> => {
    const guarded = { letter: guardedLetter(letter, indexOf) };
    const wish = { subtotalMicro, commitment: commitment && lockedPrice(commitment), guarded };
    const context = { ...payer, commandId: randomUUID(), requestHash: '', repeatable: false };
    const judged = await paymentOf(randomUUID(), 0, context).judge(wish, bucket);
    assertAllowed(judged);
    return judged;
  };

/** Asks policies about letters that are not sent yet. */
const createJudging = (
  { handler, indexOf }: SendPorts,
  { prepareNew, prepareDraft }: Preparing,
  { keep, wishOf, paymentOf, discountEndOf }: Accepting,
) => {
  const ownDraft = async (
    letterId: string,
    { accountId }: SendContext,
    { ifMatch }: SendOptions,
  ): Promise<ReadableLetter> => {
    const { state, version } = await handler.load(letterAggregate, letterId);
    const letter = ownLetter(state, accountId);
    assertVersion(ifMatch, version);
    return letter;
  };

  const assertAllowedWith = createAssertAllowedWith(indexOf, paymentOf);

  return {
    /**
     * The outcome of sending it now, for a new letter or for a draft by its id. Keeps nothing.
     * @param payer the money that would pay for it
     * @throws AppError as a send does, except policy_denied
     */
    async judge(
      letter: LetterInput | { draftId: string },
      options: SendOptions,
      context: SendContext,
      payer: Payer = 'wallet',
    ): Promise<JudgedSend> {
      // A letter of its own, whatever was sent under the same key before.
      const letterId = 'draftId' in letter ? letter.draftId : randomUUID();
      const prepared =
        'draftId' in letter
          ? await prepareDraft(
              letterId,
              await ownDraft(letterId, context, options),
              options,
              context,
            )
          : await prepareNew(letterId, letter, options, context);
      const send = { letterId, prepared, context, options, isNew: false };
      await discountEndOf(prepared.terms.accountId, prepared.priced);
      const judged = await paymentOf(letterId, 0, context).judge(wishOf(send), payer);
      // A send that a policy denies gets no further.
      if (judged.verdict.denials.length === 0) {
        const paid = { ...prepared.terms, letterId, totalMicro: totalOf(judged.charge) };
        await context.permission?.assertClaimable(paid);
      }
      return { price: priceOf(prepared.priced, judged.charge), judged };
    },

    /** The verdict of policies on a letter that is known in part. Keeps nothing and needs no money. */
    judgePriced: (letter: LetterBeforeRules, subtotalMicro: MicroUsd, context: SendContext) =>
      paymentOf(randomUUID(), 0, context).judge({ subtotalMicro, guarded: { letter } }, 'unasked'),

    /**
     * Refuses a letter that a payment is about to be asked for.
     * @throws AppError policy_denied, frozen, caveat_not_met, insufficient_funds, quote_expired
     */
    async assertAllowedFor(
      { payment, commitment }: PriceOptions,
      { letterId, accountId }: Pick<Owner, 'letterId' | 'accountId'>,
      examined: Examined,
    ): Promise<void> {
      if (!payment) return;
      const { priced } = examined;
      await discountEndOf(accountId, priced);
      const letter = termsOf(accountId, examined);
      const { charge } = await assertAllowedWith(payment, letter, priced, commitment);
      const paid = { ...letter.terms, letterId, totalMicro: totalOf(charge) };
      await payment.permission?.assertClaimable(paid);
    },

    /**
     * Keeps a draft; one that is to be paid for is judged first.
     * @throws AppError policy_denied, frozen, max_total_exceeded
     */
    async keepDraft(send: Send): Promise<SendOutcome> {
      const { prepared, context, options } = send;
      const { draftFor, commitment, maxTotalMicro } = options;
      const { priced } = prepared;
      if (draftFor) {
        const payment = { ...context, bucket: draftFor };
        await assertAllowedWith(payment, prepared, priced, commitment);
        return keep(send, 'funds');
      }
      const charge = splitCharge(priced.subtotal.subtotalMicro, 0n);
      assertWithin(commitment ? lockedTotal(commitment) : totalOf(charge), maxTotalMicro);
      return keep(send, 'requested');
    },
  };
};

type Judging = ReturnType<typeof createJudging>;

/**
 * Checks and prices as a send would, and keeps nothing. `unread`: the logo is not read, since it does not
 * change the price. With `payment`, the letter is judged before it is paid for.
 * @throws AppError of every check, policy_denied, frozen, caveat_not_met, insufficient_funds
 */
const createPrice =
  (
    { clock, limits }: SendPorts,
    { check, earliestRelease }: PrepareLetter,
    { assertAllowedFor }: Judging,
  ) =>
  async (
    input: LetterInput,
    owner: Owner,
    options: PriceOptions & { logo?: 'unread' } = {},
  ): Promise<PricedLetter> => {
    const now = clock();
    assertSendDate(input.sendDate, input.to.country, now, limits);
    const releaseAt = earliestRelease(input.sendDate, options.pricedAgoMs);
    const { logo, ...stationery } = input.stationery;
    const seen = options.logo === 'unread' ? { ...input, stationery } : input;
    const examined = await check(seen, owner, releaseAt, agreedIn(options, now));
    await assertAllowedFor(options, owner, examined);
    return examined.priced;
  };

/**
 * Sends a new letter, or keeps it as a draft.
 * @throws AppError of every check; insufficient_funds, max_total_exceeded, idempotency_key_reused
 */
const createSend =
  (
    { handler, files }: SendPorts,
    { prepareNew }: Preparing,
    { queueOrHold, paymentOf }: Accepting,
    { keepDraft }: Judging,
  ) =>
  async (input: LetterInput, options: SendOptions, context: SendContext): Promise<SendOutcome> => {
    const letterId = letterIdOf(context.commandId);
    let abandoned = 0;
    let isNew = true;
    if (context.repeatable) {
      const { state, version } = await handler.load(letterAggregate, letterId);
      if (state.status !== 'none') return replay(letterId, state, version, context);
      abandoned = state.abandoned.length;
      isNew = version < 0n;
    }
    const prepared = await prepareNew(letterId, input, options, context);
    const send = { letterId, prepared, context, options, isNew };
    const accept = () =>
      options.draft ? keepDraft(send) : queueOrHold(send, paymentOf(letterId, abandoned, context));
    return prepared.files.length === 0 ? accept() : discardUnused(files, prepared, accept);
  };

/**
 * The price of a draft if it is sent now. Without `accountId` a draft is priced for its owner, and other letters
 * give undefined.
 * @throws AppError letter_not_found, letter_deleted, version_mismatch, letter_not_sendable, approval_pending,
 * policy_denied, frozen, caveat_not_met, insufficient_funds, and those of every check
 */
const createPriceDraft =
  (
    { handler, clock }: SendPorts,
    { check, contentOf, earliestRelease }: PrepareLetter,
    { assertAllowedFor }: Judging,
  ) =>
  async (
    letterId: string,
    owner: Pick<Owner, 'by'> & { accountId: string | undefined },
    options: PriceOptions = {},
  ): Promise<{ subtotalMicro: MicroUsd } | undefined> => {
    const { state, version } = await handler.load(letterAggregate, letterId);
    if (state.status === 'none') return undefined;
    if (owner.accountId === undefined && !(state.status === 'draft' && state.personal)) {
      return undefined;
    }
    const accountId = owner.accountId ?? state.terms.accountId;
    const letter = ownLetter(state, accountId);
    const { test } = letter.terms;
    // An unknown caller gets the price of any draft: only its payment shows whether it repeats a request.
    if (owner.accountId !== undefined) {
      assertVersion(options.ifMatch, version);
      assertSendable(letter);
      options.payment?.permission?.assertReaches({ ...letter.terms, letterId });
    }
    const sendDate = stillAhead(letter.terms, clock());
    const input = { ...inputOf(letter, await contentOf(letterId, letter)), sendDate };
    const releaseAt = earliestRelease(sendDate, options.pricedAgoMs);
    const agreed = agreedIn(options, clock());
    const whose = { letterId, accountId, by: owner.by, test };
    const examined = await check(input, whose, releaseAt, agreed, letter);
    await assertAllowedFor(options, { letterId, accountId }, examined);
    return examined.priced.subtotal;
  };

/**
 * Sends a draft as it stands, at today's price or at the one that was agreed to.
 * @throws AppError letter_not_found, letter_not_sendable, version_mismatch and those of send
 */
const createSendDraft =
  ({ handler }: SendPorts, { prepareDraft }: Preparing, { queue, paymentOf }: Accepting) =>
  async (letterId: string, options: SendOptions, context: SendContext): Promise<SendOutcome> => {
    const { state, version } = await handler.load(letterAggregate, letterId);
    const letter = ownLetter(state, context.accountId);
    if (letter.commandIds.includes(context.commandId)) {
      return replay(letterId, letter, version, context);
    }
    assertVersion(options.ifMatch, version);
    const prepared = await prepareDraft(letterId, letter, options, context);
    const payment = paymentOf(letterId, version, context);
    const send = { letterId, prepared, context, options, isNew: false, draftVersion: version };
    return queue(send, payment);
  };

export const createSendLetter = (ports: SendPorts) => {
  const { handler } = ports;
  const preparing = createPrepareLetter(ports);
  const paymentOf = createPayments(ports);
  const accepting = {
    ...createAcceptLetter({ ...ports, timesOf: preparing.timesOf }),
    paymentOf,
  };
  const prepare = createPrepareSend(ports, preparing);
  const judging = createJudging(ports, prepare, accepting);
  return {
    /** Begins to read the wallet and the contracts of an account that is about to send. */
    prefetch(accountId: string): void {
      handler.prefetch(walletAggregate, accountId);
      ports.discountOf(accountId).catch(() => {});
    },
    judge: judging.judge,
    judgePriced: judging.judgePriced,
    price: createPrice(ports, preparing, judging),
    send: createSend(ports, prepare, accepting, judging),
    priceDraft: createPriceDraft(ports, preparing, judging),
    sendDraft: createSendDraft(ports, prepare, accepting),

    /** Whether the command sent this letter, or kept it as a draft. */
    async wasObeyed(letterId: string, commandId: string): Promise<boolean> {
      const { state } = await handler.load(letterAggregate, letterId);
      return state.status !== 'none' && state.commandIds.includes(commandId);
    },

    /**
     * The first answer again, if the command sent this letter or kept it as a draft.
     * @throws AppError idempotency_key_reused, letter_deleted
     */
    async repeated(letterId: string, context: SendContext): Promise<SendOutcome | undefined> {
      const { state, version } = await handler.load(letterAggregate, letterId);
      if (state.status === 'none' || !state.commandIds.includes(context.commandId))
        return undefined;
      return replay(letterId, state, version, context);
    },

    approvals: createApproveLetter({ ...ports, timesOf: preparing.timesOf }),

    update: createUpdateLetter({ ...ports, paymentOf, preparing }),
  };
};
