import Type from 'typebox';
import { looksLikeHtml } from '../commands/check-letter.ts';
import type { CommandContext } from '../commands/fold.ts';
import {
  cancelLetter,
  eraseLetter,
  type Letter,
  letterAggregate,
  type ReportProgress,
  reportProgress,
  startProduction,
} from '../commands/letter.ts';
import type { LetterContent, LetterInput } from '../commands/letter-input.ts';
import { assertVersion, type LetterChanges, type SendOptions } from '../commands/send-letter.ts';
import { AppError, type FieldError } from '../contract/errors.ts';
import { liveFlow } from '../contract/letter-status.ts';
import { numberToCents } from '../contract/money.ts';
import { type AnyOperation, type Caller, operation } from '../contract/operation.ts';
import { services } from '../postal/services.ts';
import { simulatedTrackingNumber } from '../postal/tracking-numbers.ts';
import type { Address, CountryCode, ServiceId } from '../postal/types.ts';
import { LetterId, OneOf } from '../presenters/common.ts';
import { LetterDetail, presentLetter, presentSent, SentLetter } from '../presenters/letter.ts';
import { commandOf, freshness, sendContextOf, type WriteContext } from './context.ts';
import { exampleLetter, SendBody, UpdateBody } from './letter-schemas.ts';

const LetterParams = Type.Object({ id: LetterId });

const addressOf = (body: SendBody, prefix: 'to' | 'from'): Address => ({
  name: body[`${prefix}_name`] ?? '',
  line1: body[`${prefix}_line1`] ?? '',
  city: body[`${prefix}_city`] ?? '',
  postalCode: body[`${prefix}_postal_code`] ?? '',
  country: body[`${prefix}_country`] as CountryCode,
  ...(body[`${prefix}_company`] === undefined ? {} : { company: body[`${prefix}_company`] }),
  ...(body[`${prefix}_line2`] === undefined ? {} : { line2: body[`${prefix}_line2`] }),
  ...(body[`${prefix}_state`] === undefined ? {} : { state: body[`${prefix}_state`] }),
});

const invalid = (error: FieldError): AppError =>
  new AppError('validation_failed', error.detail, { errors: [error] });

/** What is printed: exactly one of content and document_url. @throws AppError validation_failed */
export const contentOf = (body: SendBody): LetterContent => {
  if (body.content !== undefined && body.document_url !== undefined) {
    throw invalid({
      pointer: '/document_url',
      code: 'one_of',
      detail: 'Send content or document_url, not both.',
    });
  }
  if (body.document_url !== undefined) {
    return { kind: 'pdf', source: body.document_url };
  }
  if (body.content === undefined) {
    throw invalid({
      pointer: '/content',
      code: 'required',
      detail: 'content is missing: send the text or HTML to print, or the document_url of a PDF.',
    });
  }
  const { content } = body;
  return looksLikeHtml(content) ? { kind: 'html', html: content } : { kind: 'text', text: content };
};

export const inputOf = (body: SendBody, content: LetterContent): LetterInput => ({
  to: addressOf(body, 'to'),
  from: addressOf(body, 'from'),
  content,
  service: body.service,
  intent: body.intent,
  color: body.color ?? false,
  duplex: body.duplex ?? true,
  sendDate: body.send_date,
  reference: body.reference,
  metadata: body.metadata,
  autoFix: body.auto_fix ?? false,
  acceptAddressAsIs: body.accept_address_as_is ?? false,
});

/** @throws AppError validation_failed for a fraction of a cent that the schema let pass */
const maxCentsOf = (maxTotal: number): bigint => {
  const cents = numberToCents(maxTotal);
  if (cents !== undefined) return cents;
  const detail = 'max_total must be a whole number of cents.';
  throw invalid({ pointer: '/max_total', code: 'out_of_range', detail });
};

const sendOptionsOf = (context: WriteContext, body: SendBody, accountId: string): SendOptions => ({
  quote:
    body.quote_id === undefined
      ? undefined
      : context.quotes.read(body.quote_id, accountId, new Date(context.clock()).toISOString()),
  maxTotalCents: body.max_total === undefined ? undefined : maxCentsOf(body.max_total),
  draft: body.draft ?? false,
  holdWithoutFunds: body.hold_without_funds ?? false,
});

/** Only these go with `letter_id`: the rest of the letter is in the draft. */
const draftFields = new Set(['letter_id', 'quote_id', 'max_total']);

const assertOnlyDraftFields = (body: SendBody): void => {
  const extra = Object.keys(body).filter((name) => !draftFields.has(name));
  if (extra.length === 0) return;
  const detail = `${extra.join(', ')} cannot be given with letter_id: change the draft first (PATCH /api/letters/{id}).`;
  throw new AppError('validation_failed', detail, {
    errors: extra.map((name) => ({ pointer: `/${name}`, code: 'not_with_letter_id', detail })),
  });
};

