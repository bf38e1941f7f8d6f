/**
 * Sending a letter, over two streams without a common transaction: the wallet reserves the price
 * (`FundsReserved`), then the letter is queued (`LetterQueued`). Each step is safe to repeat under the
 * same attempt; what a crash leaves between them is finished or undone by reactors/settle-wallets.ts.
 */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { type Clock, toTimestamp } from '../contract/clock.ts';
import { AppError, isAppError } from '../contract/errors.ts';
import type { Limits } from '../contract/limits.ts';
import { uuidv5 } from '../contract/uuid.ts';
import type { DataKeys } from '../events/data-keys.ts';
import { DuplicateEventId } from '../events/event-store.ts';
import {
  type LetterCharge,
  type LetterEvent,
  type LetterPersonal,
  type LetterPrice,
  type LetterTerms,
  letterStream,
} from '../events/letter.ts';
import { expectedDelivery, handoverDate } from '../postal/delivery-window.ts';
import type { FontMetrics } from '../postal/line-breaker.ts';
import { type Charge, reduceCharge, splitCharge } from '../postal/pricing.ts';
import { assertAddressesFit, checkAddresses, checkContent } from './check-letter.ts';
import { abandonAttempt } from './consequences.ts';
import type { CommandContext } from './fold.ts';
import type { CommandHandler } from './handle.ts';
import {
  draftLetter,
  type ExistingLetter,
  type Letter,
  letterAggregate,
  queueLetter,
  type SendRequest,
  updateLetter,
} from './letter.ts';
import type { LetterInput } from './letter-input.ts';
import { type PricedLetter, priceLetter } from './price-letter.ts';
import type { Quote } from './quote.ts';
import { chargeOfAttempt, reserveFunds, walletAggregate } from './wallet.ts';

export type SendPorts = {
  handler: CommandHandler;
  dataKeys: DataKeys;
  clock: Clock;
  metrics: FontMetrics;
  limits: Limits;
  cancellationWindowMs: number;
  /** Keyed digest under which a personal value is found again. */
  indexOf: (kind: string, value: string) => string;
};

/** Who sends, and how the request is told from others. */
export type SendContext = CommandContext & {
  accountId: string;
  test: boolean;
  /** Keyed digest of the request, to tell a repetition from another request under the same key. */
  requestHash: string;
  /** Whether the caller may be repeating itself (it sent an Idempotency-Key). */
  repeatable: boolean;
};

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

/** A letter that was checked and priced, before it is paid. */
type Prepared = {
  terms: Omit<LetterTerms, 'price'>;
  personal: LetterPersonal;
  priced: PricedLetter;
};

/** Recipient names that make a test letter go its way by itself. */
export const magicNames: Record<string, 'returned' | 'undeliverable' | 'print_failure'> = {
  'test returned': 'returned',
  'test undeliverable': 'undeliverable',
  'test print failure': 'print_failure',
};

export const letterIdOf = (commandId: string): string => uuidv5(commandId, 'letter');

const toCents = (charge: Charge): LetterCharge => ({
  subtotalCryptoCents: Number(charge.subtotalCryptoCents),
  commissionCryptoCents: Number(charge.commissionCryptoCents),
  subtotalFiatCents: Number(charge.subtotalFiatCents),
  commissionFiatCents: Number(charge.commissionFiatCents),
});

const fromCents = (charge: LetterCharge): Charge => ({
  subtotalCryptoCents: BigInt(charge.subtotalCryptoCents),
  commissionCryptoCents: BigInt(charge.commissionCryptoCents),
  subtotalFiatCents: BigInt(charge.subtotalFiatCents),
  commissionFiatCents: BigInt(charge.commissionFiatCents),
});

const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b);

/**
 * The charge after the price fell. Commission that was rounded in parts may be less than commission
 * on their sum: never more of it than was taken, since only what is held can be settled.
 */
const lowerCharge = (before: Charge, subtotalCents: bigint): Charge => {
  const after = reduceCharge(before, subtotalCents);
  const { commissionCryptoCents, commissionFiatCents } = before;
  return {
    ...after,
    commissionCryptoCents: smaller(after.commissionCryptoCents, commissionCryptoCents),
    commissionFiatCents: smaller(after.commissionFiatCents, commissionFiatCents),
  };
};

const sumCharges = (a: Charge, b: Charge): Charge => ({
  subtotalCryptoCents: a.subtotalCryptoCents + b.subtotalCryptoCents,
  commissionCryptoCents: a.commissionCryptoCents + b.commissionCryptoCents,
  subtotalFiatCents: a.subtotalFiatCents + b.subtotalFiatCents,
  commissionFiatCents: a.commissionFiatCents + b.commissionFiatCents,
});

/** The price as the event keeps it. */
const priceOf = (priced: PricedLetter, charge: Charge): LetterPrice => {
  const { postageCents, printCents, surchargeCents, local, pricingVersion } = priced.subtotal;
  return {
    postageCents: Number(postageCents),
    printCents: Number(printCents),
    surchargeCents: Number(surchargeCents),
    charge: toCents(charge),
    pricingVersion,
    local: { currency: local.currency, postageCents: Number(local.postageCents), rate: local.rate },
  };
};

