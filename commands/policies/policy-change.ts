/** A change of a policy that waits for approval, and what became of it. */
import { hash } from 'node:crypto';
import type { ApproverEmails } from '../../events/policy.ts';
import type { WalletEvent } from '../../events/wallet.ts';
import type { Decision } from './approvers.ts';

type RequestedChange = Extract<WalletEvent, { type: 'PolicyChangeRequested' }>['data'];
type CarriedChange = Extract<WalletEvent, { type: 'PolicyChangeCarriedForward' }>;

export type PolicyChange = RequestedChange & {
  /** Of the approvers that are known by an address, in the policy as it will be. */
  emails: ApproverEmails | undefined;
  given: readonly Decision[];
  /** How many changes of policies of the account were asked for in the hour before this one. */
  askedBefore: number;
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
  askedBefore: 0,
  isRejected: false,
  isSuperseded: false,
  reason: undefined,
});

export const carriedChange = ({ data, personal }: CarriedChange): PolicyChange => {
  const { change, given, askedBefore = 0, isRejected = false, isSuperseded = false } = data;
  const asked = requestedChange(change, personal?.emails);
  return { ...asked, given, askedBefore, isRejected, isSuperseded, reason: personal?.reason };
};

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

const accountPrefix = 'acct_';

/** The id of a change names the account whose policy it is about, so that a link of it leads there. */
export const policyChangeIdOf = (accountId: string, commandId: string): string => {
  const digest = hash('sha256', `${accountId}\n${commandId}`, 'hex').slice(0, 24);
  return `apc_${accountId.slice(accountPrefix.length)}${digest}`;
};

/** The account that a change is of; undefined: it is no id of a change. */
export const accountOfChange = (approvalId: string): string | undefined => {
  const [, account] = /^apc_([0-9A-Za-z]+)[0-9a-f]{24}$/.exec(approvalId) ?? [];
  return account === undefined ? undefined : `${accountPrefix}${account}`;
};

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
