/** Approvals as callers read them, and the answer to a send that waits for one. */

import type { Static } from 'typebox';
import { emailApproverPrefix } from '../contract/approvals.ts';
import { letterStatuses } from '../contract/letter-status.ts';
import type { ApprovalNeed } from '../events/policy.ts';
import { Type } from '../ground/type.ts';
import { type ApprovalRecord, approvalStatuses } from '../projections/approvals/query.ts';
import { LetterId, Nullable, OneOf, Timestamp } from './common.ts';
import { presentSent, type SentView } from './letter.ts';
import { Price, SentLetter } from './letter-schemas.ts';
import { presentPrice } from './price.ts';

/** An approval that is asked for. */
type AskedApproval = {
  approvalId: string;
  expiresAt: string;
  needs: readonly ApprovalNeed[];
};

export const ApprovalId = Type.String({ pattern: '^apr_[0-9a-f]{40}$', maxLength: 44 });

/** Of a letter, or of a change of a policy. */
export const AnyApprovalId = Type.String({
  pattern: '^ap[rc]_[0-9A-Za-z]{40,46}$',
  maxLength: 50,
});

export const ApprovalUrl = Type.String({
  format: 'uri',
  description:
    'A page that shows an approver what waits. The address alone shows nothing and decides nothing.',
});

const Reasons = Type.Array(
  Type.Named('ApprovalReason', {
    policy: Type.String({ description: '`account`, the id of a key, or `ucan:<cid>`.' }),
    rule: Type.String(),
  }),
  { description: 'The rules that hold the letter.' },
);

export const presentReasons = (needs: readonly ApprovalNeed[]): Static<typeof Reasons> =>
  needs.flatMap(({ policy, rules }) => rules.map((rule) => ({ policy, rule })));

export const HeldLetter = Type.Named('HeldLetter', {
  ...SentLetter.properties,
  approval_id: ApprovalId,
  approval_url: ApprovalUrl,
  expires_at: Timestamp,
  reasons: Reasons,
});

/** The rules that let a letter wait, in words. */
const rulesInWords = (needs: readonly ApprovalNeed[]): string =>
  presentReasons(needs)
    .map(({ rule }) => rule)
    .join(', ');

export const presentHeld = (
  sent: SentView,
  { approvalId, expiresAt, needs }: AskedApproval,
  approvalUrl: string,
): Static<typeof HeldLetter> => ({
  ...presentSent(sent),
  message: `The letter waits for approval until ${expiresAt} (${rulesInWords(needs)}). Its money is reserved, and it is sent once it is approved.`,
  approval_id: approvalId,
  approval_url: approvalUrl,
  expires_at: expiresAt,
  reasons: presentReasons(needs),
});

export const ApprovalStatus = Type.Unsafe<(typeof approvalStatuses)[number]>({
  ...OneOf(
    approvalStatuses,
    '`superseded`: the letter was changed, cancelled, deleted or sent again, or the policy changed.',
  ),
  title: 'ApprovalStatus',
});

const Approver = Type.String({
  description: 'The id of a key, `ucan:<cid>`, `email`, or `operator`.',
});

export const ApprovalAnswer = Type.Named('Approval', {
  approval_id: ApprovalId,
  letter_id: LetterId,
  status: ApprovalStatus,
  commitment: Type.String({
    description:
      'A salted hash of what is approved: document, sender, recipient, service and price.',
  }),
  price: Price,
  reasons: Reasons,
  requested_by: Nullable(
    Type.String({ description: 'The key or UCAN that sent the letter. Null: a wallet.' }),
  ),
  decisions: Type.Array(
    Type.Object({ approver: Approver, decision: OneOf(['approve', 'reject']), at: Timestamp }),
  ),
  reason: Nullable(
    Type.String({
      description:
        'Why it was rejected, where the approver said so. Only in the answer for one approval.',
    }),
  ),
  requested_at: Timestamp,
  expires_at: Timestamp,
});

/** Only the approver may see an address. */
export const presentApprover = (approver: string): string =>
  approver.startsWith(emailApproverPrefix) ? 'email' : approver;

export const presentApproval = (
  { approvalId, letterId, status, requestedAt, expiresAt, doc }: ApprovalRecord,
  reason?: string,
): Static<typeof ApprovalAnswer> => ({
  approval_id: approvalId,
  letter_id: letterId,
  status,
  commitment: doc.commitment,
  price: presentPrice(doc.price),
  reasons: presentReasons(doc.needs),
  requested_by: doc.requestedBy[0] ?? null,
  decisions: doc.decisions.map(({ approver, decision, at }) => ({
    approver: presentApprover(approver),
    decision,
    at,
  })),
  reason: reason ?? null,
  requested_at: requestedAt.toISOString(),
  expires_at: expiresAt.toISOString(),
});

/** The answer to a decision. */
export const DecidedApproval = Type.Named('DecidedApproval', {
  approval_id: ApprovalId,
  letter_id: LetterId,
  status: ApprovalStatus,
  letter_status: OneOf(letterStatuses),
  approvals_missing: Type.Integer({
    description: 'Approvals that the letter still waits for, by the policy that needs most.',
  }),
});
