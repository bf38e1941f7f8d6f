/** Changes of policies that need approval: asked for, listed and decided in the wallet that keeps the policies. */
import { randomUUID } from 'node:crypto';
import { AppError } from '../../contract/errors.ts';
import { askerRevoked } from '../../contract/refusals.ts';
import type { ApproverEmails, Policy } from '../../events/policy.ts';
import type { WalletEvent } from '../../events/wallet.ts';
import { uuidv5 } from '../../ground/uuid.ts';
import { type Account, accountAggregate } from '../accounts/account.ts';
import { assertNotBlocked } from '../accounts/restrictions.ts';
import type { CommandContext } from '../handling/fold.ts';
import type { CommandHandler } from '../handling/handle.ts';
import { approverIn, type Deciding } from '../policies/approvers.ts';
import { changeStatus, type PolicyChange } from '../policies/policy-change.ts';
import type { Guards } from '../policies/state.ts';
import type { Wallet } from '../wallets/state.ts';
import { walletAggregate } from '../wallets/wallet.ts';
import {
  approveChange,
  changeIn,
  type RequestChange,
  rejectChange,
  requestChange,
} from './policy-change.ts';

/** A change, how it stands, and the policy that it is about as it is now. */
export type ChangeState = {
  change: PolicyChange;
  status: ReturnType<typeof changeStatus>;
  policy: Policy | undefined;
  /** Of its approvers. */
  emails: ApproverEmails | undefined;
};

/** Runs a decision on the wallet of an account, and answers with its guards and the time of the decision. */
const createDecide =
  ({ handler }: { handler: CommandHandler }) =>
  async (
    accountId: string,
    { commandId, actor }: CommandContext,
    decider: (wallet: Wallet, at: string) => WalletEvent[],
  ) => {
    let now = '';
    const context = { commandId: uuidv5(commandId, 'policy-change'), actor };
    const outcome = await handler.handle(walletAggregate, accountId, context, (wallet, _, at) => {
      now = at;
      return decider(wallet, at);
    });
    const { events, position, state } = outcome;
    return { guards: state.guards, position: events.length > 0 ? position : 0n, now };
  };

export const changeStateOf = (guards: Guards, change: PolicyChange, at: string): ChangeState => ({
  change,
  status: changeStatus(change, at),
  policy: guards.policies.get(change.subject),
  emails: guards.emails.get(change.subject),
});

export type PolicyChanges = ReturnType<typeof createPolicyChanges>;

type ChangePorts = {
  handler: CommandHandler;
  /** @param ids ids of keys, and `ucan:<cid>` */
  isAnyRevoked: (
    handler: CommandHandler,
    account: Account,
    ids: readonly string[],
  ) => Promise<boolean>;
};

const approverRevoked = (): AppError =>
  new AppError(
    'key_revoked',
    'A key or UCAN that approved the change has been revoked since, so its approval no longer counts. Reject the change and ask for it again.',
  );

/**
 * Refuses a change if, since it was asked for, the operator blocked the account, or the owner revoked the key that
 * asked for it or one that approved it.
 * @throws AppError account_blocked, key_revoked
 */
const assertMayChange = async (
  { handler, isAnyRevoked }: ChangePorts,
  accountId: string,
  { change, status }: ChangeState,
): Promise<void> => {
  if (status !== 'pending') return;
  const { state } = await handler.load(accountAggregate, accountId);
  assertNotBlocked(state);
  const { own } = change.requester;
  if (await isAnyRevoked(handler, state, own)) throw askerRevoked('The change');
  const approvers = change.given.flatMap(({ credential }) => credential.own);
  if (await isAnyRevoked(handler, state, approvers)) throw approverRevoked();
};

export const createPolicyChanges = (ports: ChangePorts) => {
  const decide = createDecide(ports);

  /** As it is now: deciding nothing reads what others wrote. */
  const read = (accountId: string) =>
    decide(accountId, { commandId: randomUUID(), actor: 'reader' }, () => []);

  /** @throws AppError approval_not_found */
  const find = async (accountId: string, approvalId: string): Promise<ChangeState> => {
    const { guards, now } = await read(accountId);
    return changeStateOf(guards, changeIn(guards, approvalId), now);
  };

  return {
    find,

    /**
     * Sets or removes the policy where the caller can, and asks for an approval otherwise.
     * @returns `asked`: undefined where the change is made
     * @throws AppError validation_failed, version_mismatch, policy_limit_reached, approval_pending
     */
    async request(
      accountId: string,
      command: Omit<RequestChange, 'accountId' | 'commandId'>,
      context: CommandContext,
    ) {
      const { commandId } = context;
      let approvalId: string | undefined;
      const { guards, position, now } = await decide(accountId, context, (wallet, at) => {
        const requested = requestChange(wallet, { ...command, accountId, commandId }, at);
        approvalId = requested.approvalId;
        return requested.events;
      });
      const { subject } = command;
      return {
        asked: approvalId && changeStateOf(guards, changeIn(guards, approvalId), now),
        policy: guards.policies.get(subject),
        emails: guards.emails.get(subject),
        position,
      };
    },

    /** The latest change of each policy, sorted by when it expires. */
    async list(accountId: string): Promise<ChangeState[]> {
      const { guards, now } = await read(accountId);
      return [...guards.changesAsked.values()]
        .map((change) => changeStateOf(guards, change, now))
        .toSorted((one, other) => (one.change.expiresAt < other.change.expiresAt ? -1 : 1));
    },

    /**
     * @throws AppError approval_not_found, approval_over, approver_is_requester, approver_not_allowed, frozen,
     * account_blocked, key_revoked
     */
    async approve(
      accountId: string,
      approvalId: string,
      deciding: Deciding,
      context: CommandContext,
    ) {
      await assertMayChange(ports, accountId, await find(accountId, approvalId));
      const { guards, position, now } = await decide(accountId, context, (wallet, at) =>
        approveChange(wallet, { approvalId, approver: approverIn(wallet.guards, deciding) }, at),
      );
      return { ...changeStateOf(guards, changeIn(guards, approvalId), now), position };
    },

    /** @throws AppError approval_not_found, approval_over, approver_is_requester, approver_not_allowed, frozen */
    async reject(
      accountId: string,
      approvalId: string,
      { reason, ...deciding }: Deciding & { reason: string | undefined },
      context: CommandContext,
    ) {
      const { guards, position, now } = await decide(accountId, context, (wallet, at) => {
        const approver = approverIn(wallet.guards, deciding);
        return rejectChange(wallet, { approvalId, approver, reason }, at);
      });
      return { ...changeStateOf(guards, changeIn(guards, approvalId), now), position };
    },
  };
};
