/** A change of a policy that waits for approval, and what became of it. */
import { hash } from 'node:crypto';
import type { ApproverEmails } from '../../events/policy.ts';
import type { WalletEvent } from '../../events/wallet.ts';
import type { Decision } from './approvers.ts';

type RequestedChange = Extract<WalletEvent, { type: 'PolicyChangeRequested' }>['data'];
type CarriedChange = Extract<WalletEvent, { type: 'PolicyChangeCarriedForward' }>['data'];

export type PolicyChange = RequestedChange & {
  /** Of the approvers that are known by an address, in the policy as it will be. */
  emails: ApproverEmails | undefined;
  given: readonly Decision[];
  isRejected: boolean;
  /** The policy was set or deleted since, also where it is again as it was. */
  isSuperseded: boolean;
  /** Why it was rejected. */
  reason: string | undefined;
};

export const requestedChange = (
  data: RequestedChange,
  emails: ApproverEmails | undefined,
): PolicyChange => ({
  ...data,
  emails,
  given: [],
  isRejected: false,
  isSuperseded: false,
  reason: undefined,
});

export const carriedChange = (
  { change, given }: CarriedChange,
  emails: ApproverEmails | undefined,
): PolicyChange => ({ ...requestedChange(change, emails), given });

type ChangeStatus = 'pending' | 'approved' | 'rejected' | 'expired' | 'superseded';

/** A change that nobody decided ends by itself: it moves no money that would have to go back. */
export const changeStatus = (
  { given, quorum, isRejected, isSuperseded, expiresAt }: PolicyChange,
  at: string,
): ChangeStatus => {
  if (isRejected) return 'rejected';
  if (given.length >= quorum) return 'approved';
  if (isSuperseded) return 'superseded';
  return at >= expiresAt ? 'expired' : 'pending';
};

/** Differs between accounts, so that no id is known to two of them. */
export const policyChangeIdOf = (accountId: string, commandId: string): string =>
  `apc_${hash('sha256', `${accountId}\n${commandId}`, 'hex').slice(0, 40)}`;

type ChangedPolicy = Pick<
  RequestedChange,
  'subject' | 'baseVersion' | 'timeZone' | 'rules' | 'approvals' | 'isRemoval'
>;

/** The same change has the same commitment. */
export const changeCommitment = (
  accountId: string,
  { subject, baseVersion, timeZone, rules, approvals, isRemoval }: ChangedPolicy,
): string => {
  const text = JSON.stringify([
    accountId,
    subject,
    baseVersion,
    timeZone,
    rules,
    approvals ?? null,
    ...(isRemoval ? ['removal'] : []),
  ]);
  return hash('sha256', text, 'base64url');
};
