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
import { formatAddressLines } from '../postal/addresses/index.ts';
import { expectedDelivery, handoverDate } from '../postal/delivery-window.ts';
import type { FontMetrics } from '../postal/line-breaker.ts';
import type { Envelope } from '../postal/paper.ts';
import { type Charge, reduceCharge, splitCharge } from '../postal/pricing.ts';
import { services } from '../postal/services.ts';
import type { Address, ServiceId } from '../postal/types.ts';
import { createDocumentCheck, type LetterDocument, loadDocument } from './check-document.ts';
import { assertAddressesFit, checkAddresses, checkText, type Warning } from './check-letter.ts';
import { abandonAttempt } from './consequences.ts';
import type { Documents } from './documents.ts';
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
import { inlineBytes, type LetterFile, type LetterFiles } from './letter-files.ts';
import type { LetterContent, LetterInput, PriceRequest } from './letter-input.ts';
import { type PricedLetter, priceLetter } from './price-letter.ts';
import type { Quote } from './quote.ts';
import { chargeOfAttempt, reserveFunds, walletAggregate } from './wallet.ts';

export type SendPorts = {
  handler: CommandHandler;
  dataKeys: DataKeys;
  clock: Clock;
  metrics: FontMetrics;
  documents: Documents;
  files: LetterFiles;
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
  /** Documents to store before the letter's event. */
  files: LetterFile[];
};

type Owner = { letterId: string; accountId: string; test: boolean };

/** The document of a letter that exists: it stays as it was accepted. */
type KeptDocument = { terms: LetterTerms; personal: LetterPersonal };

/** Where a letter's document is said to be. */
type Filed = {
  terms: Pick<LetterTerms, 'commitment' | 'kind' | 'coverPage' | 'blobs'>;
  personal: Pick<LetterPersonal, 'salt' | 'content' | 'contentBlob' | 'originalBlob'>;
  files: LetterFile[];
};

type Printable = { kind: 'text'; text: string } | LetterDocument;

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

const isAboutDocument = ({ pointer, code }: Warning): boolean =>
  pointer === '/document_url' || code === 'html_removed';

/** What was said about a document when it was accepted. */
const documentWarnings = ({ personal }: KeptDocument): Warning[] =>
  personal.warnings.filter(isAboutDocument);

const filedAsBefore = ({ terms, personal }: KeptDocument): Filed => {
  const { commitment, kind, coverPage, blobs } = terms;
  const { salt, content, contentBlob, originalBlob } = personal;
  return {
    terms: {
      commitment,
      ...(kind === undefined ? {} : { kind }),
      ...(coverPage === undefined ? {} : { coverPage }),
      ...(blobs === undefined ? {} : { blobs }),
    },
    personal: {
      salt,
      ...(content === undefined ? {} : { content }),
      ...(contentBlob === undefined ? {} : { contentBlob }),
      ...(originalBlob === undefined ? {} : { originalBlob }),
    },
    files: [],
  };
};

const givenBy = (content: Printable): string | Buffer => {
  if (content.kind === 'pdf') return content.pdf;
  return content.kind === 'html' ? content.html : content.text;
};

