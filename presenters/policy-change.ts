/** Changes of policies that need approval, as callers read them. */
import type { Static } from 'typebox';
import type { ApproverEmails, Policy } from '../events/policy.ts';
import { Type } from '../ground/type.ts';
import { ApprovalStatus, ApprovalUrl, presentApprover } from './approval.ts';
import { Nullable, Timestamp } from './common.ts';
import { PolicyAnswer, presentPolicy } from './policy.ts';

export const PolicyChangeId = Type.String({ pattern: '^apc_[0-9A-Za-z]{40,46}$', maxLength: 50 });

const WantedPolicy = Type.Object(
  {
    time_zone: PolicyAnswer.properties.time_zone,
    rules: PolicyAnswer.properties.rules,
    approvals: PolicyAnswer.properties.approvals,
  },
  { title: 'RequestedPolicy', description: 'Null: the policy is deleted.' },
);

export const PolicyChangeAnswer = Type.Named('PolicyChange', {
  approval_id: PolicyChangeId,
  approval_url: ApprovalUrl,
  status: ApprovalStatus,
  policy: PolicyAnswer.properties.policy,
  base_version: Type.Integer({
    description: 'The version of the policy that the change is for. 0: there was no policy.',
  }),
  commitment: Type.String({ description: 'A hash of exactly this change.' }),
  before: Nullable(PolicyAnswer),
  after: Nullable(WantedPolicy),
  approvals_missing: Type.Integer({ description: 'Approvals that the change still waits for.' }),
  requested_by: Nullable(
    Type.String({ description: 'The key or UCAN that asked for the change. Null: a wallet.' }),
  ),
  decided_by: Type.Array(Type.String(), { description: 'The approvers that approved so far.' }),
  reason: Nullable(
    Type.String({ description: 'Why it was rejected, where the approver said so.' }),
  ),
  expires_at: Timestamp,
});

export const PolicyChanges = Type.Named('PolicyChanges', { data: Type.Array(PolicyChangeAnswer) });

export type ChangeShown = Pick<Policy, 'subject' | 'timeZone' | 'rules' | 'approvals'> & {
  /** The policy is deleted. */
  isRemoval?: true;
  approvalId: string;
  baseVersion: number;
  commitment: string;
  quorum: number;
  given: readonly { approver: string }[];
  requester: { own: readonly string[] };
  reason: string | undefined;
  emails: ApproverEmails | undefined;
  expiresAt: string;
};

type Shown = {
  change: ChangeShown;
  status: Static<typeof ApprovalStatus>;
  policy: Policy | undefined;
  emails: ApproverEmails | undefined;
};

/** The policy as it would be. */
const presentChanged = (change: ChangeShown): Static<typeof WantedPolicy> => {
  const {
    version: _,
    policy: __,
    ...after
  } = presentPolicy({ ...change, version: change.baseVersion }, change.emails);
  return after;
};

/** The policy as it would be; undefined: deleted. */
export const presentAfter = (change: ChangeShown): Static<typeof WantedPolicy> | undefined =>
  change.isRemoval ? undefined : presentChanged(change);

export const presentPolicyChange = (
  { change, status, policy, emails }: Shown,
  approvalUrl: (approvalId: string) => string,
): Static<typeof PolicyChangeAnswer> => {
  const isPending = status === 'pending';
  return {
    approval_id: change.approvalId,
    approval_url: approvalUrl(change.approvalId),
    status,
    policy: change.subject,
    base_version: change.baseVersion,
    commitment: change.commitment,
    before: isPending && policy ? presentPolicy(policy, emails) : null,
    after: presentAfter(change) ?? null,
    approvals_missing: isPending ? change.quorum - change.given.length : 0,
    requested_by: change.requester.own[0] ?? null,
    decided_by: change.given.map(({ approver }) => presentApprover(approver)),
    reason: change.reason ?? null,
    expires_at: change.expiresAt,
  };
};
