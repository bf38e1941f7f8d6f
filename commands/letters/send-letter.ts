/**
 * Sending a letter, over two streams without a common transaction: the wallet reserves the price
 * (`FundsReserved`), then the letter is queued (`LetterQueued`). Each step is safe to repeat under the
 * same attempt; what a crash leaves between them is finished or undone by reactors/settle-wallets.ts.
 */
import { toTimestamp } from '../../contract/clock.ts';
import { AppError, isAppError } from '../../contract/errors.ts';
import { uuidv5 } from '../../contract/uuid.ts';
import type { DataKeys } from '../../events/data-keys.ts';
import { DuplicateEventId } from '../../events/event-store.ts';
import { type LetterEvent, type LetterPersonal, letterStream } from '../../events/letter.ts';
import { servicesFor } from '../../postal/intents.ts';
import type { CommandHandler } from '../handling/handle.ts';
import { draftPrice, priceOf, totalOf } from '../preparation/letter-charge.ts';
import type { LetterContent, LetterInput } from '../preparation/letter-input.ts';
import {
  assertSendDate,
  createPrepareLetter,
  magicNames,
  type Owner,
  type Prepared,
  type PreparePorts,
} from '../preparation/prepare-letter.ts';
import type { Quote } from '../preparation/quote.ts';
import {
  draftLetter,
  type ExistingLetter,
  type Letter,
  letterAggregate,
  queueLetter,
  type SendRequest,
  updateLetter,
} from './letter.ts';
import { changedMeanwhile, createPayLetter, keyReused, type SendContext } from './pay-letter.ts';

export type SendPorts = PreparePorts & { handler: CommandHandler; dataKeys: DataKeys };

export type SendOptions = {
  quote?: Quote;
  maxTotalCents?: bigint;
  draft: boolean;
  /** Keep the letter as a draft when the wallet does not cover it. */
  holdWithoutFunds: boolean;
};

export type SendOutcome = SendRequest & {
  letterId: string;
  personal: LetterPersonal;
  version: bigint;
  /** Log position of the letter's last event, 0 when a replay did not look. */
  position: bigint;
  replayed: boolean;
};

export const letterIdOf = (commandId: string): string => uuidv5(commandId, 'letter');

const notFound = (): AppError =>
  new AppError('letter_not_found', 'There is no letter with this id in your account.');

/** The letter, if it is this account's and still readable. @throws AppError letter_not_found, letter_deleted */
const ownLetter = (
  state: Letter,
  accountId: string,
): ExistingLetter & { personal: LetterPersonal } => {
  if (state.status === 'none' || state.terms.accountId !== accountId) throw notFound();
  const { personal } = state;
  if (!personal)
    throw new AppError('letter_deleted', 'The letter was deleted and its content erased.');
  return { ...state, personal };
};

const inputOf = (
  letter: ExistingLetter & { personal: LetterPersonal },
  content: LetterContent,
): LetterInput => {
  const { terms, personal } = letter;
  const { to, from, reference, metadata } = personal;
  return {
    to: to as LetterInput['to'],
    from: from as LetterInput['from'],
    content,
    service: terms.service as LetterInput['service'],
    intent: terms.intent as LetterInput['intent'],
    color: terms.color,
    duplex: terms.duplex,
    sendDate: terms.sendDate,
    reference,
    metadata,
    autoFix: false,
    // The document of a letter that exists has its address page.
    insertPage: false,
    acceptAddressAsIs: true,
  };
};

export type LetterChanges = {
  to: Partial<LetterInput['to']>;
  /** Absent: as it is. Null: removed. */
  reference?: string | null;
  metadata?: Record<string, string> | null;
  acceptAddressAsIs: boolean;
};

/** Before money is touched: the total is at least what it is without commission. */
const assertPermitted = (
  letterId: string,
  { terms, priced }: Prepared,
  { permission }: SendContext,
): void =>
  permission?.assertAllows({ ...terms, letterId, totalCents: priced.subtotal.subtotalCents });

export type SendLetterService = ReturnType<typeof createSendLetter>;

