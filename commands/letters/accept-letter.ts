/**
 * Accepting a prepared letter: as a draft, or paid for and queued.
 *
 * Where the store can, a new text letter is one commit: the wallet's reservation (`FundsReserved`), the
 * letter (`LetterQueued`) and its data key, or none of them. Documents (durable before the letter is), UCANs
 * that count their letters, and drafts need two streams without a common transaction: the wallet reserves the
 * price, then the letter is queued. Each step is safe to repeat under the same attempt.
 * reactors/settle-wallets.ts finishes or undoes the rest after a crash between them. If one commit finds any
 * of it there already, acceptance continues in two steps, so that both answer alike.
 */
import { AppError, isAppError } from '../../contract/errors.ts';
import { keyReused, letterDeleted } from '../../contract/refusals.ts';
import { type DataKeys, DataKeyTaken } from '../../events/data-keys.ts';
import { DuplicateEventId, WrongExpectedVersion } from '../../events/event-store.ts';
import { type LetterEvent, type LetterPersonal, letterStream } from '../../events/letter.ts';
import type { Held } from '../../events/policy.ts';
import { type Clock, toTimestamp } from '../../ground/clock.ts';
import type { MicroUsd } from '../../money/amounts.ts';
import type { Bucket } from '../../money/buckets.ts';
import { type Charge, totalOf } from '../../money/charge.ts';
import { guardedLetter } from '../guards/guarded-letter.ts';
import type { CommandHandler } from '../handling/handle.ts';
import { type AgreedOffer, lockedPrice } from '../negotiation/commitment.ts';
import { discountEndOf } from '../negotiation/discount-end.ts';
import { hourMs } from '../policies/windows.ts';
import { draftPrice, priceOf } from '../preparation/letter-charge.ts';
import { type LetterFiles, makeLetterKey } from '../preparation/letter-files.ts';
import {
  magicNames,
  type Prepared,
  type PrepareLetter,
  type PreparePorts,
} from '../preparation/prepare-letter.ts';
import type { Quote } from '../preparation/quote.ts';
import { approvalIdOf } from './approval.ts';
import { approvalCommitment } from './approval-commitment.ts';
import { type RequestApproval, requestApproval } from './decide-approval.ts';
import {
  attemptsOf,
  type ExistingLetter,
  evolveBy,
  initialState,
  type Letter,
  letterAggregate,
  type SendRequest,
} from './letter.ts';
import { draftLetter, type QueueLetter, queueLetter } from './letter-drafts.ts';
import { changedMeanwhile, type PaidLetter, type Payment, type SendContext } from './pay-letter.ts';

export type SendOptions = {
  quote?: Quote | undefined;
  /** The commitment whose locked price is charged. The letter uses it up. */
  commitment?: AgreedOffer | undefined;
  maxTotalMicro?: MicroUsd;
  draft: boolean;
  /** Money of this kind will pay for the draft later: policies judge it before it is kept. */
  draftFor?: Bucket;
  /** Keep the letter as a draft when the wallet does not cover it. */
  holdWithoutFunds: boolean;
  /** The caller cannot wait for approval: a letter that a policy holds is refused. */
  refuseHolds?: boolean;
  /** It costs what it would have so long before: the price that a 402 asked for then. */
  pricedAgoMs?: number;
  /** Of a draft: it costs what it says, which must be this in all. */
  agreedTotalMicro?: MicroUsd;
  /** Of a draft: the version that it must have. */
  ifMatch?: bigint | undefined;
};

export type SendOutcome = SendRequest & {
  letterId: string;
  personal: LetterPersonal;
  version: bigint;
  /** Log position of the letter's last event, 0 when a replay did not look. */
  position: bigint;
  replayed: boolean;
};

/** A letter that was checked and priced, and who sends it how. */
export type Send = {
  letterId: string;
  prepared: Prepared;
  context: SendContext;
  options: SendOptions;
  /** Whether its stream did not exist when it was prepared. */
  isNew: boolean;
  /** The version of the draft that was prepared. */
  draftVersion?: bigint;
  /** When the discount in its price can no longer be billed, RFC 3339. */
  discountEndsAt?: string | undefined;
};