/** A draft is priced as if it were paid from fiat; what it costs is decided when it is sent. */
const draftPrice = (priced: PricedLetter): LetterPrice =>
  priceOf(priced, splitCharge(priced.subtotal.subtotalCents, 0n));

/** @throws AppError validation_failed for a day that has passed or is too far ahead */
export const assertSendDate = (sendDate: string | undefined, now: number, limits: Limits): void => {
  if (sendDate === undefined) return;
  const today = toTimestamp(now).slice(0, 10);
  const days = (Date.parse(sendDate) - Date.parse(today)) / 86_400_000;
  if (days >= 0 && days <= limits.sendDateDays) return;
  const detail = `send_date ${sendDate} must be between ${today} and ${limits.sendDateDays} days later.`;
  throw new AppError('validation_failed', detail, {
    errors: [{ pointer: '/send_date', code: 'out_of_range', detail }],
  });
};

const assertQuoteFits = (quote: Quote, priced: PricedLetter, input: LetterInput): void => {
  const differences = [
    quote.country !== input.to.country && 'to_country',
    quote.service !== priced.service && 'service',
    quote.intent !== priced.intent && 'intent',
    quote.pages !== priced.pages && 'pages',
    quote.color !== input.color && 'color',
    quote.duplex !== input.duplex && 'duplex',
  ].filter((name) => name !== false);
  if (differences.length === 0) return;
  const detail = `The quote is for another letter (${differences.join(', ')} differ); ask for a new quote.`;
  throw new AppError('quote_mismatch', detail, {
    errors: differences.map((name) => ({ pointer: `/${name}`, code: 'quote_mismatch', detail })),
  });
};

const keyReused = (): AppError =>
  new AppError(
    'idempotency_key_reused',
    'This Idempotency-Key was used for another request; use a new key for a new request.',
  );

const changedMeanwhile = (): AppError =>
  new AppError('conflict', 'The letter changed meanwhile; read it and try again.');

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

