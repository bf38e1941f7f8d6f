/** Sending letters: what a sender may ask for, from checking to changing. */

import { AppError, isAppError } from '../../contract/errors.ts';
import type { DataKeys } from '../../events/data-keys.ts';
import { toTimestamp } from '../../ground/clock.ts';
import { uuidv5 } from '../../ground/uuid.ts';
import type { Micro } from '../../money/amounts.ts';
import { chargeOfCents, totalOf } from '../../money/charge.ts';
import type { CommandHandler } from '../handling/handle.ts';
import { agreedByCommitment } from '../negotiation/agreed-price.ts';
import { type AgreedPrice, agreedByQuote } from '../preparation/agreed-price.ts';
import type { Owner } from '../preparation/examine-letter.ts';
import { pricedBy } from '../preparation/letter-charge.ts';
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
import {
  assertPermitted,
  createAcceptLetter,
  replay,
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

/** Whether this request, or this command, sent the letter before. */
const wasSentBy = (letter: ReadableLetter, { commandId, requestHash }: SendContext): boolean =>
  letter.commandIds.includes(commandId) ||
  letter.requests.some((one) => one.requestHash === requestHash);

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

/**
 * Checks and prices as a send would, and keeps nothing. `unread`: the logo is not read, since it does not
 * change the price.
 */
const createPrice =
  ({ clock, limits }: SendPorts, { check, earliestRelease }: PrepareLetter) =>
  async (
    input: LetterInput,
    owner: Owner,
    options: Pick<SendOptions, 'quote' | 'commitment' | 'pricedAgoMs'> & { logo?: 'unread' } = {},
  ): Promise<PricedLetter> => {
    const now = clock();
    assertSendDate(input.sendDate, now, limits);
    const releaseAt = earliestRelease(input.sendDate, options.pricedAgoMs);
    const { logo, ...stationery } = input.stationery;
    const seen = options.logo === 'unread' ? { ...input, stationery } : input;
    return (await check(seen, owner, releaseAt, agreedIn(options, now))).priced;
  };

/**
 * Sends a new letter, or keeps it as a draft.
 * @throws AppError of every check; insufficient_funds, max_total_exceeded, idempotency_key_reused
 */
const createSend =
  (
    { handler, clock, limits, files }: SendPorts,
    { prepare, earliestRelease }: PrepareLetter,
    { keep, queueOrHold, paymentOf }: Accepting,
  ) =>
  async (input: LetterInput, options: SendOptions, context: SendContext): Promise<SendOutcome> => {
    const letterId = letterIdOf(context.commandId);
    let abandoned = 0;
    let isNew = true;
    if (context.repeatable) {
      const { state, version } = await handler.load(letterAggregate, letterId);
      if (state.status !== 'none') return replay(letterId, state, version, context.requestHash);
      abandoned = state.abandoned.length;
      isNew = version < 0n;
    }
    assertSendDate(input.sendDate, clock(), limits);
    const releaseAt = earliestRelease(input.sendDate, options.pricedAgoMs);
    const agreed = agreedIn(options, clock());
    const prepared = await prepare(input, { ...context, letterId }, releaseAt, agreed);
    assertPermitted(letterId, prepared, context);
    const send = { letterId, prepared, context, options, isNew };
    const accept = () =>
      options.draft
        ? keep(send, 'requested')
        : queueOrHold(send, paymentOf(letterId, abandoned, context));
    return prepared.files.length === 0 ? accept() : discardUnused(files, prepared, accept);
  };

/**
 * What a draft costs when it is sent now; of a letter that its owner sent, what it cost. Without `accountId` a
 * draft is priced for its owner, and nothing is said of any other letter: undefined.
 * @throws AppError letter_not_found, letter_deleted, and those of every check
 */
const createPriceDraft =
  ({ handler, clock }: SendPorts, { check, contentOf, timesOf }: PrepareLetter) =>
  async (
    letterId: string,
    owner: Pick<Owner, 'by'> & { accountId: string | undefined },
    options: Pick<SendOptions, 'quote' | 'commitment'> = {},
  ): Promise<{ subtotalMicro: Micro } | { totalMicro: Micro } | undefined> => {
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
    const { priced } = await check(input, whose, releaseAt, agreed, letter);
    return priced.subtotal;
  };

/**
 * Sends a draft as it stands, at today's price or at the one that was agreed to.
 * @throws AppError letter_not_found, letter_not_sendable, version_mismatch and those of send
 */
const createSendDraft =
  (
    { handler, clock }: SendPorts,
    { prepare, contentOf, timesOf }: PrepareLetter,
    { queue, paymentOf }: Accepting,
  ) =>
  async (letterId: string, options: SendOptions, context: SendContext): Promise<SendOutcome> => {
    const { state, version } = await handler.load(letterAggregate, letterId);
    const letter = ownLetter(state, context.accountId);
    if (wasSentBy(letter, context)) {
      return replay(letterId, letter, version, context.requestHash);
    }
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
    const payment = paymentOf(letterId, version, context);
    const send = { letterId, prepared, context, options, isNew: false, draftVersion: version };
    return queue(send, payment);
  };

export const createSendLetter = (ports: SendPorts) => {
  const { handler, indexOf } = ports;
  const preparing = createPrepareLetter(ports);
  const paymentOf = createPayments(ports);
  const accepting = {
    ...createAcceptLetter({ ...ports, timesOf: preparing.timesOf }),
    paymentOf,
  };
  return {
    price: createPrice(ports, preparing),
    send: createSend(ports, preparing, accepting),
    priceDraft: createPriceDraft(ports, preparing),
    sendDraft: createSendDraft(ports, preparing, accepting),

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

    update: createUpdateLetter({ handler, paymentOf, preparing, indexOf }),
  };
};
