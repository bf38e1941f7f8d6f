/** Letters and changes of policies that wait for approval: the operator decides where no approver can. */
import { createPolicyChanges } from '../commands/guards/change-book.ts';
import { letterOfApproval } from '../commands/letters/approval.ts';
import { letterAggregate } from '../commands/letters/letter.ts';
import { operatorApprover } from '../commands/policies/approvers.ts';
import { accountOfChange } from '../commands/policies/policy-change.ts';
import { isAnyRevoked } from '../commands/ucans/was-revoked.ts';
import type { Foundation } from '../service/foundation/wing.ts';
import { oneLine, operatorContext } from '../service/operating/account-actions.ts';
import { type CommandWork, Refused, UsageError } from './command.ts';
import { defineCommand } from './define-command.ts';

/** The operator is no credential of the account, so it is related to no requester. */
const operator = {
  approver: operatorApprover,
  credential: { own: [], line: [] },
  hasFullScope: false,
};

/** The subject of an approval: a letter, or a change of a policy of an account. */
type Subject = { letterId: string } | { accountId: string };

type Approval = { approvalId: string; about: Subject };

const subjectOf = (approvalId: string): Subject | undefined => {
  const [letterId, accountId] = [letterOfApproval(approvalId), accountOfChange(approvalId)];
  if (letterId !== undefined) return { letterId };
  return accountId === undefined ? undefined : { accountId };
};

/** @throws UsageError */
const oneApproval = (command: string, [name, ...rest]: string[]): Approval => {
  if (name === undefined || rest.length > 0) throw new UsageError(`${command} takes one APPROVAL`);
  const about = subjectOf(name);
  if (about) return { approvalId: name, about };
  throw new UsageError(`APPROVAL ${name} is not an approval_id`);
};

/** The account of a letter. @throws Refused */
const ownerOf = async (
  { commands: { handler } }: Pick<Foundation, 'commands'>,
  { approvalId, letterId }: { approvalId: string; letterId: string },
): Promise<string> => {
  const { state } = await handler.load(letterAggregate, letterId);
  if (state.status !== 'none') return state.terms.accountId;
  throw new Refused(`There is no approval ${approvalId}.`);
};

const changesIn = ({ commands: { handler } }: Pick<Foundation, 'commands'>) =>
  createPolicyChanges({ handler, isAnyRevoked });

const approveIn = async (
  foundation: Foundation,
  { approvalId, about }: Approval,
): Promise<string> => {
  const context = operatorContext();
  if ('accountId' in about) {
    const changes = changesIn(foundation);
    const { accountId } = about;
    const { change, status } = await changes.approve(accountId, approvalId, operator, context);
    return status === 'approved'
      ? `Approved the change of the policy of ${change.subject}. It holds now.`
      : `Approved the change of the policy of ${change.subject}. It still waits for another approver.`;
  }
  const { approvals } = foundation.shared.letters;
  const accountId = await ownerOf(foundation, { approvalId, ...about });
  const { letterId, status } = await approvals.approve(accountId, approvalId, operator, context);
  return status === 'draft'
    ? `Approved letter ${letterId}. It still waits for another approver.`
    : `Approved letter ${letterId}. It is queued.`;
};

const rejectIn = async (
  foundation: Foundation,
  { approvalId, about }: Approval,
  reason: string | undefined,
): Promise<string> => {
  const decision = { ...operator, reason };
  const context = operatorContext();
  if ('accountId' in about) {
    const changes = changesIn(foundation);
    const { change } = await changes.reject(about.accountId, approvalId, decision, context);
    return `Rejected the change of the policy of ${change.subject}. The policy stays as it is.`;
  }
  const { approvals } = foundation.shared.letters;
  const accountId = await ownerOf(foundation, { approvalId, ...about });
  const { letterId } = await approvals.reject(accountId, approvalId, decision, context);
  return `Rejected letter ${letterId}. It is a draft again, and its money goes back.`;
};

/** @throws UsageError */
const approve = (positionals: string[]): CommandWork => {
  const approval = oneApproval('approve', positionals);
  return async (foundation, print) => {
    print(await approveIn(foundation, approval));
  };
};

/** @throws UsageError */
const reject = (positionals: string[], options: { reason?: string }): CommandWork => {
  const approval = oneApproval('reject', positionals);
  const reason = options.reason === undefined ? undefined : oneLine('--reason', options.reason);
  return async (foundation, print) => {
    print(await rejectIn(foundation, approval, reason));
  };
};

export const approveCommand = defineCommand({
  name: 'approve',
  usage: 'APPROVAL',
  summary:
    'Approves a letter that a policy holds, or a change of a policy, as one of its approvers.',
  help: 'The event names the operator as the approver. Where a policy asks for two approvers, another one must approve too.',
  examples: ['approve apr_7c1e…'],
  read: approve,
});

export const rejectCommand = defineCommand({
  name: 'reject',
  usage: 'APPROVAL [--reason TEXT]',
  summary: 'Rejects a letter that a policy holds, or a change of a policy.',
  help: 'The letter is a draft again, and its money goes back. The policy stays as it is.',
  options: { reason: 'text' },
  read: reject,
});