const sendErrors = [
  'insufficient_funds',
  'max_total_exceeded',
  'address_invalid',
  'service_not_available',
  'content_not_printable',
  'document_not_supported',
  'too_many_pages',
  'quote_invalid',
  'quote_expired',
  'quote_mismatch',
  'idempotency_key_reused',
  'idempotency_in_progress',
  'conflict',
  'letter_deleted',
  'exchange_rate_stale',
  'body_too_large',
  'event_too_large',
  'overloaded',
] as const;

/** A change as the caller wrote it: null removes, absent leaves. */
const changesOf = (body: UpdateBody): LetterChanges => {
  const { to_name, to_line1, to_city, to_postal_code, to_country, to_company, to_line2, to_state } =
    body;
  const given = {
    name: to_name,
    line1: to_line1,
    city: to_city,
    postalCode: to_postal_code,
    country: to_country,
    company: to_company,
    line2: to_line2,
    state: to_state,
  };
  const to = Object.fromEntries(
    Object.entries(given)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, value === null ? undefined : value]),
  );
  return {
    to,
    reference: body.reference,
    metadata: body.metadata,
    acceptAddressAsIs: body.accept_address_as_is ?? false,
  };
};

const notYours = (): AppError =>
  new AppError('letter_not_found', 'There is no letter with this id in your account.');

const erased = (): AppError =>
  new AppError('letter_deleted', 'The letter was deleted and its content erased.');

type FoundLetter = NonNullable<Awaited<ReturnType<WriteContext['readLetter']>>>;

const shown = ({ record, personal }: FoundLetter) => ({
  version: record.version,
  body: presentLetter(record, personal, { content: true }),
  record,
});

/** @throws AppError letter_not_found for another account's letter, version_mismatch */
const assertOwn = (
  letter: Letter,
  accountId: string,
  ifMatch: bigint | undefined,
  version: bigint,
): void => {
  if (letter.status === 'none' || letter.terms.accountId !== accountId) throw notYours();
  assertVersion(ifMatch, version);
};