/** Before money is touched: the total is at least what it is without commission. */
export const assertPermitted = (
  letterId: string,
  { terms, priced }: Prepared,
  { permission }: SendContext,
): void =>
  permission?.assertAllows({ ...terms, letterId, totalMicro: priced.subtotal.subtotalMicro });

const paymentOptions = ({ maxTotalMicro, commitment, refuseHolds }: SendOptions) => ({
  maxTotalMicro,
  commitment: commitment && lockedPrice(commitment),
  isSend: true,
  mayWait: !refuseHolds,
});

const answer = (
  letterId: string,
  request: SendRequest,
  place: { version: bigint; position: bigint; replayed: boolean },
): SendOutcome => {
  const { personal } = request;
  if (!personal) throw letterDeleted();
  return { letterId, ...request, personal, ...place };
};

/** The first answer again. @throws AppError idempotency_key_reused, letter_deleted */
export const replay = (
  letterId: string,
  letter: ExistingLetter,
  version: bigint,
  { commandId, requestHash }: SendContext,
): SendOutcome => {
  if (letter.erased) throw letterDeleted();
  const request = letter.requests.find((one) => one.commandId === commandId);
  if (request?.requestHash !== requestHash) throw keyReused();
  return answer(letterId, request, { version, position: 0n, replayed: true });
};

/** Decides on a letter. @throws AppError idempotency_key_reused when it made another letter's event */
export const decideLetter = (
  handler: CommandHandler,
  letterId: string,
  context: SendContext,
  decide: (letter: Letter, version: bigint) => LetterEvent[],
  options: { assumeNew: boolean } = { assumeNew: false },
) =>
  handler
    .handle(letterAggregate, letterId, { ...context, oneStream: true }, decide, options)
    .catch((error: unknown) => {
      throw error instanceof DuplicateEventId ? keyReused() : error;
    });

type AcceptPorts = {
  handler: CommandHandler;
  dataKeys: DataKeys;
  files: LetterFiles;
  timesOf: PrepareLetter['timesOf'];
  clock: Clock;
  indexOf: PreparePorts['indexOf'];
};

/** All of the price, for what is sent. */
const wishOf = (indexOf: AcceptPorts['indexOf'], { prepared, options }: Send) => ({
  subtotalMicro: prepared.priced.subtotal.subtotalMicro,
  ...paymentOptions(options),
  guarded: { letter: guardedLetter(prepared, indexOf) },
});

/** Keeps it as a draft. */
const createKeep =
  ({ handler, files }: AcceptPorts) =>
  async (
    { letterId, prepared, context, isNew }: Send,
    holdReason: 'requested' | 'funds',
  ): Promise<SendOutcome> => {
    const { commandId, requestHash } = context;
    const { personal } = prepared;
    const { accountId } = prepared.terms;
    const terms = { ...prepared.terms, price: draftPrice(prepared.priced) };
    const command = { type: 'DraftLetter' as const, terms, personal, holdReason, requestHash };
    await files.put({ letterId, accountId }, prepared.files);
    const { state, events, version, position } = await decideLetter(
      handler,
      letterId,
      context,
      (letter) => draftLetter(letter, command),
      { assumeNew: isNew },
    );
    if (events.length === 0) {
      return replay(letterId, state as ExistingLetter, version, context);
    }
    const request = {
      commandId,
      requestHash,
      terms,
      personal,
      holdReason,
      status: 'draft' as const,
      cancellableUntil: undefined,
      approval: undefined,
    };
    return answer(letterId, request, { version, position, replayed: false });
  };

/** The command that queues it, paid by `charge`. */
const queueing = (
  timesOf: AcceptPorts['timesOf'],
  { prepared: { terms, personal, priced }, context }: Send,
  { attemptId }: Payment,
  charge: Charge,
): QueueLetter => {
  const magic = context.test && Object.hasOwn(magicNames, personal.to.name.toLowerCase());
  return {
    type: 'QueueLetter',
    terms: { ...terms, price: priceOf(priced, charge) },
    personal,
    attemptId,
    requestHash: context.requestHash,
    ...timesOf(terms.sendDate, magic, terms),
  };
};

