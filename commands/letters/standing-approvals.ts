/** The approvals of a letter that still count. An approver may lose the right before the last one is given. */
import { emailApproverPrefix } from '../../contract/approvals.ts';
import { scopeCovers } from '../../contract/scopes.ts';
import type { ApprovalNeed } from '../../events/policy.ts';
import { type Account, accountAggregate } from '../accounts/account.ts';
import { registeredEmail } from '../accounts/confirmation.ts';
import { emailApprover } from '../guards/email-approver.ts';
import type { CommandHandler } from '../handling/handle.ts';
import { approverIn, type Given, isOfRequester, policiesOf } from '../policies/approvers.ts';
import { isFrozen } from '../policies/frozen.ts';
import type { Guards } from '../policies/state.ts';
import { frozenElsewhere } from '../ucans/frozen-elsewhere.ts';
import { isAnyRevoked } from '../ucans/was-revoked.ts';
import type { Approval } from './approval.ts';

/** An approval with the policies that it still counts for. */
export type Standing = (given: Given) => Given;

/** @param needsNow of the current policies */
export type StandingIn = (guards: Guards, needsNow: readonly ApprovalNeed[]) => Standing;

type Digest = (kind: string, value: string) => string;

/** Whether its scope is that of the owner. The scope of a key never changes, but the address of an account does. */
const hasFullScope = (account: Account, indexOf: Digest, approver: string): boolean => {
  if (approver.startsWith(emailApproverPrefix)) {
    const email = registeredEmail(account);
    return email !== undefined && approver === emailApprover(indexOf, account.accountId, email);
  }
  const scope = account.keys.get(approver)?.scope;
  return scope === undefined || scopeCovers(scope, 'full');
};

/** Reads what became of the credentials that approved, so that the wallet can judge their approvals several times. */
export const createStanding =
  ({ handler, indexOf }: { handler: Pick<CommandHandler, 'load'>; indexOf: Digest }) =>
  async (accountId: string, approval: Approval | undefined): Promise<StandingIn> => {
    if (!approval || approval.given.length === 0) return () => (given) => given;
    const { requester, given: before } = approval;
    const { state: account } = await handler.load(accountAggregate, accountId);
    const ended = new Set<string>();
    for (const { approver, credential } of before) {
      const isRevoked = await isAnyRevoked(handler, account, credential.own);
      const isOver = isRevoked || (await frozenElsewhere(handler, account, credential.own));
      if (isOver) ended.add(approver);
    }
    return (guards, needsNow) => (given) => {
      const { approver, credential } = given;
      const isStopped = ended.has(approver) || isFrozen(guards, credential.line);
      if (isStopped || isOfRequester({ requester, needs: needsNow }, given)) {
        return { ...given, policies: [] };
      }
      const scope = { hasFullScope: hasFullScope(account, indexOf, approver) };
      const still = policiesOf(needsNow, approverIn(guards, { approver, credential, ...scope }));
      const isAsked = (policy: string) => needsNow.some((need) => need.policy === policy);
      const policies = given.policies.filter(
        (policy) => !isAsked(policy) || still.includes(policy),
      );
      return { ...given, policies };
    };
  };
