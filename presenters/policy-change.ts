/** Changes of policies that need approval, as callers read them. */
import Type, { type Static } from 'typebox';
import type { ApproverEmails, Policy } from '../events/policy.ts';
import { ApprovalStatus, presentApprover } from './approval.ts';
import { Nullable, Timestamp } from './common.ts';
import { PolicyAnswer, presentPolicy } from './policy.ts';

export const PolicyChangeId = Type.String({ pattern: '^apc_[0-9a-f]{40}$', maxLength: 44 });

const WantedPolicy = Type.Object(
  {
    time_zone: PolicyAnswer.properties.time_zone,
    rules: PolicyAnswer.properties.rules,
    approvals: PolicyAnswer.properties.approvals,
  },
  { title: 'RequestedPolicy', description: 'Null: the policy is deleted.' },
);

export const PolicyChangeAnswer = Type.Object(
  {
    approval_id: PolicyChangeId,
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
  },
  { title: 'PolicyChange' },
);

export const PolicyChanges = Type.Object(
  { data: Type.Array(PolicyChangeAnswer) },
  { title: 'PolicyChanges' },
);

type Shown = {
  change: Pick<Policy, 'subject' | 'timeZone' | 'rules' | 'approvals'> & {
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
  status: Static<typeof ApprovalStatus>;
  policy: Policy | undefined;
  emails: ApproverEmails | undefined;
};

export const presentPolicyChange = ({
  change,
  status,
  policy,
  emails,
}: Shown): Static<typeof PolicyChangeAnswer> => {
  const {
    version: _,
    policy: __,
    ...after
  } = presentPolicy({ ...change, version: change.baseVersion }, change.emails);
  const isPending = status === 'pending';
  return {
    approval_id: change.approvalId,
    status,
    policy: change.subject,
    base_version: change.baseVersion,
    commitment: change.commitment,
    before: isPending && policy ? presentPolicy(policy, emails) : null,
    after: change.isRemoval ? null : after,
    approvals_missing: isPending ? change.quorum - change.given.length : 0,
    requested_by: change.requester.own[0] ?? null,
    decided_by: change.given.map(({ approver }) => presentApprover(approver)),
    reason: change.reason ?? null,
    expires_at: change.expiresAt,
  };
};