const inputOf = (letter: ExistingLetter & { personal: LetterPersonal }): LetterInput => {
  const { terms, personal } = letter;
  const { to, from, content = '', reference, metadata } = personal;
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

/** An undo is a command of its own: its events must not carry the ids of what it undoes. */
const undoing = (context: SendContext): CommandContext => ({
  commandId: randomUUID(),
  actor: context.actor,
});

export type SendLetterService = ReturnType<typeof createSendLetter>;

export const createSendLetter = (ports: SendPorts) => {
  const { handler, dataKeys, clock, metrics, limits, indexOf } = ports;

  const timesOf = (sendDate: string | undefined, magic: boolean) => {
    const now = clock();
    const until = now + ports.cancellationWindowMs;
    const sendAt = sendDate === undefined ? 0 : Date.parse(`${sendDate}T00:00:00Z`);
    const release = Math.max(until, sendAt);
    return {
      cancellableUntil: toTimestamp(release),
      releaseAt: toTimestamp(magic ? now : release),
    };
  };

  const hashesOf = ({ reference, metadata }: LetterInput) => {
    const pairs = Object.entries(metadata ?? {});
    return {
      ...(reference === undefined ? {} : { referenceHash: indexOf('reference', reference) }),
      ...(pairs.length === 0
        ? {}
        : { metadataHashes: pairs.map(([key, value]) => indexOf('metadata', `${key}\n${value}`)) }),
    };
  };

  /** Checks and prices a letter: whatever can be found wrong is found here, before money is touched. */
  const prepare = (
    input: LetterInput,
    owner: { accountId: string; test: boolean },
    releaseAt: number,
    quote?: Quote,
  ): Prepared => {
    const { to, from, warnings } = checkAddresses(input, input.acceptAddressAsIs);
    const content = checkContent(input.content, metrics, limits);
    const { color, duplex, reference, metadata, sendDate } = input;
    const { country } = to;
    const on = handoverDate(country, releaseAt);
    const service = input.service ?? quote?.service;
    const intent = input.intent ?? quote?.intent;
    const request = { country, service, intent, color, duplex, on, content };
    const priced = priceLetter(request, { metrics, limits });
    if (quote) assertQuoteFits(quote, priced, input);
    assertAddressesFit({ to, from, ...priced }, metrics);
    const salt = randomBytes(16).toString('base64url');
    return {
      priced: quote ? { ...priced, subtotal: quote.subtotal } : priced,
      terms: {
        accountId: owner.accountId,
        test: owner.test,
        service: priced.service,
        intent: priced.intent,
        country,
        pages: priced.pages,
        sheets: priced.sheets,
        color,
        duplex,
        envelope: priced.envelope,
        commitment: createHash('sha256').update(salt).update(content).digest('base64url'),
        expectedDelivery: expectedDelivery({ service: priced.service, releaseAt }),
        ...(sendDate === undefined ? {} : { sendDate }),
        ...hashesOf(input),
      },
      personal: {
        to,
        from,
        content,
        salt,
        warnings,
        ...(reference === undefined ? {} : { reference }),
        ...(metadata === undefined ? {} : { metadata }),
      },
    };
  };

  /**
   * Names an attempt to pay. Another request under the same key is another attempt: it must not be
   * covered by what this one reserved.
   */
  const attemptIdOf = (context: SendContext, turn: number | bigint): string =>
    uuidv5(context.commandId, `attempt:${turn}:${context.requestHash}`);

  /** Holds money for the letter under this attempt; the same attempt again holds nothing more. */
  const reserve = async (
    letterId: string,
    attemptId: string,
    context: SendContext,
    subtotalCents: bigint,
    maxTotalCents?: bigint,
  ): Promise<Charge> => {
    const command = {
      type: 'ReserveFunds' as const,
      letterId,
      attemptId,
      subtotalCents,
      maxTotalCents,
    };
    // Each attempt is a command of its own, so that one after an abandoned one has its own event ids.
    const { state } = await handler
      .handle(
        walletAggregate,
        context.accountId,
        { commandId: attemptId, actor: context.actor },
        (wallet) => reserveFunds(wallet, command),
      )
      .catch((error: unknown) => {
        // It was reserved before, and undone since.
        throw error instanceof DuplicateEventId ? changedMeanwhile() : error;
      });
    const charge = chargeOfAttempt(state, letterId, attemptId);
    if (!charge) throw changedMeanwhile();
    if (charge.subtotalCryptoCents + charge.subtotalFiatCents !== subtotalCents) {
      await undo({ letterId, attemptId }, context);
      throw new AppError('conflict', 'The price changed since the first try; try again.');
    }
    return charge;
  };

  /** Best effort: what fails here is done by reactors/settle-wallets.ts. */
  const undo = (
    attempt: { letterId: string; attemptId: string },
    context: SendContext,
  ): Promise<void> =>
    abandonAttempt(ports, { ...attempt, accountId: context.accountId }, undoing(context)).catch(
      () => {},
    );

  /** Gives the money back at once when a paid step is refused; after a crash a reactor does. */
  const orUndo = async <T>(
    attempt: { letterId: string; attemptId: string },
    context: SendContext,
    step: () => Promise<T>,
  ): Promise<T> => {
    try {
      return await step();
    } catch (error) {
      if (isAppError(error)) await undo(attempt, context);
      throw error;
    }
  };

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
    // The data key is made durable while the wallet reserves: the next event needs both.
    const [charge] = await Promise.all([
      reserve(letterId, attemptId, context, subtotalCents, options.maxTotalCents),
      dataKeys.create(letterStream(letterId)),
    ]);
    const { personal } = prepared;
    const { requestHash } = context;
    const terms = { ...prepared.terms, price: priceOf(prepared.priced, charge) };
    const magic = context.test && Object.hasOwn(magicNames, personal.to.name.toLowerCase());
    const times = timesOf(terms.sendDate, magic);
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

  return {
    /** Checks and prices without sending. */
    prepare(input: LetterInput, owner: { accountId: string; test: boolean }): Prepared {
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
      const prepared = prepare(input, context, releaseAt, options.quote);
      if (options.draft) return keep(letterId, prepared, context, 'requested');
      const attemptId = attemptIdOf(context, abandoned);
      return payOrHold(letterId, attemptId, prepared, context, options);
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
      const input = { ...inputOf(letter), sendDate: stillAhead(letter.terms.sendDate, clock()) };
      const releaseAt = Date.parse(timesOf(input.sendDate, false).releaseAt);
      const prepared = prepare(input, context, releaseAt, options.quote);
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
      const input = mergeChanges(letter, changes);
      const releaseAt = Date.parse(letter.releaseAt ?? timesOf(input.sendDate, false).releaseAt);
      const prepared = prepare(input, context, releaseAt);
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

  /** Reserves what a change costs more; what it costs less is released once the change is stored. */
  async function settleDifference(
    letterId: string,
    letter: ExistingLetter,
    prepared: Prepared,
    attemptId: string,
    context: SendContext,
  ): Promise<{ charge: Charge; reserved: boolean }> {
    const { subtotalCents } = prepared.priced.subtotal;
    if (letter.status === 'draft')
      return { charge: splitCharge(subtotalCents, 0n), reserved: false };
    const before = fromCents(letter.terms.price.charge);
    const difference = subtotalCents - before.subtotalCryptoCents - before.subtotalFiatCents;
    if (difference <= 0n) return { charge: lowerCharge(before, subtotalCents), reserved: false };
    const more = await reserve(letterId, attemptId, context, difference);
    return { charge: sumCharges(before, more), reserved: true };
  }
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

const mergeChanges = (
  letter: ExistingLetter & { personal: LetterPersonal },
  changes: LetterChanges,
): LetterInput => {
  const before = inputOf(letter);
  const to = { ...before.to, ...changes.to };
  // A new place does not keep what was derived from the old one.
  if (changes.to.postalCode !== undefined && changes.to.state === undefined) delete to.state;
  const moved = to.country !== before.to.country;
  return {
    ...before,
    to,
    service: moved ? undefined : before.service,
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
