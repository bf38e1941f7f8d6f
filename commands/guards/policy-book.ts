/** Policies and budgets of an account: read from its wallet, and set in it. */
import { randomUUID } from 'node:crypto';
import { uuidv5 } from '../../ground/uuid.ts';
import type { CommandContext } from '../handling/fold.ts';
import type { CommandHandler } from '../handling/handle.ts';
import { isFrozen } from '../policies/frozen.ts';
import type { Guards } from '../policies/state.ts';
import type { Wallet } from '../wallets/state.ts';
import { walletAggregate } from '../wallets/wallet.ts';
import { type BudgetState, budgetsOf } from './budgets.ts';
import type { CredentialLines } from './credential-line.ts';
import { removePolicy, type SetPolicy, setPolicy } from './set-policy.ts';

/** The subject of the policy of the whole account. */
export { accountSubject } from '../../events/policy.ts';

/** With the addresses of its approvers. */
const policyIn = ({ policies, emails }: Guards, subject: string) => ({
  policy: policies.get(subject),
  emails: emails.get(subject),
});

export type PolicyBook = ReturnType<typeof createPolicyBook>;

export const createPolicyBook = (ports: { handler: CommandHandler; lines: CredentialLines }) => {
  const { handler, lines } = ports;

  const change = async (
    accountId: string,
    { commandId, actor }: CommandContext,
    decide: (wallet: Wallet) => ReturnType<typeof setPolicy>,
  ) => {
    const context = { commandId: uuidv5(commandId, 'policy'), actor };
    const { state, events, position } = await handler.handle(
      walletAggregate,
      accountId,
      context,
      decide,
    );
    return { guards: state.guards, position: events.length > 0 ? position : 0n };
  };

  /** As it is now: deciding nothing reads what others wrote. */
  const read = async (accountId: string): Promise<{ wallet: Wallet; at: number }> => {
    let at = 0;
    const context = { commandId: randomUUID(), actor: 'reader' };
    const { state: wallet } = await handler.handle(
      walletAggregate,
      accountId,
      context,
      (_, __, now) => {
        at = Date.parse(now);
        return [];
      },
    );
    return { wallet, at };
  };

  return {
    subjectOf: lines.subjectOf,

    /** The subjects of the policies that apply to a caller, besides the account's. */
    subjectsOf: async (accountId: string, keyIds: readonly string[]): Promise<readonly string[]> =>
      (lines.known(accountId, keyIds) ?? (await lines.load(accountId, keyIds))).line,

    /** Whether one of the subjects has a policy. */
    async limitsAny(accountId: string, subjects: readonly string[]): Promise<boolean> {
      const { policies } = (await read(accountId)).wallet.guards;
      return subjects.some((subject) => policies.has(subject));
    },

    /** Whether one of the subjects, or the account, is frozen. */
    freezesAny: async (accountId: string, subjects: readonly string[]): Promise<boolean> =>
      isFrozen((await read(accountId)).wallet.guards, subjects),

    async find(accountId: string, subject: string) {
      return policyIn((await read(accountId)).wallet.guards, subject);
    },

    /** @throws AppError validation_failed, policy_protected, scope_insufficient, version_mismatch, … */
    async set(accountId: string, command: Omit<SetPolicy, 'type'>, context: CommandContext) {
      const { guards, position } = await change(accountId, context, (wallet) =>
        setPolicy(wallet, { type: 'SetPolicy', ...command }),
      );
      return { ...policyIn(guards, command.subject), position };
    },

    /** @throws AppError policy_protected, scope_insufficient, version_mismatch */
    async remove(
      accountId: string,
      command: Omit<SetPolicy, 'type' | 'wanted'>,
      context: CommandContext,
    ): Promise<bigint> {
      const { position } = await change(accountId, context, (wallet) =>
        removePolicy(wallet, { type: 'RemovePolicy', ...command }),
      );
      return position;
    },

    async budgets(accountId: string, subjects: readonly string[] | 'all'): Promise<BudgetState[]> {
      const { wallet, at } = await read(accountId);
      return budgetsOf(wallet, subjects, at);
    },
  };
};