/** The command that lets it wait for approval, paid by `charge`. */
const requesting = (
  clock: Clock,
  { letterId, prepared: { terms, personal, priced }, context, discountEndsAt }: Send,
  { attemptId }: Payment,
  { charge, held, requester }: PaidLetter & { held: Held },
): RequestApproval => {
  const paid = { ...terms, price: priceOf(priced, charge) };
  const expiresAt = toTimestamp(clock() + held.expiresInHours * hourMs);
  return {
    type: 'RequestApproval',
    approvalId: approvalIdOf(letterId, attemptId),
    terms: paid,
    personal,
    attemptId,
    commitment: approvalCommitment(letterId, paid, personal),
    needs: held.needs,
    requester,
    expiresAt:
      discountEndsAt !== undefined && discountEndsAt < expiresAt ? discountEndsAt : expiresAt,
    requestHash: context.requestHash,
  };
};

type Acceptance = QueueLetter | RequestApproval;

/** A letter that is paid for is queued, or waits for approval if its payment says so. */
const accepting = (
  { timesOf, clock }: AcceptPorts,
  send: Send,
  payment: Payment,
  { held, ...paid }: PaidLetter,
): Acceptance =>
  held
    ? requesting(clock, send, payment, { ...paid, held })
    : queueing(timesOf, send, payment, paid.charge);

const decideAcceptance = (letter: Letter, command: Acceptance): LetterEvent[] =>
  command.type === 'QueueLetter' ? queueLetter(letter, command) : requestApproval(letter, command);

/** The answer to the request that was accepted just now. */
const accepted = (
  { letterId, context }: Send,
  letter: Letter,
  place: { version: bigint; position: bigint },
): SendOutcome => {
  const requests = letter.status === 'none' ? [] : letter.requests;
  const request = requests.find(({ commandId }) => commandId === context.commandId);
  if (!request) throw changedMeanwhile();
  return answer(letterId, request, { ...place, replayed: false });
};

const fitsOneCommit = (handler: CommandHandler, { prepared, context, isNew }: Send): boolean =>
  handler.beginsStreams && isNew && prepared.files.length === 0 && context.permission === undefined;

/** Pays and queues in one commit. Undefined when wallet or letter know of the request already. */
const createPayAndQueue =
  (ports: AcceptPorts) =>
  async (send: Send, payment: Payment): Promise<SendOutcome | undefined> => {
    const { handler, indexOf } = ports;
    const { letterId, context } = send;
    const stream = letterStream(letterId);
    let events: LetterEvent[] = [];
    try {
      const { begun } = await payment.reserve(wishOf(indexOf, send), (paid) => {
        // Asked again after a conflict; the last one is what was stored.
        events = decideAcceptance(initialState(), accepting(ports, send, payment, paid));
        return { stream, context: { ...context, oneStream: true }, events };
      });
      return (
        begun && accepted(send, events.reduce(evolveBy(context.commandId), initialState()), begun)
      );
    } catch (error) {
      if (error instanceof DuplicateEventId) throw keyReused();
      if (!(error instanceof WrongExpectedVersion || error instanceof DataKeyTaken)) throw error;
      const { state, version } = await handler.load(letterAggregate, letterId);
      if (state.status === 'none') return undefined;
      return replay(letterId, state, version, context);
    }
  };

const sendEnded = (): AppError =>
  new AppError(
    'letter_not_sendable',
    'The request to send the letter was ended. Send the letter with another request.',
  );

/**
 * Whether another request made the letter meanwhile.
 * @throws AppError conflict for a changed draft, letter_not_sendable for a command that was ended
 */
