import { AppError } from '../../contract/errors.ts';
import type { LetterEvent, LetterPersonal, LetterTerms } from '../../events/letter.ts';
import {
  attemptsOf,
  type ExistingLetter,
  existing,
  type Letter,
  pendingApproval,
  type SendRequest,
} from './letter.ts';

type DraftLetter = {
  type: 'DraftLetter';
  terms: LetterTerms;
  personal: LetterPersonal;
  holdReason: NonNullable<SendRequest['holdReason']>;
  requestHash: string;
};

/** Keeps a letter without sending it. Costs nothing. */
export const draftLetter = (state: Letter, command: DraftLetter): LetterEvent[] => {
  if (state.status !== 'none') return [];
  const { terms, holdReason, requestHash, personal } = command;
  return [{ type: 'LetterDrafted', data: { terms, holdReason, requestHash }, personal }];
};

/** The store was away for so long that the attempt was given up for the caller: to be tried again soon. */
export const attemptUndone = (): AppError =>
  new AppError(
    'store_unavailable',
    'The request took too long to store and was undone; you were not charged. Send it again with the same Idempotency-Key.',
    { headers: { 'Retry-After': '1' } },
  );

export type QueueLetter = {
  type: 'QueueLetter';
  terms: LetterTerms;
  personal: LetterPersonal;
  attemptId: string;
  cancellableUntil: string;
  releaseAt: string;
  requestHash: string;
};

/** A letter that waits for approval is not sent a second time. @throws AppError approval_pending */
export const assertNotWaiting = (state: Letter): void => {
  const pending = pendingApproval(state);
  if (!pending) return;
  throw new AppError(
    'approval_pending',
    'The letter waits for approval already. It is sent once it is approved; to send it otherwise, change or cancel it.',
    { extra: { approval_id: pending.approvalId, expires_at: pending.expiresAt } },
  );
};

/** Refuses a letter that is not a draft, unless the same attempt sent it. @throws AppError letter_not_sendable */
export const sentBefore = (state: ExistingLetter, attemptId: string): LetterEvent[] => {
  if (state.attempts.includes(attemptId)) return [];
  throw new AppError(
    'letter_not_sendable',
    `The letter is already ${state.status}. Only a draft can be sent.`,
  );
};

/**
 * Accepts a letter that was paid for under `attemptId`: a new one, or a draft.
 * @throws AppError store_unavailable when the attempt was abandoned, letter_not_sendable, approval_pending
 */
export const queueLetter = (state: Letter, command: QueueLetter): LetterEvent[] => {
  const { type: _, personal, ...data } = command;
  if (state.abandoned.includes(command.attemptId)) {
    throw attemptUndone();
  }
  if (state.status === 'none' || state.status === 'draft') {
    if (state.status === 'draft') existing(state);
    assertNotWaiting(state);
    return [{ type: 'LetterQueued', data, personal }];
  }
  return sentBefore(state, command.attemptId);
};

type AbandonSend = { type: 'AbandonSend'; accountId: string; attemptId: string };

/**
 * Forbids a payment attempt whose request never finished. Does nothing if the request did finish. The id of a command
 * forbids all attempts of that command.
 */
export const abandonSend = (state: Letter, command: AbandonSend): LetterEvent[] => {
  const { accountId, attemptId } = command;
  if (state.abandoned.includes(attemptId)) return [];
  if (state.status !== 'none' && attemptsOf(state).includes(attemptId)) return [];
  return [{ type: 'SendAbandoned', data: { accountId, attemptId } }];
};

type UpdateLetter = {
  type: 'UpdateLetter';
  terms: LetterTerms;
  personal: LetterPersonal;
  /** The payment attempt for a higher price. */
  attemptId?: string;
  changed: string[];
  /** The new times of a queued letter that moves to another country. */
  times?: { cancellableUntil: string; releaseAt: string };
};

/** @throws AppError letter_not_found, letter_deleted, letter_not_updatable, store_unavailable */
export const updateLetter = (state: Letter, command: UpdateLetter): LetterEvent[] => {
  const letter = existing(state);
  if (letter.status !== 'draft' && letter.status !== 'queued') {
    throw new AppError(
      'letter_not_updatable',
      `The letter is ${letter.status}. Recipient and reference can be changed only while it is draft or queued.`,
      { extra: { letter_status: letter.status } },
    );
  }
  const { attemptId, terms, changed, personal, times } = command;
  if (attemptId !== undefined && letter.abandoned.includes(attemptId)) {
    throw attemptUndone();
  }
  if (changed.length === 0) return [];
  return [
    {
      type: 'LetterUpdated',
      data: { terms, changed, ...(attemptId === undefined ? {} : { attemptId }), ...times },
      personal,
    },
  ];
};