export const letterOperations = (context: WriteContext): AnyOperation[] => {
  const { handler, letters } = context;

  /** The letter after a change, read from its stream: never older than the change. */
  const current = async (letterId: string) => {
    const found = await context.readLetter(letterId);
    if (!found) throw notYours();
    return shown(found);
  };

  const cancelAnswer = ({ record, ...answer }: Awaited<ReturnType<typeof current>>) => ({
    ...answer,
    status: record.status === 'cancelled' ? 200 : 202,
  });

  /** What was answered to a cancellation that changed the letter. @throws AppError letter_deleted */
  const cancelledBy = async (letterId: string, { commandId }: CommandContext, caller: Caller) => {
    const found = await context.readLetter(letterId, commandId);
    if (!found || found.record.accountId !== caller.accountId) return undefined;
    if (!found.personal) throw erased();
    return cancelAnswer(shown(found));
  };

  const sendLetter = operation({
    name: 'send_letter',
    method: 'POST',
    path: '/api/send',
    tag: 'Letters',
    summary: 'Send a letter',
    description:
      'Checks, prices, pays and queues a letter. 201 means valid, printable and paid. It is printed after the cancellation window, or on `send_date`. With `draft` it is only kept; a draft is sent by its `letter_id`.',
    access: 'send',
    payable: true,
    idempotent: true,
    input: { body: SendBody },
    responses: { 201: { description: 'Queued, or kept as a draft', schema: SentLetter } },
    errors: ['letter_not_found', 'letter_not_sendable', ...sendErrors],
    examples: [
      { summary: 'A letter to Germany', body: exampleLetter },
      {
        summary: 'A draft, now sent',
        body: { letter_id: '6f1c2f6e-6d0c-4f3c-9d0f-0d1c2b3a4f5e', max_total: 5 },
      },
    ],
    async handle(request) {
      const { body, caller } = request;
      const asked = { name: 'send_letter', request };
      const command = sendContextOf(context, commandOf(asked), asked);
      const options = sendOptionsOf(context, body, caller.accountId);
      if (body.letter_id !== undefined) assertOnlyDraftFields(body);
      const sent =
        body.letter_id === undefined
          ? await letters.send(inputOf(body, contentOf(body)), options, command)
          : await letters.sendDraft(body.letter_id, options, command);
      const caughtUp = await context.waitFor(['letters', 'wallets'], sent.position);
      return {
        status: 201,
        body: presentSent(sent),
        headers: freshness(caughtUp),
        version: sent.version,
        position: sent.position,
        replayed: sent.replayed,
      };
    },
  });

  const updateLetter = operation({
    name: 'update_letter',
    method: 'PATCH',
    path: '/api/letters/{id}',
    tag: 'Letters',
    summary: 'Change recipient, reference or metadata',
    description:
      'While the letter is draft or queued. Runs the checks again and settles the difference in price.',
    access: 'send',
    conditional: true,
    input: { params: LetterParams, body: UpdateBody },
    responses: { 200: { description: 'The letter after the change', schema: LetterDetail } },
    examples: [{ summary: 'Another recipient', body: { to_name: 'Berta Müller' } }],
    errors: [
      'letter_not_found',
      'letter_deleted',
      'letter_not_updatable',
      'version_mismatch',
      ...sendErrors,
    ],
    async handle(request) {
      const { params, body } = request;
      const asked = { name: 'update_letter', request };
      const command = sendContextOf(context, commandOf(asked), asked);
      const { position } = await letters.update(
        params.id,
        changesOf(body),
        command,
        request.ifMatch,
      );
      const settled = await context.settle(params.id, commandOf(asked));
      const last = settled > position ? settled : position;
      const caughtUp = await context.waitFor(['letters', 'wallets', 'notifications'], last);
      return { ...(await current(params.id)), headers: freshness(caughtUp), position: last };
    },
  });

  const cancel = operation({
    name: 'cancel_letter',
    method: 'POST',
    path: '/api/letters/{id}/cancel',
    tag: 'Letters',
    summary: 'Cancel a letter',
    description:
      'Draft and queued: at once, with a full refund. Processing: 202, the print partner is asked to give it back. Cancelling twice gives the same answer and one refund.',
    access: 'send',
    idempotent: true,
    conditional: true,
    input: { params: LetterParams },
    responses: {
      200: { description: 'Cancelled', schema: LetterDetail },
      202: {
        description: 'Asked the print partner; see `cancellation.status`',
        schema: LetterDetail,
      },
    },
    errors: [
      'letter_not_found',
      'letter_deleted',
      'letter_not_cancellable',
      'version_mismatch',
      'idempotency_key_reused',
      'idempotency_in_progress',
      'conflict',
    ],
    async handle(request) {
      const { params, caller } = request;
      const command = commandOf({ name: 'cancel_letter', request });
      const repeated = request.idempotencyKey !== undefined;
      const before = repeated ? await cancelledBy(params.id, command, caller) : undefined;
      if (before) return { ...before, replayed: true };
      const { position } = await handler.handle(
        letterAggregate,
        params.id,
        { ...command, oneStream: true },
        (letter, version) => {
          // Cancelling again is answered as before, whatever version it names.
          const done = letter.status === 'cancelled';
          assertOwn(letter, caller.accountId, done ? undefined : request.ifMatch, version);
          return cancelLetter(letter);
        },
      );
      const settled = await context.settle(
        params.id,
        commandOf({ name: 'settle', request: { ...request, idempotencyKey: undefined } }),
      );
      const last = settled > position ? settled : position;
      const caughtUp = await context.waitFor(['letters', 'wallets', 'notifications'], last);
      const answer =
        (await cancelledBy(params.id, command, caller)) ?? cancelAnswer(await current(params.id));
      return { ...answer, headers: freshness(caughtUp), position: last };
    },
  });

  const deleteLetter = operation({
    name: 'delete_letter',
    method: 'DELETE',
    path: '/api/letters/{id}',
    tag: 'Letters',
    summary: 'Delete a letter',
    description:
      'Of a draft, cancelled or failed letter everything personal is erased; its audit history stays.',
    access: 'send',
    conditional: true,
    input: { params: LetterParams },
    responses: {
      200: {
        description: 'Deleted',
        schema: Type.Object(
          { letter_id: LetterId, deleted: Type.Literal(true) },
          { title: 'DeletedLetter' },
        ),
      },
    },
    errors: ['letter_not_found', 'letter_not_deletable', 'version_mismatch', 'conflict'],
    async handle(request) {
      const { params, caller } = request;
      const command = commandOf({ name: 'delete_letter', request });
      const { position, version } = await handler.handle(
        letterAggregate,
        params.id,
        command,
        (letter, at) => {
          assertOwn(letter, caller.accountId, request.ifMatch, at);
          return eraseLetter(letter, { type: 'EraseLetter', reason: 'deleted' });
        },
      );
      await context.forget(params.id);
      const caughtUp = await context.waitFor(['letters', 'notifications'], position);
      return {
        body: { letter_id: params.id, deleted: true },
        headers: freshness(caughtUp),
        version,
        position,
      };
    },
  });

  return [sendLetter, updateLetter, cancel, deleteLetter, advanceOperation(context, current)];
};

const steps = ['processing', 'posted', 'in_transit', 'delivered'] as const;

