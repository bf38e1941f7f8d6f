/** Asking for the approval of a letter, and deciding on it. */
import { AppError } from '../../contract/errors.ts';
import type {
  CredentialLine,
  LetterEvent,
  LetterPersonal,
  LetterTerms,
} from '../../events/letter.ts';
import type { ApprovalNeed } from '../../events/policy.ts';
import {
  type Approver,
  type Decision,
  type Given,
  hasApproved,
  isOfRequester,
  missingApprovals,
  policiesOf,
} from '../policies/approvers.ts';
import { type Approval, type ApprovalStatus, findApproval, isGivenBy } from './approval.ts';
import { type ExistingLetter, existing, type Letter } from './letter.ts';
import { assertNotWaiting, attemptUndone, sentBefore } from './letter-drafts.ts';
import type { Standing } from './standing-approvals.ts';

export type RequestApproval = {
  type: 'RequestApproval';
  approvalId: string;
  terms: LetterTerms;
  personal: LetterPersonal;
  attemptId: string;
  commitment: string;
  needs: ApprovalNeed[];
  requester: CredentialLine;
  expiresAt: string;
  requestHash: string;
};

/**
 * Lets a letter wait that was paid for under `attemptId`: a new one, or a draft.
 * @throws AppError store_unavailable when the attempt was abandoned, letter_not_sendable, approval_pending
 */
export const requestApproval = (state: Letter, command: RequestApproval): LetterEvent[] => {
  const { type: _, personal, ...data } = command;
  const { terms, requestHash } = data;
  if (state.abandoned.includes(command.attemptId)) throw attemptUndone();
  if (state.status === 'none') {
    return [
      { type: 'LetterDrafted', data: { terms, holdReason: 'approval', requestHash }, personal },
      { type: 'ApprovalRequested', data },
    ];
  }
  if (state.status !== 'draft') return sentBefore(state, command.attemptId);
  existing(state);
  if (state.approval?.attemptId === command.attemptId) return [];
  assertNotWaiting(state);
  return [{ type: 'ApprovalRequested', data, personal }];
};

export const approvalOver = (status: Exclude<ApprovalStatus, 'pending'>): AppError => {
  const how = {
    approved: 'The letter is approved already.',
    rejected: 'The letter was rejected. Its sender can send it again.',
    expired: 'The time to approve the letter is over. Its sender can send it again.',
    superseded:
      'The letter was changed, cancelled, deleted or sent again since, so there is nothing to decide here.',
  };
  return new AppError('approval_over', how[status], { extra: { approval_status: status } });
};

/** A letter with an approval. */
type Asked = { letter: ExistingLetter; approval: Approval };

/** @throws AppError approval_not_found, approval_over */
const askedIn = (state: Letter, approvalId: string): Asked => {
  const approval = state.status === 'none' ? undefined : findApproval(state, approvalId);
  if (state.status === 'none' || !(approval ?? state.approval)) {
    throw new AppError('approval_not_found', 'There is no approval with this id.');
  }
  if (approval === undefined) throw approvalOver('superseded');
  // A letter that was sent again waits for another approval, of other content or at another price.
  if (approval !== state.approval && approval.status !== 'pending') {
    throw approvalOver(approval.status);
  }
  return { letter: state, approval };
};

/** @throws AppError approval_over */
const assertPending = ({ status, expiresAt }: Approval, at: string): void => {
  if (status !== 'pending') throw approvalOver(status);
  if (at >= expiresAt) throw approvalOver('expired');
};

/** The needs of the letter: those that it waits for, and those of its current policies. */
const needsIn = ({ needs }: Approval, needsNow: readonly ApprovalNeed[] = []): ApprovalNeed[] => [
  ...needs,
  ...needsNow,
];

/** @throws AppError approver_is_requester, approver_not_allowed */
const assertMayDecide = (
  { requester }: Approval,
  needs: readonly ApprovalNeed[],
  approver: Approver,
): string[] => {
  if (isOfRequester({ requester, needs }, approver)) {
    throw new AppError(
      'approver_is_requester',
      'The letter was sent with this credential, with one that it comes from, or with one that comes from it; or a policy that holds the letter applies to this credential. Decide with another credential of the account, or by the link in the mail.',
    );
  }
  const policies = policiesOf(needs, approver);
  if (policies.length > 0) return policies;
  throw new AppError(
    'approver_not_allowed',
    'The policies that hold the letter name other approvers. Where they name nobody, a key with scope full and without a policy approves.',
  );
};

const decisionOf = ({ approver, credential }: Decision, { approvalId }: Approval) => ({
  approvalId,
  approver,
  credential,
});

