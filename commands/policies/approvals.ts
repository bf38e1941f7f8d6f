/** The approvals that policies demand before a letter that their rules hold is sent. */
import { approvalHours } from '../../contract/approvals.ts';
import { AppError } from '../../contract/errors.ts';
import type { ApprovalNeed, Approvals, Held, Policy, PolicyRule } from '../../events/policy.ts';

/** The rules of a policy that hold a letter. */
export type PolicyHold = { subject: string; rules: PolicyRule[]; approvals: Approvals };

/** No approvers: the owner of the account. */
export const usualApprovals: Approvals = {
  quorum: 1,
  approvers: [],
  expiresInHours: approvalHours.usual,
};

export const approvalsOf = ({ approvals }: Pick<Policy, 'approvals'>): Approvals =>
  approvals ?? usualApprovals;

export const needOf = ({ subject, rules, approvals }: PolicyHold): ApprovalNeed => ({
  policy: subject,
  rules: rules.map(({ id }) => id),
  quorum: approvals.quorum,
  approvers: approvals.approvers,
});

/**
 * The approvals that a letter waits for; undefined: no rule holds it. The shortest time of several policies
 * decides.
 */
export const heldBy = (holds: readonly PolicyHold[]): Held | undefined =>
  holds.length === 0
    ? undefined
    : {
        needs: holds.map(needOf),
        expiresInHours: Math.min(...holds.map(({ approvals }) => approvals.expiresInHours)),
      };

/** A letter that needs approval where nobody can wait for it. */
export const approvalRequired = (holds: readonly PolicyHold[]): AppError =>
  new AppError(
    'approval_required',
    'A policy sends the letter with this change only after an approval, which it cannot wait for any more. The letter stays as it is. Cancel it, and send a new one: POST /api/send.',
    { extra: { reasons: holds.map(needOf).map(({ policy, rules }) => ({ policy, rules })) } },
  );
