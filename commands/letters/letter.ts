import { AppError } from '../../contract/errors.ts';
import { abilitiesOf, type LetterStatus } from '../../contract/letter-status.ts';
import { letterDeleted } from '../../contract/refusals.ts';
import type { LetterErasure } from '../../events/data-keys.ts';
import {
  type LetterEvent,
  type LetterPersonal,
  type LetterTerms,
  letterStream,
  type StepSource,
} from '../../events/letter.ts';
import type { Aggregate } from '../handling/aggregate.ts';
import { type Approval, approved, endApproval, given, requested, withReason } from './approval.ts';

/** A request that made or sent the letter, as it was answered. */
export type SendRequest = {
  /** Undefined while its event is not stored. */
  commandId: string | undefined;
  /** Distinguishes another request under the same command from a repetition. */
  requestHash: string;
  status: 'draft' | 'queued';
  terms: LetterTerms;
  personal: LetterPersonal | undefined;
  cancellableUntil: string | undefined;
  holdReason: 'requested' | 'funds' | 'approval' | undefined;
  /** The approval that it waited for when it was answered. */
  approval: Approval | undefined;
};

/** The state of an existing letter, in every status. */
export type Known = {
  terms: LetterTerms;
  /** Absent once the letter was erased. */
  personal: LetterPersonal | undefined;
  /** The answers to the requests that made it: a draft, then its sending. */
  requests: SendRequest[];
  /** The commands of those requests; they outlive the erasure. */
  commandIds: string[];
  /** Payment attempts that the price rests on. */
  attempts: string[];
  /** The payment attempt of the approval that the letter waited for when it was cancelled. */
  cancelledAttempt: string | undefined;
  /** The last approval that was asked for. */
  approval: Approval | undefined;
  /** The last of those before it that are over; the letter was sent again since. */
  earlierApprovals: readonly Approval[];
  cancellableUntil: string | undefined;
  releaseAt: string | undefined;
  /** When it was accepted and paid, RFC 3339. */
  queuedAt: string | undefined;
  /** When production started, RFC 3339. */
  startedAt: string | undefined;
  /** The source that started production. After a restore the operator does, not certain which partner has the letter. */
  startedBy: StepSource | undefined;
  /** When it was posted, or was first reported to be in transit, RFC 3339. */
  postedAt: string | undefined;
  trackingNumber: string | undefined;
  /** Numbers that another one has replaced: a repeated report does not bring them back. */
  replacedNumbers: string[];
  /** The print partner, from the start of production on. */
  partner: string | undefined;
  /** The address of the print house that will get the letter or has taken it; absent: the configured one. */
  house: string | undefined;
  /** Whether the partner said that it has the job. */
  handedOver: boolean;
  /** When the pages that the partner has were set, RFC 3339; absent: unknown. */
  datedAt: string | undefined;
  returned: boolean;
  recall: 'none' | 'requested' | 'rejected';
  /** How often its recipient, reference or metadata changed. */
  updates: number;
  /** Keys of its documents in the blob store; they outlive the erasure that deletes them. */
  blobs: string[];
  erased: boolean;
  /** Its owner deleted it: there is nothing more to be done with it. Erasure by retention leaves the record. */
  deleted: boolean;
};

export type Letter = { abandoned: string[] } & (
  | { status: 'none' }
  | ({ status: LetterStatus } & Known)
);

export type ExistingLetter = Exclude<Letter, { status: 'none' }>;

export const initialState = (): Letter => ({ status: 'none', abandoned: [] });

const blobsAfter = (state: Letter, terms: LetterTerms): string[] => {
  const before = state.status === 'none' ? [] : state.blobs;
  return [...new Set([...before, ...(terms.blobs ?? [])])];
};

const numbersAfter = ({ trackingNumber, replacedNumbers }: Known, next: string) => ({
  trackingNumber: next,
  replacedNumbers:
    trackingNumber === undefined ? replacedNumbers : [...replacedNumbers, trackingNumber],
});