const wasTaken = (
  { draftVersion, context: { commandId } }: Send,
  letter: Letter,
  version: bigint,
): boolean => {
  // Another request took the same key meanwhile, maybe with another body.
  if (draftVersion === undefined && letter.status !== 'none') return true;
  if (letter.status !== 'none' && letter.commandIds.includes(commandId)) return true;
  if (letter.abandoned.includes(commandId)) throw sendEnded();
  const changed = draftVersion !== undefined && version !== draftVersion;
  if (changed && letter.status === 'draft') throw changedMeanwhile();
  return false;
};

/** Pays, then queues. */
const createPayThenQueue =
  (ports: AcceptPorts) =>
  async (send: Send, payment: Payment): Promise<SendOutcome> => {
    const { handler, dataKeys, files, indexOf } = ports;
    const { letterId, prepared, context, isNew } = send;
    const { permission } = context;
    const { subtotalMicro: totalMicro } = prepared.priced.subtotal;
    // A reservation may alert the owner, which cannot be undone.
    await permission?.assertClaimable({ ...prepared.terms, letterId, totalMicro });
    // The data key and the documents are made durable while the wallet reserves: the event needs all.
    const { accountId } = prepared.terms;
    const stored = [
      makeLetterKey(dataKeys, letterId),
      files.put({ letterId, accountId }, prepared.files),
    ];
    const ended = Promise.allSettled(stored);
    const paid = await payment.reserve(wishOf(indexOf, send)).finally(() => ended);
    await payment.orUndo(() => Promise.all(stored));
    if (permission) {
      const claimed = { ...prepared.terms, letterId, totalMicro: totalOf(paid.charge) };
      await payment.orUndo(() => permission.claim(claimed));
    }
    const command = accepting(ports, send, payment, paid);
    const queue = (letter: Letter, version: bigint) =>
      wasTaken(send, letter, version) ? [] : decideAcceptance(letter, command);
    const { events, state, version, position } = await payment.orUndo(() =>
      decideLetter(handler, letterId, context, queue, { assumeNew: isNew }),
    );
    if (events.length > 0) return accepted(send, state, { version, position });
    const letter = state as ExistingLetter;
    if (!attemptsOf(letter).includes(payment.attemptId)) await payment.undo();
    return replay(letterId, letter, version, context);
  };

/**
 * When the discount in the price of a letter can no longer be billed; undefined: it has none.
 * @throws AppError quote_expired if it cannot be billed any more: the price was agreed to before
 */
const createDiscountEnd =
  ({ handler, clock }: AcceptPorts) =>
  async (accountId: string, { subtotal }: Prepared['priced']): Promise<string | undefined> => {
    const endsAt = await discountEndOf(handler, accountId, subtotal.discount);
    if (endsAt === undefined || toTimestamp(clock()) < endsAt) return endsAt;
    throw new AppError(
      'quote_expired',
      'The price has the discount of a volume contract that is settled. Ask for a new price and send the letter with it.',
    );
  };

export const createAcceptLetter = (ports: AcceptPorts) => {
  const keep = createKeep(ports);
  const payAndQueue = createPayAndQueue(ports);
  const payThenQueue = createPayThenQueue(ports);
  const discountEndOf = createDiscountEnd(ports);

  /** Pays for it and queues it, a new letter or a draft. */
  const queue = async (priced: Send, payment: Payment): Promise<SendOutcome> => {
    const { prepared } = priced;
    const discountEndsAt = await discountEndOf(prepared.terms.accountId, prepared.priced);
    const send = { ...priced, discountEndsAt };
    const sent = fitsOneCommit(ports.handler, send) ? await payAndQueue(send, payment) : undefined;
    return sent ?? payThenQueue(send, payment);
  };

  /** The same, or a draft when that was asked for and the wallet does not cover it. */
  const queueOrHold = async (send: Send, payment: Payment): Promise<SendOutcome> => {
    try {
      return await queue(send, payment);
    } catch (error) {
      const short = isAppError(error) && error.code === 'insufficient_funds';
      if (!send.options.holdWithoutFunds || !short) throw error;
      return keep(send, 'funds');
    }
  };

  return {
    keep,
    queue,
    queueOrHold,
    wishOf: (send: Send) => wishOf(ports.indexOf, send),
    discountEndOf,
  };
};
