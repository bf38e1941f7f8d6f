/** Letters that wait for approval: the operator decides where no approver can. */
import { letterOfApproval } from '../commands/letters/approval.ts';
import { letterAggregate } from '../commands/letters/letter.ts';
import { operatorApprover } from '../commands/policies/approvers.ts';
import type { Foundation } from '../service/foundation/wing.ts';
import { oneLine, operatorContext } from '../service/operating/account-actions.ts';
import { type Command, exitCodes, Refused, UsageError } from './command.ts';
import { defineCommand } from './define-command.ts';

/** The operator is no credential of the account, so it is related to no requester. */
const operator = {
  approver: operatorApprover,
  credential: { own: [], line: [] },
  hasFullScope: false,
};

/** @throws UsageError */
const oneApproval = (command: string, [name, ...rest]: string[]): string => {
  if (name === undefined || rest.length > 0) throw new UsageError(`${command} takes one APPROVAL`);
  if (letterOfApproval(name) !== undefined) return name;
  throw new UsageError(`APPROVAL ${name} is not an approval_id`);
};

/** The account whose letter waits. @throws Refused */
const accountOf = async (
  { commands: { handler } }: Pick<Foundation, 'commands'>,
  approvalId: string,
): Promise<string> => {
  const { state } = await handler.load(letterAggregate, letterOfApproval(approvalId) ?? '');
  if (state.status !== 'none') return state.terms.accountId;
  throw new Refused(`There is no approval ${approvalId}.`);
};

/** @throws UsageError */
const approve = (positionals: string[]): Command => {
  const approvalId = oneApproval('approve', positionals);
  return async (foundation, print) => {
    const accountId = await accountOf(foundation, approvalId);
    const { approvals } = foundation.shared.letters;
    const context = operatorContext();
    const { letterId, status } = await approvals.approve(accountId, approvalId, operator, context);
    print(
      status === 'draft'
        ? `Approved letter ${letterId}. It still waits for another approver.`
        : `Approved letter ${letterId}. It is queued.`,
    );
    return exitCodes.done;
  };
};

/** @throws UsageError */
const reject = (positionals: string[], options: { reason?: string }): Command => {
  const approvalId = oneApproval('reject', positionals);
  const reason = options.reason === undefined ? undefined : oneLine('--reason', options.reason);
  return async (foundation, print) => {
    const accountId = await accountOf(foundation, approvalId);
    const { approvals } = foundation.shared.letters;
    const decision = { ...operator, reason };
    const { letterId } = await approvals.reject(accountId, approvalId, decision, operatorContext());
    print(`Rejected letter ${letterId}. It is a draft again, and its money goes back.`);
    return exitCodes.done;
  };
};

export const approveCommand = defineCommand({
  name: 'approve',
  usage: 'APPROVAL',
  summary: 'Approves a letter that a policy holds, as one of its approvers.',
  help: 'The event names the operator as the approver. Where a policy asks for two approvers, another one must approve the letter too.',
  examples: ['approve apr_7c1e…'],
  read: approve,
});

export const rejectCommand = defineCommand({
  name: 'reject',
  usage: 'APPROVAL [--reason TEXT]',
  summary: 'Rejects a letter that a policy holds: it is a draft again, and its money goes back.',
  options: { reason: 'text' },
  read: reject,
});