/** Moves a test letter: to the next step, to `to`, or through an event that ends its way. */
const advanceOperation = (
  context: WriteContext,
  current: (letterId: string) => Promise<{ version: bigint; body: unknown }>,
): AnyOperation =>
  operation({
    name: 'advance_test_letter',
    method: 'POST',
    path: '/api/test/letters/{id}/advance',
    tag: 'Test mode',
    summary: 'Move a test letter along its way',
    description: 'Without a body: one step. `to`: up to that status. `event`: returned or failed.',
    access: 'send',
    input: {
      params: LetterParams,
      body: Type.Object(
        { to: Type.Optional(OneOf(steps)), event: Type.Optional(OneOf(['returned', 'failed'])) },
        { additionalProperties: false, title: 'AdvanceLetter' },
      ),
    },
    responses: { 200: { description: 'The letter after the step', schema: LetterDetail } },
    errors: ['letter_not_found', 'test_mode_only', 'letter_not_advanceable', 'conflict'],
    async handle(request) {
      const { params, body, caller } = request;
      if (!caller.test) {
        throw new AppError(
          'test_mode_only',
          'Only a test key (svc_test_…) can advance a letter; live letters move when they move.',
        );
      }
      const asked = { name: 'advance_test_letter', request };
      const { position } = await context.handler.handle(
        letterAggregate,
        params.id,
        commandOf(asked),
        (letter, version) => {
          assertOwn(letter, caller.accountId, undefined, version);
          return advance(letter, body, params.id);
        },
      );
      const settled = await context.settle(params.id, commandOf(asked));
      const last = settled > position ? settled : position;
      const caughtUp = await context.waitFor(['letters', 'wallets', 'notifications'], last);
      const { version, body: letter } = await current(params.id);
      return { version, body: letter, headers: freshness(caughtUp), position: last };
    },
  });

type AdvanceBody = { to?: (typeof steps)[number]; event?: 'returned' | 'failed' };

const reportsFor = (
  letter: Letter & { status: string },
  body: AdvanceBody,
  letterId: string,
): ReportProgress[] => {
  const type = 'ReportProgress' as const;
  const source = 'simulator' as const;
  if (body.event === 'returned')
    return [{ type, source, step: 'returned', reason: 'returned_to_sender' }];
  if (body.event === 'failed') {
    const detail = 'The test asked for a failure.';
    return [
      {
        type,
        source,
        step: 'failed',
        code: 'test_failure',
        stage: 'print',
        retryable: false,
        detail,
      },
    ];
  }
  if (letter.status === 'none') return [];
  const at = liveFlow.indexOf(letter.status as (typeof liveFlow)[number]);
  const end = body.to === undefined ? at + 1 : liveFlow.indexOf(body.to);
  const { service } = letter.terms;
  return at < 1 ? [] : liveFlow.slice(at + 1, end + 1).map((to) => stepTo(to, service, letterId));
};

/** The simulator reports every step, so that none is inferred. */
const stepTo = (
  to: (typeof liveFlow)[number],
  serviceId: string,
  letterId: string,
): ReportProgress => {
  const type = 'ReportProgress' as const;
  const source = 'simulator' as const;
  if (to === 'delivered') return { type, source, step: to, evidence: 'simulated' };
  const step = to === 'in_transit' ? to : 'posted';
  const service = services[serviceId as ServiceId];
  if (service.tracking !== 'sync') return { type, source, step };
  const seed = Buffer.from(letterId.replaceAll('-', ''), 'hex');
  return { type, source, step, trackingNumber: simulatedTrackingNumber(service.id, seed) };
};

type LetterEvents = ReturnType<typeof reportProgress>;

const advance = (letter: Letter, body: AdvanceBody, letterId: string): LetterEvents => {
  if (body.to !== undefined && body.event !== undefined) {
    throw invalid({ pointer: '/event', code: 'one_of', detail: 'Send to or event, not both.' });
  }
  const start =
    body.event === 'failed'
      ? []
      : startProduction(letter, {
          type: 'StartProduction',
          partner: 'simulator',
          jobId: letterId,
          source: 'simulator',
        });
  const after = (state: Letter, events: LetterEvents): Letter =>
    events.reduce((folded, event) => letterAggregate.evolve(folded, event, ''), state);
  let state = after(letter, start);
  const onlyStart =
    start.length > 0 && body.event === undefined && (body.to ?? 'processing') === 'processing';
  const events = [...start];
  for (const report of onlyStart ? [] : reportsFor(state, body, letterId)) {
    const reported = reportProgress(state, report);
    events.push(...reported);
    state = after(state, reported);
  }
  if (events.length === 0) {
    const wish = body.event ?? body.to ?? 'the next status';
    throw new AppError(
      'letter_not_advanceable',
      `A letter that is ${letter.status} cannot move to ${wish}.`,
      {
        extra: { letter_status: letter.status },
      },
    );
  }
  return events;
};