/** Decides where the document goes. The commitment is to what the sender gave, fixed or not. */
const fileLetter = (
  letterId: string,
  content: Printable,
  checked: { fixed?: Buffer; coverPage: boolean } | undefined,
): Filed => {
  const given = givenBy(content);
  const salt = randomBytes(16).toString('base64url');
  const commitment = createHash('sha256').update(salt).update(given).digest('base64url');
  const kind = content.kind === 'text' ? {} : { kind: content.kind };
  if (typeof given === 'string' && Buffer.byteLength(given) <= inlineBytes) {
    return { terms: { commitment, ...kind }, personal: { salt, content: given }, files: [] };
  }
  const bytes = Buffer.from(given);
  const fileOf = (file: Buffer): LetterFile => ({
    key: `${letterId}-${randomUUID()}`,
    bytes: file,
  });
  const printed = fileOf(checked?.fixed ?? bytes);
  const original = checked?.fixed === undefined ? undefined : fileOf(bytes);
  const files = original ? [printed, original] : [printed];
  return {
    terms: {
      commitment,
      ...kind,
      ...(checked?.coverPage ? { coverPage: true } : {}),
      blobs: files.map(({ key }) => key),
    },
    personal: {
      salt,
      contentBlob: printed.key,
      ...(original ? { originalBlob: original.key } : {}),
    },
    files,
  };
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
  const { handler, dataKeys, clock, metrics, limits, indexOf, files } = ports;

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

  /** What prices the letter, and what is to be said about its document once it is priced. */
  const pricingOf = (
    content: Printable,
    input: LetterInput,
    { to, from }: { to: Address; from: Address },
  ) => {
    if (content.kind === 'text') return { source: { text: content.text } };
    const check = createDocumentCheck(
      content,
      {
        country: to.country,
        from: formatAddressLines(from, { international: from.country !== to.country }),
        to: formatAddressLines(to),
        reference: input.reference,
        autoFix: input.autoFix,
      },
      ports,
    );
    const count = async (service: ServiceId, envelope: Envelope | undefined) => {
      const place = { service, envelope: envelope ?? services[service].envelope };
      assertAddressesFit({ to, from, ...place }, metrics);
      return (await check.on(service, envelope)).pages;
    };
    return { source: { count }, check };
  };

  /**
   * Checks and prices a letter: whatever can be found wrong is found here, before money is touched.
   * `kept` is the letter whose document this is, when it has one already.
   */
  const prepare = async (
    input: LetterInput,
    owner: Owner,
    releaseAt: number,
    quote?: Quote,
    kept?: KeptDocument,
  ): Promise<Prepared> => {
    const { to, from, warnings } = checkAddresses(input, input.acceptAddressAsIs);
    const content: Printable =
      input.content.kind === 'text'
        ? { kind: 'text', text: checkText(input.content.text, metrics, limits) }
        : await loadDocument(input.content, ports);
    const { color, duplex, reference, metadata, sendDate } = input;
    const { country } = to;
    const on = handoverDate(country, releaseAt);
    const service = input.service ?? quote?.service;
    const intent = input.intent ?? quote?.intent;
    const { source, check } = pricingOf(content, input, { to, from });
    const request: PriceRequest = { country, service, intent, color, duplex, on, ...source };
    const priced = await priceLetter(request, { metrics, limits });
    if (quote) assertQuoteFits(quote, priced, input);
    assertAddressesFit({ to, from, ...priced }, metrics);
    const checked = await check?.on(priced.service, priced.envelope as Envelope);
    const filed = kept ? filedAsBefore(kept) : fileLetter(owner.letterId, content, checked);
    const aboutDocument = kept ? documentWarnings(kept) : (checked?.warnings ?? []);
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
        expectedDelivery: expectedDelivery({ service: priced.service, releaseAt }),
        ...filed.terms,
        ...(sendDate === undefined ? {} : { sendDate }),
        ...hashesOf(input),
      },
      personal: {
        to,
        from,
        ...filed.personal,
        warnings: [...warnings, ...aboutDocument],
        ...(reference === undefined ? {} : { reference }),
        ...(metadata === undefined ? {} : { metadata }),
      },
      files: filed.files,
    };
  };

  /** The content of a letter that exists, for another check of it. */
  const contentOf = async (
    letterId: string,
    { terms, personal }: KeptDocument,
  ): Promise<LetterContent> => {
    const { content, contentBlob } = personal;
    const stored = contentBlob === undefined ? undefined : await files.get(letterId, contentBlob);
    if (terms.kind === 'pdf') return { kind: 'pdf', source: stored ?? Buffer.alloc(0) };
    const text = stored?.toString('utf8') ?? content ?? '';
    return terms.kind === 'html' ? { kind: 'html', html: text } : { kind: 'text', text };
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
      const input = mergeChanges(letter, await contentOf(letterId, letter), changes);
      const releaseAt = Date.parse(letter.releaseAt ?? timesOf(input.sendDate, false).releaseAt);
      const owner = { ...context, letterId };
      const prepared = await prepare(input, owner, releaseAt, undefined, letter);
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