const maxEarlierApprovals = 20;

/** The approvals that are over. */
const pastApprovals = ({
  approval,
  earlierApprovals,
}: Pick<Known, 'approval' | 'earlierApprovals'>): readonly Approval[] =>
  approval === undefined || approval.status === 'pending'
    ? earlierApprovals
    : [...earlierApprovals, approval].slice(-maxEarlierApprovals);

/** Of a draft that was sent, as it is sent. */
const requestApproval = (
  before: ExistingLetter,
  { data, personal }: Extract<LetterEvent, { type: 'ApprovalRequested' }>,
): ExistingLetter => {
  const state = endApproval(before, 'superseded');
  const approval = requested(data);
  const { terms, requestHash } = data;
  const sent = personal ?? state.personal;
  const request: SendRequest = {
    commandId: undefined,
    requestHash,
    status: 'draft',
    terms,
    personal: sent,
    cancellableUntil: undefined,
    holdReason: 'approval',
    approval,
  };
  // The draft that the same request made is a part of its answer.
  const last = state.requests.at(-1);
  const isNew = last?.holdReason === 'approval' && last.approval === undefined;
  const earlier = isNew ? state.requests.slice(0, -1) : state.requests;
  return {
    ...state,
    terms,
    personal: sent,
    approval,
    earlierApprovals: pastApprovals(state),
    requests: [...earlier, request],
    blobs: blobsAfter(state, terms),
  };
};

/** The letter after a send, which makes it, makes it anew from a draft, or queues it. */
const begin = (
  state: Letter,
  event: Extract<LetterEvent, { type: 'LetterDrafted' | 'LetterQueued' }>,
): Letter => {
  const { terms, requestHash } = event.data;
  const queued = event.type === 'LetterQueued' ? event.data : undefined;
  const status = queued ? 'queued' : 'draft';
  const request: SendRequest = {
    commandId: undefined,
    requestHash,
    status,
    terms,
    personal: event.personal,
    cancellableUntil: queued?.cancellableUntil,
    holdReason: event.type === 'LetterDrafted' ? event.data.holdReason : undefined,
    approval: undefined,
  };
  return {
    status,
    abandoned: state.abandoned,
    terms,
    personal: event.personal,
    requests: [...(state.status === 'none' ? [] : state.requests), request],
    commandIds: state.status === 'none' ? [] : state.commandIds,
    attempts: queued ? [queued.attemptId] : [],
    cancelledAttempt: undefined,
    approval: state.status === 'none' ? undefined : approved(state.approval),
    earlierApprovals: state.status === 'none' ? [] : pastApprovals(state),
    cancellableUntil: queued?.cancellableUntil,
    releaseAt: queued?.releaseAt,
    queuedAt: undefined,
    startedAt: undefined,
    startedBy: undefined,
    postedAt: undefined,
    trackingNumber: undefined,
    replacedNumbers: [],
    partner: undefined,
    house: undefined,
    handedOver: false,
    datedAt: undefined,
    returned: false,
    recall: 'none',
    updates: state.status === 'none' ? 0 : state.updates,
    blobs: blobsAfter(state, terms),
    erased: false,
    deleted: false,
  };
};

