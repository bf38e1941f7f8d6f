/**
 * The approval that a letter waits for: what policies ask for, who decided, and what became of it. It is a part of
 * the letter, so that an approval is about exactly what the letter is, and any change supersedes it.
 */
import type { CredentialLine, LetterEvent } from '../../events/letter.ts';
import type { ApprovalNeed } from '../../events/policy.ts';
import { uuidv5 } from '../../ground/uuid.ts';

export type ApprovalStatus = 'pending' | 'approved' | 'rejected' | 'expired' | 'superseded';

/** An approver, and the credential that it decides with. */
export type Decision = { approver: string; credential: CredentialLine };

/** One approval, and the policies that it counts for. */
type Given = Decision & { policies: readonly string[] };

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

/** A letter that waited for approval is approved when it is queued. */
export const approved = (approval: Approval | undefined): Approval | undefined =>
  approval?.status === 'pending' ? { ...approval, status: 'approved' } : undefined;

/** The approval of a letter is over without success, and its payment queues nothing any more. */
export const endApproval = <
  T extends { approval: Approval | undefined; abandoned: readonly string[] },
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

/** Approves for every policy that asks for approvals. */
export const operatorApprover = 'operator';

export type Approver = Decision & {
  /** Whether it may stand for the owner of the account, where a policy names no approvers. */
  isOwner: boolean;
};

const mayDecideOn = (need: ApprovalNeed, { approver, isOwner }: Approver): boolean => {
  if (approver === operatorApprover) return true;
  return need.approvers.length === 0 ? isOwner : need.approvers.includes(approver);
};

/**
 * The policies that the approver decides for.
 * @param needs those that were asked for, and those of the policies as they are now: both must name the approver
 */
export const policiesOf = (needs: readonly ApprovalNeed[], approver: Approver): string[] => {
  const refused = needs.filter((need) => !mayDecideOn(need, approver));
  const policies = new Set(needs.map(({ policy }) => policy));
  for (const { policy } of refused) policies.delete(policy);
  return [...policies];
};

/** How many approvals the policy needs that has the fewest of those it asks for. */
export const missingApprovals = ({ needs, given }: Pick<Approval, 'needs' | 'given'>): number =>
  needs.reduce((most, { policy, quorum }) => {
    const count = given.filter(({ policies }) => policies.includes(policy)).length;
    return Math.max(most, quorum - count);
  }, 0);

const meets = (some: readonly string[], others: readonly string[]): boolean =>
  some.some((one) => others.includes(one));

/** Whether one of two credentials is the other, or comes from it. */
const areRelated = (one: CredentialLine, other: CredentialLine): boolean =>
  meets(one.own, other.line) || meets(other.own, one.line);

/**
 * Whether a credential decides on its own letter, on one of what it comes from or of what comes from it, or is held
 * by the same policy itself.
 */
export const isOfRequester = (
  { requester, needs }: Pick<Approval, 'requester' | 'needs'>,
  { credential }: Pick<Decision, 'credential'>,
): boolean =>
  areRelated(requester, credential) || needs.some(({ policy }) => credential.line.includes(policy));

/** Whether the same approver, or a credential of the same line, approved before. */
export const hasApproved = ({ given }: Approval, { approver, credential }: Decision): boolean =>
  given.some((one) => one.approver === approver || areRelated(one.credential, credential));
