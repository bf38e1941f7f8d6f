/** Asking for the approval of a change of a policy, and deciding on it: by the wallet, as policies are set. */
import { AppError } from '../../contract/errors.ts';
import type { CredentialLine } from '../../events/letter.ts';
import { type ApprovalNeed, type Policy, policyLimits } from '../../events/policy.ts';
import type { WalletEvent } from '../../events/wallet.ts';
import { approvalsOf, usualApprovals } from '../policies/approvals.ts';
import {
  type Approver,
  hasApproved,
  isLimited,
  isOfRequester,
  operatorApprover,
} from '../policies/approvers.ts';
import type { WantedPolicy } from '../policies/check-policy.ts';
import { assertNotFrozen } from '../policies/frozen.ts';
import {
  changeCommitment,
  changeStatus,
  type PolicyChange,
  policyChangeIdOf,
} from '../policies/policy-change.ts';
import type { Guards } from '../policies/state.ts';
import type { Wallet } from '../wallets/state.ts';
import {
  type PolicyMaker,
  planChange,
  planRemoval,
  policyRemoved,
  policySet,
  refusalOf,
  removalRefusal,
  type WantedChange,
} from './set-policy.ts';

export type RequestChange = Omit<WantedChange, 'wanted'> & {
  /** Undefined: the policy is to be removed. */
  wanted: WantedPolicy | undefined;
  accountId: string;
  commandId: string;
  maker: PolicyMaker;
  requester: CredentialLine;
};

const anotherWaits = (): AppError =>
  new AppError(
    'approval_pending',
    'Another credential asked for a change of this policy, which waits for approval. Ask again once it is decided: GET /api/policy-changes.',
  );

const tooManyWait = (): AppError =>
  new AppError(
    'policy_limit_reached',
    `${policyLimits.policies} changes of policies wait for approval already. Decide on them first: GET /api/policy-changes.`,
  );

const isBySame = ({ requester }: PolicyChange, { own: [credential] }: CredentialLine): boolean =>
  credential !== undefined && requester.own[0] === credential;

/** A change that is wanted, and why its maker cannot make it; without a refusal, `event` makes it. */
type Planned = {
  event: WalletEvent;
  refusal: AppError | undefined;
  before: Policy | undefined;
  policy: Pick<PolicyChange, 'timeZone' | 'rules' | 'approvals' | 'isRemoval'>;
};

const withoutCounters = (rules: Policy['rules']) => rules.map(({ counter: _, ...rule }) => rule);

const plannedRemoval = (state: Wallet, command: RequestChange): Planned | undefined => {
  const { subject, maker } = command;
  const before = planRemoval(state, command);
  if (!before) return undefined;
  const { timeZone, rules, approvals } = before;
  const event = policyRemoved(state, subject);
  const refusal = removalRefusal(state, subject, maker);
  const kept = { timeZone, rules: withoutCounters(rules), ...(approvals ? { approvals } : {}) };
  return { event, refusal, before, policy: { ...kept, isRemoval: true } };
};

/** Undefined: nothing would change. */
const plannedIn = (state: Wallet, command: RequestChange): Planned | undefined => {
  const { wanted, maker } = command;
  if (!wanted) return plannedRemoval(state, command);
  const planned = planChange(state, { ...command, wanted });
  if (!planned) return undefined;
  const { before, after } = planned;
  const { timeZone, approvals } = after;
  const rules = wanted.rules.map((rule) => ({ ...rule }));
  const event = policySet(after, wanted.emails);
  const refusal = refusalOf(state, planned, maker);
  return {
    event,
    refusal,
    before,
    policy: { timeZone, rules, ...(approvals ? { approvals } : {}) },
  };
};

/**
 * Makes a change of a policy where its maker can do that, and asks for its approval otherwise. The same change again
 * asks for nothing new; another one of the same credential supersedes its first.
 * @returns `approvalId`: of the change that waits; undefined: the change is made
 * @throws AppError validation_failed, version_mismatch, policy_limit_reached, approval_pending
 */
export const requestChange = (
  state: Wallet,
  command: RequestChange,
  at: string,
): { events: WalletEvent[]; approvalId?: string } => {
  const { accountId, commandId, subject, wanted, requester } = command;
  const planned = plannedIn(state, command);
  if (!planned) return { events: [] };
  const { before, refusal, event } = planned;
  if (!refusal) return { events: [event] };
  const { guards } = state;
  const policy = { subject, baseVersion: before?.version ?? 0, ...planned.policy };
  const commitment = changeCommitment(accountId, policy);
  const waiting = [...guards.changesAsked.values()].filter(
    (one) => changeStatus(one, at) === 'pending',
  );
  const asked = waiting.find((one) => one.subject === subject);
  if (asked?.commitment === commitment && isBySame(asked, requester)) {
    return { events: [], approvalId: asked.approvalId };
  }
  if (asked && !isBySame(asked, requester)) throw anotherWaits();
  if (!asked && waiting.length >= policyLimits.policies) throw tooManyWait();
  const { quorum, approvers, expiresInHours } = before ? approvalsOf(before) : usualApprovals;
  const expiresAt = new Date(Date.parse(at) + expiresInHours * 3_600_000).toISOString();
  const approvalId = policyChangeIdOf(accountId, commandId);
  const asks = { quorum, approvers, requester, expiresAt };
  const data = { approvalId, ...policy, commitment, ...asks };
  const personal = wanted?.emails ? { personal: { emails: wanted.emails } } : {};
  return { events: [{ type: 'PolicyChangeRequested', data, ...personal }], approvalId };
};