export const createSendLetter = (ports: SendPorts) => {
  const { handler, dataKeys, clock, limits, files } = ports;
  const { timesOf, prepare, contentOf } = createPrepareLetter(ports);
  const { attemptIdOf, reserve, undo, orUndo, settleDifference } = createPayLetter(ports);

  /** Decides on the letter. @throws AppError idempotency_key_reused when it made another letter's event */
  const decideLetter = (
    letterId: string,
    context: SendContext,
    decide: (letter: Letter, version: bigint) => LetterEvent[],
    options: { assumeNew: boolean },
  ) =>
    handler
      .handle(letterAggregate, letterId, { ...context, oneStream: true }, decide, options)
      .catch((error: unknown) => {
        throw error instanceof DuplicateEventId ? keyReused() : error;
      });

  const answer = (
    letterId: string,
    request: SendRequest,
    place: { version: bigint; position: bigint; replayed: boolean },
  ): SendOutcome => {
    const { personal } = request;
    if (!personal)
      throw new AppError('letter_deleted', 'The letter was deleted and its content erased.');
    return { letterId, ...request, personal, ...place };
  };

  /** The first answer again. @throws AppError idempotency_key_reused, letter_deleted */
  const replay = (
    letterId: string,
    letter: ExistingLetter,
    version: bigint,
    requestHash: string,
  ): SendOutcome => {
    if (letter.erased)
      throw new AppError('letter_deleted', 'The letter was deleted and its content erased.');
    const request = letter.requests.find((one) => one.requestHash === requestHash);
    if (!request) throw keyReused();
    return answer(letterId, request, { version, position: 0n, replayed: true });
  };

  const keep = async (
    letterId: string,
    prepared: Prepared,
    context: SendContext,
    holdReason: 'requested' | 'funds',
  ): Promise<SendOutcome> => {
    const { requestHash } = context;
    const terms = { ...prepared.terms, price: draftPrice(prepared.priced) };
    const { personal } = prepared;
    const command = { type: 'DraftLetter' as const, terms, personal, holdReason, requestHash };
    await files.put(letterId, prepared.files);
    const { state, events, version, position } = await decideLetter(
      letterId,
      context,
      (letter) => draftLetter(letter, command),
      { assumeNew: !context.repeatable },
    );
    if (events.length === 0) {
      return replay(letterId, state as ExistingLetter, version, requestHash);
    }
    const request = {
      requestHash,
      status: 'draft' as const,
      terms,
      personal,
      cancellableUntil: undefined,
      holdReason,
    };
    return answer(letterId, request, { version, position, replayed: false });
  };

  /** Starts to store documents: `done` says how it went, `ended` only that it is over. */
  const storeFiles = (letterId: string, prepared: Prepared) => {
    if (prepared.files.length === 0) return undefined;
    const done = files.put(letterId, prepared.files);
    return { done, ended: done.catch(() => {}) };
  };

  /** Pays for a prepared letter and queues it. */
  const pay = async (
    letterId: string,
    attemptId: string,
    prepared: Prepared,
    context: SendContext,
    options: SendOptions,
    /** The version of the draft that was prepared; `no-stream` decides before reading. */
    expected: bigint | 'no-stream' | undefined,
  ): Promise<SendOutcome> => {
    const { subtotalCents } = prepared.priced.subtotal;
    // The data key and the documents are made durable while the wallet reserves: the event needs all.
    const storing = storeFiles(letterId, prepared);
    const [charge] = await Promise.all([
      reserve(letterId, attemptId, context, subtotalCents, options.maxTotalCents),
      dataKeys.create(letterStream(letterId)),
      storing?.ended,
    ]).catch(async (error: unknown) => {
      await storing?.ended;
      throw error;
    });
    if (storing) await orUndo({ letterId, attemptId }, context, () => storing.done);
    const { permission } = context;
    if (permission) {
      const paid = { ...prepared.terms, letterId, totalCents: totalOf(charge) };
      await orUndo({ letterId, attemptId }, context, () => permission.claim(paid));
    }
    const { personal } = prepared;
    const { requestHash } = context;
    const terms = { ...prepared.terms, price: priceOf(prepared.priced, charge) };
    const magic = context.test && Object.hasOwn(magicNames, personal.to.name.toLowerCase());
    const times = timesOf(terms.sendDate, magic, terms);
    const command = {
      type: 'QueueLetter' as const,
      terms,
      personal,
      attemptId,
      requestHash,
      ...times,
    };
    const queue = (letter: Letter, version: bigint) => {
      if (typeof expected === 'bigint' && letter.status === 'draft' && version !== expected) {
        throw changedMeanwhile();
      }
      return queueLetter(letter, command);
    };
    const outcome = await orUndo({ letterId, attemptId }, context, () =>
      decideLetter(letterId, context, queue, { assumeNew: expected === 'no-stream' }),
    );
    if (outcome.events.length === 0) {
      const letter = outcome.state as ExistingLetter;
      if (!letter.attempts.includes(attemptId)) await undo({ letterId, attemptId }, context);
      return replay(letterId, letter, outcome.version, requestHash);
    }
    const { cancellableUntil } = times;
    const request = {
      requestHash,
      status: 'queued' as const,
      terms,
      personal,
      cancellableUntil,
      holdReason: undefined,
    };
    const { version, position } = outcome;
    return answer(letterId, request, { version, position, replayed: false });
  };

  const payOrHold = async (
    letterId: string,
    attemptId: string,
    prepared: Prepared,
    context: SendContext,
    options: SendOptions,
  ): Promise<SendOutcome> => {
    try {
      const expected = context.repeatable ? undefined : ('no-stream' as const);
      return await pay(letterId, attemptId, prepared, context, options, expected);
    } catch (error) {
      if (!options.holdWithoutFunds || !isAppError(error) || error.code !== 'insufficient_funds') {
        throw error;
      }
      return keep(letterId, prepared, context, 'funds');
    }
  };

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

  return {
    /** Checks and prices without sending. */
    async prepare(input: LetterInput, owner: Owner): Promise<Prepared> {
      const now = clock();
      assertSendDate(input.sendDate, now, limits);
      return prepare(input, owner, Date.parse(timesOf(input.sendDate, false).releaseAt));
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
      if (context.repeatable) {
        const { state, version } = await handler.load(letterAggregate, letterId);
        if (state.status !== 'none') return replay(letterId, state, version, context.requestHash);
        abandoned = state.abandoned.length;
      }
      assertSendDate(input.sendDate, clock(), limits);
      const releaseAt = Date.parse(timesOf(input.sendDate, false).releaseAt);
      const owner = { ...context, letterId };
      const prepared = await prepare(input, owner, releaseAt, options.quote);
      assertPermitted(letterId, prepared, context);
      const attemptId = attemptIdOf(context, abandoned);
      const accept = () =>
        options.draft
          ? keep(letterId, prepared, context, 'requested')
          : payOrHold(letterId, attemptId, prepared, context, options);
      return prepared.files.length === 0 ? accept() : discardUnused(prepared, accept);
    },

    /**
     * Sends a draft as it stands, at today's price.
     * @throws AppError letter_not_found, letter_not_sendable, version_mismatch and those of send
     */
    async sendDraft(
      letterId: string,
      options: SendOptions,
      context: SendContext,
    ): Promise<SendOutcome> {
      const { state, version } = await handler.load(letterAggregate, letterId);
      const letter = ownLetter(state, context.accountId);
      const repeated = letter.requests.some((one) => one.requestHash === context.requestHash);
      if (repeated) return replay(letterId, letter, version, context.requestHash);
      if (letter.status !== 'draft') {
        throw new AppError(
          'letter_not_sendable',
          `The letter is ${letter.status}; only a draft can be sent.`,
        );
      }
      const content = await contentOf(letterId, letter);
      const sendDate = stillAhead(letter.terms.sendDate, clock());
      const input = { ...inputOf(letter, content), sendDate };
      const releaseAt = Date.parse(timesOf(sendDate, false).releaseAt);
      const owner = { ...context, letterId };
      const prepared = await prepare(input, owner, releaseAt, options.quote, letter);
      assertPermitted(letterId, prepared, context);
      const attemptId = attemptIdOf(context, version);
      return pay(letterId, attemptId, prepared, context, options, version);
    },

    /**
     * Changes recipient, reference or metadata; settles the difference in price.
     * @throws AppError letter_not_found, letter_not_updatable, version_mismatch and those of send
     */
    async update(
      letterId: string,
      changes: LetterChanges,
      context: SendContext,
      ifMatch: bigint | undefined,
    ): Promise<{ version: bigint; position: bigint }> {
      const { state, version } = await handler.load(letterAggregate, letterId);
      const letter = ownLetter(state, context.accountId);
      assertVersion(ifMatch, version);
      // Refuses before anything is checked or reserved, if the letter cannot be changed at all.
      updateLetter(letter, {
        type: 'UpdateLetter',
        terms: letter.terms,
        personal: letter.personal,
        changed: [],
      });
      context.permission?.assertAllows({ ...letter.terms, letterId });
      const input = mergeChanges(letter, await contentOf(letterId, letter), changes);
      const releaseAt = Date.parse(letter.releaseAt ?? timesOf(input.sendDate, false).releaseAt);
      const owner = { ...context, letterId };
      const prepared = await prepare(input, owner, releaseAt, undefined, letter);
      assertPermitted(letterId, prepared, context);
      const changed = changedFields(letter, prepared);
      if (changed.length === 0) return { version, position: 0n };
      const attemptId = attemptIdOf(context, version);
      const { charge, reserved } = await settleDifference(
        letterId,
        letter,
        prepared,
        attemptId,
        context,
      );
      const terms = { ...prepared.terms, price: priceOf(prepared.priced, charge) };
      const command = {
        type: 'UpdateLetter' as const,
        terms,
        personal: prepared.personal,
        changed,
        ...(reserved ? { attemptId } : {}),
      };
      const store = () =>
        decideLetter(
          letterId,
          context,
          (current, at) => {
            assertVersion(ifMatch, at);
            if (at !== version) throw changedMeanwhile();
            return updateLetter(current, command);
          },
          { assumeNew: false },
        );
      return reserved ? orUndo({ letterId, attemptId }, context, store) : store();
    },
  };
};

