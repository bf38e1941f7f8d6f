/**
 * The approval that a letter waits for: what policies ask for, who decided, and what became of it. It is a part of
 * the letter, so that an approval is about exactly what the letter is, and any change supersedes it.
 */
import type { CredentialLine, LetterEvent } from '../../events/letter.ts';
import type { ApprovalNeed } from '../../events/policy.ts';
import { uuidv5 } from '../../ground/uuid.ts';
import type { Given } from '../policies/approvers.ts';

export type ApprovalStatus = 'pending' | 'approved' | 'rejected' | 'expired' | 'superseded';

export type Approval = {
  approvalId: string;
  /** The payment that the letter is queued with. */
  attemptId: string;
  commitment: string;
  needs: readonly ApprovalNeed[];
  requester: CredentialLine;
  expiresAt: string;
  requestHash: string;
  status: ApprovalStatus;
  given: readonly Given[];
  /** Why it was rejected, until the letter is erased. */
  reason?: string | undefined;
};

/** The id of an approval names the letter that it is about. */
export const approvalIdOf = (letterId: string, attemptId: string): string =>
  `apr_${letterId.replaceAll('-', '')}${uuidv5(attemptId, 'approval').slice(0, 8)}`;

/** The letter that an approval is about; undefined: it is no id of an approval. */
export const letterOfApproval = (approvalId: string): string | undefined => {
  const parts = /^apr_(.{8})(.{4})(.{4})(.{4})(.{12})[0-9a-f]{8}$/.exec(approvalId);
  return parts ? parts.slice(1).join('-') : undefined;
};

type Requested = Extract<LetterEvent, { type: 'ApprovalRequested' }>['data'];

export const requested = ({ terms: _, ...data }: Requested): Approval => ({
  ...data,
  status: 'pending',
  given: [],
});

type GivenData = Extract<LetterEvent, { type: 'ApprovalGiven' }>['data'];

export const given = (
  approval: Approval,
  { approver, credential, policies }: GivenData,
): Approval => ({ ...approval, given: [...approval.given, { approver, credential, policies }] });

export const isGivenBy = (
  { given }: Pick<Approval, 'given'>,
  { approver }: Pick<Given, 'approver'>,
): boolean => given.some((one) => one.approver === approver);

/** A letter that waited for approval is approved when it is queued. */
export const approved = (approval: Approval | undefined): Approval | undefined =>
  approval?.status === 'pending' ? { ...approval, status: 'approved' } : undefined;

/** The approval of a letter is over without success, and its payment queues nothing any more. */
export const endApproval = <
  T extends {
    approval: Approval | undefined;
    abandoned: readonly string[];
  },
>(
  letter: T,
  status: ApprovalStatus,
): T => {
  const { approval, abandoned } = letter;
  if (approval?.status !== 'pending') return letter;
  return {
    ...letter,
    approval: { ...approval, status },
    abandoned: [...abandoned, approval.attemptId],
  };
};

/** @param reason of a rejection; undefined: none was given, or it was erased */
export const withReason = (
  approval: Approval | undefined,
  reason: string | undefined,
): Approval | undefined => approval && { ...approval, reason };

/** An approval of a letter by its id: the last one, or one of those before it. */
export const findApproval = (
  {
    approval,
    earlierApprovals,
  }: { approval: Approval | undefined; earlierApprovals: readonly Approval[] },
  approvalId: string,
): Approval | undefined =>
  [approval, ...earlierApprovals].find((one) => one?.approvalId === approvalId);