export const evolve = (state: Letter, event: LetterEvent): Letter => {
  if (event.type === 'SendAbandoned') {
    return { ...state, abandoned: [...state.abandoned, event.data.attemptId] };
  }
  if (event.type === 'LetterDrafted' || event.type === 'LetterQueued') return begin(state, event);
  if (state.status === 'none') throw new Error(`${event.type} before the letter was created`);
  switch (event.type) {
    case 'ApprovalRequested':
      return requestApproval(state, event);
    case 'ApprovalGiven':
      return { ...state, approval: state.approval && given(state.approval, event.data) };
    case 'ApprovalRejected': {
      const ended = endApproval(state, 'rejected');
      return { ...ended, approval: withReason(ended.approval, event.personal?.reason) };
    }
    case 'ApprovalExpired':
      return endApproval(state, 'expired');
    case 'LetterUpdated':
      return {
        ...endApproval(state, 'superseded'),
        terms: event.data.terms,
        personal: event.personal,
        updates: state.updates + 1,
        blobs: blobsAfter(state, event.data.terms),
        attempts: [...state.attempts, ...(event.data.attemptId ? [event.data.attemptId] : [])],
        cancellableUntil: event.data.cancellableUntil ?? state.cancellableUntil,
        releaseAt: event.data.releaseAt ?? state.releaseAt,
      };
    case 'LetterProcessingStarted': {
      const { partner, house, source } = event.data;
      return { ...state, status: 'processing', partner, house, startedBy: source };
    }
    case 'PrintJobAccepted': {
      const { house = state.house, datedAt } = event.data;
      return { ...state, handedOver: true, house, datedAt };
    }
    case 'LetterPosted':
      return { ...state, status: 'posted' };
    case 'LetterInTransit':
      return { ...state, status: 'in_transit' };
    case 'LetterDelivered':
      return { ...state, status: 'delivered' };
    case 'LetterReturned':
      return { ...state, returned: true };
    case 'TrackingNumberAssigned':
      return { ...state, ...numbersAfter(state, event.data.trackingNumber) };
    case 'LetterCancellationRequested':
      return { ...state, recall: 'requested' };
    case 'LetterCancellationRejected':
      return { ...state, recall: 'rejected' };
    case 'LetterCancelled':
      return {
        ...endApproval(state, 'superseded'),
        status: 'cancelled',
        cancelledAttempt: pendingApproval(state)?.attemptId,
      };
    case 'LetterFailed':
      return { ...state, status: 'failed' };
    case 'LetterErased':
      return {
        ...endApproval(state, 'superseded'),
        approval: withReason(endApproval(state, 'superseded').approval, undefined),
        earlierApprovals: state.earlierApprovals.map((one) => ({ ...one, reason: undefined })),
        personal: undefined,
        requests: [],
        erased: true,
        deleted: state.deleted || event.data.reason === 'deleted',
      };
    default: {
      const unknown: never = event;
      return unknown;
    }
  }
};

/**
 * When the letter could be handed over at the earliest, RFC 3339; empty for a draft. The operator may start its
 * production before its time.
 */
export const earliestHandOver = ({ releaseAt, startedAt }: ExistingLetter): string =>
  [releaseAt, startedAt].filter((one) => one !== undefined).sort()[0] ?? '';

/** @throws AppError letter_not_found, letter_deleted */
export const existing = (state: Letter): ExistingLetter => {
  if (state.status === 'none') {
    throw new AppError('letter_not_found', 'There is no letter with this id.');
  }
  if (state.erased) throw letterDeleted();
  return state;
};

/** The approval that the letter waits for. */
export const pendingApproval = (state: Letter): Approval | undefined =>
  state.status !== 'none' && state.approval?.status === 'pending' ? state.approval : undefined;

/** The payments that a letter rests on: one that waits for approval rests on that of its approval. */
export const attemptsOf = ({
  attempts,
  approval,
}: Pick<Known, 'attempts' | 'approval'>): string[] =>
  approval?.status === 'pending' ? [...attempts, approval.attemptId] : attempts;

export type CancelLetter = { type: 'CancelLetter' };

/**
 * Draft and queued: cancelled at once. Processing: asks the print partner to give it back.
 * @throws AppError letter_not_found, letter_deleted, letter_not_cancellable
 */
export const cancelLetter = (state: Letter): LetterEvent[] => {
  if (state.status === 'cancelled') return [];
  const letter = existing(state);
  switch (letter.status) {
    case 'draft':
    case 'queued':
      return [{ type: 'LetterCancelled', data: { from: letter.status } }];
    case 'processing':
      return letter.recall === 'requested'
        ? []
        : [{ type: 'LetterCancellationRequested', data: {} }];
    default:
      throw new AppError(
        'letter_not_cancellable',
        `The letter is ${letter.status}. Only a draft, queued or processing letter can be cancelled.`,
        { extra: { letter_status: letter.status } },
      );
  }
};

