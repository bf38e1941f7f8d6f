/**
 * Policies as settings that the owner of an account keeps or ends: the one of the account, and those that name
 * approvers, since an approver reads letters. Without approvers the policy of a key or UCAN only protects, so it stays.
 */
import type { AccountEvent } from '../../events/account.ts';
import { accountSubject, type Policy } from '../../events/policy.ts';
import type { WalletEvent } from '../../events/wallet.ts';
import { uuidv5 } from '../../ground/uuid.ts';
import type { CommandContext } from '../handling/fold.ts';
import type { CommandHandler } from '../handling/handle.ts';
import type { Guards } from '../policies/state.ts';
import type { Wallet } from '../wallets/state.ts';
import { walletAggregate } from '../wallets/wallet.ts';
import { type Account, accountAggregate } from './account.ts';
import { type Setting, settingOf } from './settings-before-proof.ts';

const settingFor = ({ emails }: Guards, policy: Policy, unproven: boolean): Setting[] => {
  const { subject, version, approvals } = policy;
  const approvers = approvals?.approvers ?? [];
  if (subject !== accountSubject && approvers.length === 0) return [];
  const names = approvers.map((one) => emails.get(subject)?.[one] ?? one);
  const value = names.length === 0 ? subject : `${subject} (${names.join(', ')})`;
  return settingOf('policy', value, unproven, `${version}`);
};

/** @param unproven whether nobody has proved the address of the account yet */
const policySettings = ({ guards }: Wallet, unproven: boolean): Setting[] =>
  [...guards.policies.values()].flatMap((policy) => settingFor(guards, policy, unproven));

/** Removes the policy of the account. Others keep their limits and lose their approvers. */
const endPolicies = ({ guards }: Wallet, ended: Setting[]): WalletEvent[] => {
  const ids = new Set(ended.map(({ id }) => id));
  return [...guards.policies.values()]
    .filter((policy) => settingFor(guards, policy, false).some(({ id }) => ids.has(id)))
    .map(({ approvals: _, ...policy }, index): WalletEvent => {
      const { subject } = policy;
      const version = guards.changes + 1 + index;
      return subject === accountSubject
        ? { type: 'PolicyRemoved', data: { subject, version } }
        : { type: 'PolicySet', data: { ...policy, version } };
    });
};

/** A decision about an account that may end its policies. */
type Deciding = {
  decide: (account: Account, policies: Setting[]) => AccountEvent[];
  /** The policies that end with it. */
  ends: (account: Account, policies: Setting[]) => Setting[];
};

export type PoliciesBeforeProof = ReturnType<typeof createPoliciesBeforeProof>;

export const createPoliciesBeforeProof = ({ handler }: { handler: CommandHandler }) => {
  const isUnproven = ({ confirmedAt }: Account): boolean => confirmedAt === undefined;

  const policiesOf = async (account: Account): Promise<Setting[]> => {
    const { state } = await handler.load(walletAggregate, account.accountId);
    return policySettings(state, isUnproven(account));
  };

  /**
   * The wallet keeps policies, so they end before the account changes: if the service stops in between, the link
   * still works. They end once more afterwards, because a key that ends with the change may set one meanwhile.
   */
  const decideWithPolicies = async (
    accountId: string,
    { decide, ends }: Deciding,
    context: CommandContext,
  ) => {
    const { state: before } = await handler.load(accountAggregate, accountId);
    const policies = await policiesOf(before);
    const end = async (pass: string): Promise<bigint> => {
      const cause = { commandId: uuidv5(context.commandId, pass), actor: context.actor };
      const outcome = await handler.handle(walletAggregate, accountId, cause, (wallet) =>
        endPolicies(wallet, ends(before, policySettings(wallet, isUnproven(before)))),
      );
      return outcome.events.length > 0 ? outcome.position : 0n;
    };
    // Every reason to refuse is found before a policy ends.
    if (decide(before, policies).length > 0) await end('policies');
    const outcome = await handler.handle(accountAggregate, accountId, context, (account) =>
      decide(account, policies),
    );
    const last = outcome.events.length > 0 ? await end('policies meanwhile') : 0n;
    const position = last > outcome.position ? last : outcome.position;
    return { ...outcome, position };
  };

  return { policiesOf, decideWithPolicies };
};
