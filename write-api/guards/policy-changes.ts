/** Changes of policies that their maker needs an approval for, and the decisions on them. */

import type { PolicyChanges as Book, ChangeState } from '../../commands/guards/change-book.ts';
import { type CredentialLines, keyIdsOf } from '../../commands/guards/credential-line.ts';
import { changeNotFound } from '../../commands/guards/policy-change.ts';
import { type AnyOperation, type Caller, operation } from '../../contract/operation.ts';
import { Type } from '../../ground/type.ts';
import { isFullOnAccount } from '../../identity/ucan/permits.ts';
import {
  PolicyChangeAnswer,
  PolicyChangeId,
  PolicyChanges,
  presentPolicyChange,
} from '../../presenters/policy-change.ts';
import { decidingBy, Rejection } from './approvals.ts';

type ChangePorts = {
  changes: Book;
  lines: CredentialLines;
  /** The page of an approval, without a token. */
  approvalUrl: (approvalId: string) => string;
};

const Params = Type.Object({ id: PolicyChangeId });

const common = {
  tag: 'Guards',
  permit: { about: 'account' as const },
};

/** A credential sees changes of its own policy, those that it asked for and those that it decides on. */
const createMaySee = async ({ lines }: ChangePorts, caller: Caller) => {
  if (isFullOnAccount(caller)) return () => true;
  const ids = keyIdsOf(caller);
  const { own, line } =
    lines.known(caller.accountId, ids) ?? (await lines.load(caller.accountId, ids));
  return ({ change: { subject, requester, approvers } }: ChangeState): boolean =>
    line.includes(subject) || own.some((one) => [...requester.own, ...approvers].includes(one));
};

const listOperation = (ports: ChangePorts): AnyOperation =>
  operation({
    ...common,
    name: 'list_policy_changes',
    method: 'GET',
    path: '/api/policy-changes',
    summary: 'List changes of policies that need approval',
    description:
      'The latest change of each policy that somebody asked for. With scope full, of all policies of the account; otherwise of the policies of the caller, and those that it asked for or decides on.',
    access: 'read',
    readsOwnWrites: false,
    input: {},
    responses: { 200: { description: 'Changes of policies', schema: PolicyChanges } },
    errors: [],
    async handle({ caller }) {
      const maySee = await createMaySee(ports, caller);
      const changes = await ports.changes.list(caller.accountId);
      return {
        body: {
          data: changes.filter(maySee).map((one) => presentPolicyChange(one, ports.approvalUrl)),
        },
      };
    },
  });

const readOperation = (ports: ChangePorts): AnyOperation =>
  operation({
    ...common,
    name: 'get_policy_change',
    method: 'GET',
    path: '/api/policy-changes/{id}',
    summary: 'Read a change of a policy that needs approval',
    description: 'The policy as it is and as it will be, and the approvals so far.',
    access: 'read',
    readsOwnWrites: false,
    input: { params: Params },
    responses: { 200: { description: 'The change', schema: PolicyChangeAnswer } },
    errors: ['approval_not_found'],
    async handle({ params, caller }) {
      const maySee = await createMaySee(ports, caller);
      const found = await ports.changes.find(caller.accountId, params.id);
      if (!maySee(found)) throw changeNotFound();
      return { body: presentPolicyChange(found, ports.approvalUrl) };
    },
  });

const deciding = {
  ...common,
  method: 'POST' as const,
  access: 'send' as const,
};

const errors = [
  ...(['approval_not_found', 'approval_over', 'approver_is_requester'] as const),
  ...(['approver_not_allowed', 'conflict'] as const),
];

const deciders =
  'The approvers of the policy decide, and keys with scope full; neither can have a policy itself. The credential must not be the one that asked for the change, nor one that it comes from, nor one that comes from it: 403 `approver_is_requester`.';

const approveOperation = ({ changes, lines, approvalUrl }: ChangePorts): AnyOperation =>
  operation({
    ...deciding,
    name: 'approve_policy_change',
    path: '/api/policy-changes/{id}/approve',
    summary: 'Approve a change of a policy',
    description: `The last approval that is needed sets the policy. ${deciders}`,
    input: { params: Params },
    responses: { 200: { description: 'The change', schema: PolicyChangeAnswer } },
    errors: [...errors, 'policy_limit_reached', 'key_revoked'],
    async handle({ params, caller, command }) {
      const by = await decidingBy(lines, caller);
      const state = await changes.approve(caller.accountId, params.id, by, command);
      return { body: presentPolicyChange(state, approvalUrl), position: state.position };
    },
  });

const rejectOperation = ({ changes, lines, approvalUrl }: ChangePorts): AnyOperation =>
  operation({
    ...deciding,
    name: 'reject_policy_change',
    path: '/api/policy-changes/{id}/reject',
    summary: 'Reject a change of a policy',
    description: `One rejection is enough: the policy stays as it is. ${deciders}`,
    input: { params: Params, body: Rejection },
    responses: { 200: { description: 'The change', schema: PolicyChangeAnswer } },
    errors,
    examples: [{ summary: 'With a reason', body: { reason: 'Ask again next month.' } }],
    async handle({ params, body, caller, command }) {
      const by = { ...(await decidingBy(lines, caller)), reason: body.reason };
      const state = await changes.reject(caller.accountId, params.id, by, command);
      return { body: presentPolicyChange(state, approvalUrl), position: state.position };
    },
  });

export const policyChangeOperations = (ports: ChangePorts): AnyOperation[] => [
  listOperation(ports),
  readOperation(ports),
  approveOperation(ports),
  rejectOperation(ports),
];