/** A send date that has passed while the letter was a draft counts no more. */
const stillAhead = (sendDate: string | undefined, now: number): string | undefined =>
  sendDate !== undefined && sendDate >= toTimestamp(now).slice(0, 10) ? sendDate : undefined;

/** @throws AppError version_mismatch */
export const assertVersion = (ifMatch: bigint | undefined, actual: bigint): void => {
  if (ifMatch === undefined || ifMatch === actual) return;
  throw new AppError(
    'version_mismatch',
    `The letter is at version ${actual}, not ${ifMatch}; read it again and repeat the change.`,
  );
};

/** Another country has other services. An intent that the service did not meet was not asked for. */
const elsewhere = ({ service, intent, to }: LetterInput): Partial<LetterInput> => {
  const met = service && intent && servicesFor(intent, to.country).includes(service);
  return { service: undefined, intent: met ? intent : undefined };
};

const mergeChanges = (
  letter: ExistingLetter & { personal: LetterPersonal },
  content: LetterContent,
  changes: LetterChanges,
): LetterInput => {
  const before = inputOf(letter, content);
  const to = { ...before.to, ...changes.to };
  // A new place does not keep what was derived from the old one.
  if (changes.to.postalCode !== undefined && changes.to.state === undefined) delete to.state;
  const moved = to.country !== before.to.country;
  return {
    ...before,
    to,
    ...(moved ? elsewhere(before) : {}),
    reference:
      changes.reference === undefined ? before.reference : (changes.reference ?? undefined),
    metadata: changes.metadata === undefined ? before.metadata : (changes.metadata ?? undefined),
    // An address that was accepted as it is stays so while it does not change.
    acceptAddressAsIs: changes.acceptAddressAsIs || Object.keys(changes.to).length === 0,
  };
};

/** Names of what differs; empty when the letter stays as it is. */
const changedFields = (
  letter: ExistingLetter & { personal: LetterPersonal },
  prepared: Prepared,
): string[] =>
  (['to', 'reference', 'metadata'] as const).filter(
    (name) => JSON.stringify(letter.personal[name]) !== JSON.stringify(prepared.personal[name]),
  );