type AnswerRecall = { type: 'AnswerRecall'; accepted: boolean; reason: string };

/**
 * The print partner's answer to a recall. That the job was taken back counts also after a refusal: it
 * will not be printed, so it must be paid back.
 */
export const answerRecall = (state: Letter, command: AnswerRecall): LetterEvent[] => {
  if (state.status !== 'processing' || state.recall === 'none') return [];
  if (command.accepted) return [{ type: 'LetterCancelled', data: { from: 'processing' } }];
  return state.recall === 'requested'
    ? [{ type: 'LetterCancellationRejected', data: { reason: command.reason } }]
    : [];
};

type EraseLetter = { type: 'EraseLetter'; reason: LetterErasure };

/**
 * Erasing a draft that waits for approval cancels it first, so that its money goes back.
 * @throws AppError letter_not_found, letter_not_deletable
 */
export const eraseLetter = (state: Letter, command: EraseLetter): LetterEvent[] => {
  if (state.status === 'none') {
    throw new AppError('letter_not_found', 'There is no letter with this id.');
  }
  if (state.deleted || (state.erased && command.reason === 'retention')) return [];
  const deletable =
    command.reason === 'retention'
      ? state.status !== 'queued' && state.status !== 'processing'
      : abilitiesOf(state.status, false).delete;
  if (!deletable) {
    throw new AppError(
      'letter_not_deletable',
      `The letter is ${state.status}. A letter can be deleted while it is a draft, or after it was cancelled or failed.`,
      { extra: { letter_status: state.status } },
    );
  }
  const waits = state.approval?.status === 'pending';
  return [
    ...(waits ? cancelLetter(state) : []),
    { type: 'LetterErased', data: { reason: command.reason } },
  ];
};
/** Keeps the command with each request that made or sent the letter. */
export const evolveBy =
  (commandId: string | undefined) =>
  (state: Letter, event: LetterEvent): Letter => {
    const next = evolve(state, event);
    const isRequest =
      event.type === 'LetterDrafted' ||
      event.type === 'LetterQueued' ||
      event.type === 'ApprovalRequested';
    if (!isRequest || commandId === undefined || next.status === 'none') return next;
    const last = next.requests.length - 1;
    const requests = next.requests.map((one, index) =>
      index < last ? one : { ...one, commandId },
    );
    if (next.commandIds.includes(commandId)) return { ...next, requests };
    return { ...next, requests, commandIds: [...next.commandIds, commandId] };
  };

/** An estimate: a fixed part, the text at two bytes a character, and the attempts. */
export const bytesOf = (letter: Letter): number =>
  letter.status === 'none'
    ? 4_000
    : 4_000 + 2 * (letter.personal?.content?.length ?? 0) + 60 * letter.attempts.length;

/** A letter with fewer changes is read again each time. Each change has the whole content of the letter. */
const fewUpdates = 10;

export const letterAggregate: Aggregate<Letter, LetterEvent> = {
  stream: letterStream,
  initialState,
  evolve(state, event, at, commandId) {
    const next = evolveBy(commandId)(state, event);
    if (next.status === 'none') return next;
    if (event.type === 'LetterQueued') return { ...next, queuedAt: at };
    if (event.type === 'LetterProcessingStarted') return { ...next, startedAt: at };
    const isPosting = event.type === 'LetterPosted' || event.type === 'LetterInTransit';
    if (!isPosting || event.data.inferred || next.postedAt !== undefined) return next;
    return { ...next, postedAt: event.data.reportedAt ?? at };
  },
  derivesIds: true,
  // An erased letter is kept, too: it takes the place of what is in memory with its content.
  cachedBytes: (letter) =>
    letter.status === 'none' || letter.updates < fewUpdates ? undefined : bytesOf(letter),
};