/** The times of a letter, which are known only when it is queued. */
export type Queueing = Pick<LetterTerms, 'expectedDelivery'> & {
  cancellableUntil: string;
  releaseAt: string;
};

/** An approval as it was given. */
const asGiven: Standing = (given) => given;

const countsForAny = ({ policies }: Given): boolean => policies.length > 0;

type ApproveLetter = {
  type: 'ApproveLetter';
  approvalId: string;
  approver: Approver;
  queueing: Queueing;
  /** Needs of the current policies: a policy that became stricter counts as it is now. */
  needsNow?: readonly ApprovalNeed[];
  /** The policies that an earlier approval still counts for. Absent: those that it was given for. */
  standing?: Standing;
};

/** The letter with the payment that it waited with. */
const queued = (
  { letter, approval: { attemptId, requestHash } }: Asked,
  { queueing }: ApproveLetter,
): LetterEvent => {
  const { personal, terms } = existing(letter);
  const { expectedDelivery, ...times } = queueing;
  const data = { terms: { ...terms, expectedDelivery }, attemptId, requestHash, ...times };
  return { type: 'LetterQueued', data, ...(personal ? { personal } : {}) };
};

/**
 * The same approver again adds nothing. The letter is queued if all the approvals count again that did not when the
 * last one was given, such as that of a key that was frozen then.
 */
const approveAgain = (asked: Asked, command: ApproveLetter, at: string): LetterEvent[] => {
  const { approval } = asked;
  const { needsNow, standing = asGiven } = command;
  if (approval.status !== 'pending' || at >= approval.expiresAt) return [];
  const all = { needs: needsIn(approval, needsNow), given: approval.given.map(standing) };
  return missingApprovals(all) > 0 ? [] : [queued(asked, command)];
};

/**
 * One approval; the last one that is needed queues the letter.
 * @throws AppError approval_not_found, approval_over, approver_is_requester, approver_not_allowed, letter_deleted
 */
export const approveLetter = (state: Letter, command: ApproveLetter, at: string): LetterEvent[] => {
  const { approver, approvalId, needsNow, standing = asGiven } = command;
  const asked = askedIn(state, approvalId);
  const { letter, approval } = asked;
  if (isGivenBy(approval, approver)) return approveAgain(asked, command, at);
  assertPending(approval, at);
  const needs = needsIn(approval, needsNow);
  const policies = assertMayDecide(approval, needs, approver);
  const before = approval.given.map(standing);
  if (hasApproved({ given: before.filter(countsForAny) }, approver)) {
    throw new AppError(
      'approver_not_allowed',
      'A credential of the same line has approved the letter already. Another approver must approve it too.',
    );
  }
  existing(letter);
  const given = { ...decisionOf(approver, approval), policies };
  const event: LetterEvent = { type: 'ApprovalGiven', data: given };
  const after = { needs, given: [...before, given] };
  return missingApprovals(after) > 0 ? [event] : [event, queued(asked, command)];
};

type RejectLetter = {
  type: 'RejectLetter';
  approvalId: string;
  approver: Approver;
  reason: string | undefined;
  needsNow?: readonly ApprovalNeed[];
};

/**
 * One rejection is enough. The letter stays a draft, and its money goes back.
 * @throws AppError approval_not_found, approval_over, approver_is_requester, approver_not_allowed
 */
export const rejectLetter = (state: Letter, command: RejectLetter, at: string): LetterEvent[] => {
  const { approver, reason, approvalId, needsNow } = command;
  const { approval } = askedIn(state, approvalId);
  if (approval.status === 'rejected') return [];
  assertPending(approval, at);
  assertMayDecide(approval, needsIn(approval, needsNow), approver);
  const personal = reason === undefined ? {} : { personal: { reason } };
  return [{ type: 'ApprovalRejected', data: decisionOf(approver, approval), ...personal }];
};

/**
 * Ends an approval whose time is over. The letter stays a draft, and its money goes back.
 * @param isOver whether the approval can no longer be given before that: its payment was taken back, or the discount
 * in its price can no longer be billed
 */
export const expireApproval = (
  state: Letter,
  { approvalId, isOver = false }: { approvalId: string; isOver?: boolean },
  at: string,
): LetterEvent[] => {
  if (state.status === 'none' || state.approval?.approvalId !== approvalId) return [];
  const { status, expiresAt } = state.approval;
  if (status !== 'pending' || (at < expiresAt && !isOver)) return [];
  return [{ type: 'ApprovalExpired', data: { approvalId } }];
};
