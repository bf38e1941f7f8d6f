/** The approvers of what waits: of a letter that a policy holds, and of a change of a policy. */
import { walletSubject } from '../../contract/frozen.ts';
import type { CredentialLine } from '../../events/letter.ts';
import type { ApprovalNeed } from '../../events/policy.ts';

/** An approver, and the credential that it decides with. */
export type Decision = { approver: string; credential: CredentialLine };

/** One approval, and the policies that it counts for. */
export type Given = Decision & { policies: readonly string[] };

/** The approvals that are needed, and those that were given. */
type Asked = { needs: readonly ApprovalNeed[]; given: readonly Given[] };

/** Approves for every policy that asks for approvals. */
export const operatorApprover = 'operator';

export type Approver = Decision & {
  /** Whether it may stand for the owner of the account, where a policy names no approvers. */
  isOwner: boolean;
};

/** An approver before it is known whether it may stand for the owner. */
export type Deciding = Decision & {
  /** Whether its scope is that of the owner. */
  hasFullScope: boolean;
};

/** The subjects that have a policy. */
type Limited = { policies: { has(subject: string): boolean } };

export const isLimited = ({ policies }: Limited, { credential }: Decision): boolean =>
  credential.line.some((subject) => policies.has(subject));

/** A credential with a policy stands for no owner: it would lift its own limits. */
export const approverIn = (guards: Limited, { hasFullScope, ...decision }: Deciding): Approver => ({
  ...decision,
  isOwner: hasFullScope && !isLimited(guards, decision),
});

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
export const missingApprovals = ({ needs, given }: Asked): number =>
  needs.reduce((most, { policy, quorum }) => {
    const count = given.filter(({ policies }) => policies.includes(policy)).length;
    return Math.max(most, quorum - count);
  }, 0);

const meets = (some: readonly string[], others: readonly string[]): boolean =>
  some.some((one) => others.includes(one));

/** Whether one is a wallet, which has no key of its own, and the other is a key that the wallet made. */
const isMadeByWallet = (one: CredentialLine, other: CredentialLine): boolean =>
  one.own.length === 0 && [one, other].every(({ line }) => line.includes(walletSubject));

/** Whether one of two credentials is the other, or comes from it. */
const areRelated = (one: CredentialLine, other: CredentialLine): boolean =>
  meets(one.own, other.line) ||
  meets(other.own, one.line) ||
  isMadeByWallet(one, other) ||
  isMadeByWallet(other, one);

/**
 * Whether a credential decides on its own letter, on one of what it comes from or of what comes from it, or is held
 * by the same policy itself.
 */
export const isOfRequester = (
  {
    requester,
    needs,
  }: {
    requester: CredentialLine;
    needs: readonly ApprovalNeed[];
  },
  { credential }: Pick<Decision, 'credential'>,
): boolean =>
  areRelated(requester, credential) || needs.some(({ policy }) => credential.line.includes(policy));

/** Whether the same approver, or a credential of the same line, approved before. */
export const hasApproved = (
  { given }: Pick<Asked, 'given'>,
  { approver, credential }: Decision,
): boolean =>
  given.some((one) => one.approver === approver || areRelated(one.credential, credential));
