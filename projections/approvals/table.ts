import type { LetterPrice } from '../../events/letter.ts';
import type { ApprovalNeed } from '../../events/policy.ts';
import { bigint, defineTable, fixed, json, key, type RowOf, text, time, uuid } from '../upsert.ts';

export const approvalStatuses = [
  'pending',
  'approved',
  'rejected',
  'expired',
  'superseded',
] as const;
export type ApprovalStatus = (typeof approvalStatuses)[number];

export type ApprovalDoc = {
  needs: ApprovalNeed[];
  commitment: string;
  price: LetterPrice;
  /** The credential that sent the letter. */
  requestedBy: string[];
  decisions: { approver: string; decision: 'approve' | 'reject'; at: string }[];
};

const columns = {
  approval_id: key(text()),
  account_id: fixed(text()),
  letter_id: fixed(uuid()),
  status: text<ApprovalStatus>(),
  requested_at: fixed(time()),
  requested_position: fixed(bigint()),
  expires_at: fixed(time()),
  doc: json<ApprovalDoc>(),
};

export type ApprovalRow = RowOf<typeof columns>;

export const approvalTable = defineTable('approvals', columns, {
  indexes: [
    '(account_id, status, requested_position)',
    '(account_id, requested_at)',
    "(expires_at) where status = 'pending'",
    '(letter_id)',
  ],
});