const over = {
  approved: 'The change is approved already.',
  rejected: 'The change was rejected. It can be asked for again.',
  expired: 'The time to approve the change is over. It can be asked for again.',
  superseded: 'The policy changed since. The change can be asked for again.',
};

export const changeNotFound = (): AppError =>
  new AppError(
    'approval_not_found',
    'Your account has no change of a policy with this id that waits or was decided recently.',
  );

/** @throws AppError approval_not_found */
export const changeIn = ({ changesAsked }: Guards, approvalId: string): PolicyChange => {
  const change = [...changesAsked.values()].find((one) => one.approvalId === approvalId);
  if (!change) throw changeNotFound();
  return change;
};

/** @throws AppError approval_over */
const assertPending = (change: PolicyChange, at: string): void => {
  const status = changeStatus(change, at);
  if (status === 'pending') return;
  throw new AppError('approval_over', over[status], { extra: { approval_status: status } });
};

/** An owner with scope full could make the change itself, so it approves one next to the named approvers. */
const mayDecide = ({ approvers }: PolicyChange, { approver, isOwner }: Approver): boolean =>
  isOwner || approver === operatorApprover || approvers.includes(approver);

export const changeNeeds = ({ subject, quorum, approvers }: PolicyChange): ApprovalNeed[] => [
  { policy: subject, rules: [], quorum, approvers: [...approvers] },
];

/** @throws AppError approver_is_requester, approver_not_allowed */
const assertMayDecide = (guards: Guards, change: PolicyChange, approver: Approver): void => {
  const { requester } = change;
  if (isOfRequester({ requester, needs: changeNeeds(change) }, approver)) {
    throw new AppError(
      'approver_is_requester',
      'The change was asked for with this credential, with one that it comes from, or with one that comes from it; or the policy applies to this credential. Decide with another credential of the account.',
    );
  }
  // A limited credential raises no limits, so it approves no change that does.
  if (mayDecide(change, approver) && !isLimited(guards, approver)) return;
  throw new AppError(
    'approver_not_allowed',
    'The approvers of the policy decide on its changes, and keys with scope full. Neither can have a policy itself.',
  );
};

/** The approvals before must count when the last one is given. @throws AppError frozen, approver_not_allowed */
const assertStillCount = (guards: Guards, { given }: PolicyChange): void => {
  const lines = given.flatMap(({ credential }) => credential.line);
  assertNotFrozen(guards, lines, 'A credential that approved the change');
  if (!given.some((one) => isLimited(guards, one))) return;
  throw new AppError(
    'approver_not_allowed',
    'A credential that approved the change now has a policy itself, so its approval no longer counts. Reject the change and ask for it again.',
  );
};

const decisionOf = ({ approvalId, subject }: PolicyChange, approver: Approver) => ({
  approvalId,
  subject,
  approver: approver.approver,
  credential: approver.credential,
});

/** The change that was asked for, on top of the version that it was asked for. */
const changed = (state: Wallet, change: PolicyChange): WalletEvent[] => {
  const { subject, timeZone, approvals, emails, isRemoval } = change;
  if (isRemoval) return planRemoval(state, { subject }) ? [policyRemoved(state, subject)] : [];
  const rules = withoutCounters(change.rules);
  const wanted = {
    timeZone,
    rules,
    ...(approvals ? { approvals } : {}),
    ...(emails ? { emails } : {}),
  };
  const planned = planChange(state, { subject, wanted });
  return planned ? [policySet(planned.after, emails)] : [];
};

/**
 * One approval; the last one that is needed sets or removes the policy in the same commit. The same approver again changes
 * nothing.
 * @throws AppError approval_not_found, approval_over, approver_is_requester, approver_not_allowed, frozen,
 * policy_limit_reached
 */
export const approveChange = (
  state: Wallet,
  { approvalId, approver }: { approvalId: string; approver: Approver },
  at: string,
): WalletEvent[] => {
  const { guards } = state;
  const change = changeIn(guards, approvalId);
  if (change.given.some((one) => one.approver === approver.approver)) return [];
  assertPending(change, at);
  assertNotFrozen(guards, approver.credential.line);
  assertNotFrozen(guards, change.requester.line, 'The credential that asked for the change');
  assertMayDecide(guards, change, approver);
  assertStillCount(guards, change);
  const given = change.given.map((one) => ({ ...one, policies: [change.subject] }));
  if (hasApproved({ given }, approver)) {
    throw new AppError(
      'approver_not_allowed',
      'A credential of the same line has approved the change already. Another approver must approve it too.',
    );
  }
  const event: WalletEvent = {
    type: 'PolicyChangeApproved',
    data: decisionOf(change, approver),
  };
  return given.length + 1 < change.quorum ? [event] : [event, ...changed(state, change)];
};

/**
 * One rejection is enough: the policy stays as it is.
 * @throws AppError approval_not_found, approval_over, approver_is_requester, approver_not_allowed, frozen
 */
export const rejectChange = (
  state: Wallet,
  {
    approvalId,
    approver,
    reason,
  }: { approvalId: string; approver: Approver; reason: string | undefined },
  at: string,
): WalletEvent[] => {
  const { guards } = state;
  const change = changeIn(guards, approvalId);
  if (change.isRejected) return [];
  assertPending(change, at);
  assertNotFrozen(guards, approver.credential.line);
  assertMayDecide(guards, change, approver);
  const personal = reason === undefined ? {} : { personal: { reason } };
  return [{ type: 'PolicyChangeRejected', data: decisionOf(change, approver), ...personal }];
};
