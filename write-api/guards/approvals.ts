/** Approvals: letters that a policy holds, and the decisions on them. */

import { type CredentialLines, keyIdsOf } from '../../commands/guards/credential-line.ts';
import type { ApprovalDecisions, Decided } from '../../commands/letters/approve-letter.ts';
import type { Deciding } from '../../commands/policies/approvers.ts';
import { AppError } from '../../contract/errors.ts';
import {
  type AnyOperation,
  type Caller,
  type OperationResult,
  operation,
} from '../../contract/operation.ts';
import { scopeCovers } from '../../contract/scopes.ts';
import { Type } from '../../ground/type.ts';
import type { Limits } from '../../limits/table.ts';
import {
  ApprovalAnswer,
  ApprovalId,
  ApprovalStatus,
  DecidedApproval,
  presentApproval,
} from '../../presenters/approval.ts';
import { Cursor, LetterId, Page, RowsPerPage, usualRows } from '../../presenters/common.ts';
import { pageOf, placeOf } from '../../presenters/paging.ts';
import type { ApprovalRecord } from '../../projections/approvals/query.ts';

type ApprovalPorts = {
  decisions: ApprovalDecisions;
  lines: CredentialLines;
  limits: Limits;
  find: (accountId: string, approvalId: string) => Promise<ApprovalRecord | undefined>;
  /** Why it was rejected, until the letter is erased. */
  reasonOf: (approval: ApprovalRecord) => Promise<string | undefined>;
  /** The latest first. */
  list: (
    accountId: string,
    page: {
      status: ApprovalRecord['status'] | undefined;
      letterId: string | undefined;
      before: bigint | undefined;
      limit: number;
    },
  ) => Promise<ApprovalRecord[]>;
};

const Params = Type.Object({ id: ApprovalId });

const common = {
  tag: 'Guards',
  permit: { about: 'account' as const },
};

const listOperation = ({ list, limits }: ApprovalPorts): AnyOperation =>
  operation({
    ...common,
    name: 'list_approvals',
    method: 'GET',
    path: '/api/approvals',
    summary: 'List approvals',
    description:
      'Letters of the account that wait for approval, or waited for one; with `letter_id`, those of one letter. Newest first.',
    access: 'read',
    input: {
      query: Type.Exact({
        status: Type.Optional(ApprovalStatus),
        letter_id: Type.Optional(LetterId),
        limit: Type.Optional(RowsPerPage(limits)),
        cursor: Type.Optional(Cursor),
      }),
    },
    responses: { 200: { description: 'Approvals', schema: Page(ApprovalAnswer) } },
    errors: ['invalid_cursor'],
    async handle({ query, caller }) {
      const { status, letter_id: letterId, limit = usualRows(limits) } = query;
      const page = { status, letterId, before: placeOf(query.cursor), limit: limit + 1 };
      const rows = await list(caller.accountId, page);
      return {
        body: pageOf(
          rows,
          limit,
          ({ requestedPosition }) => requestedPosition,
          (row) => presentApproval(row),
        ),
      };
    },
  });

const readOperation = ({ find, reasonOf }: ApprovalPorts): AnyOperation =>
  operation({
    ...common,
    name: 'get_approval',
    method: 'GET',
    path: '/api/approvals/{id}',
    summary: 'Read an approval',
    description:
      'What the letter waits for, its price and the decisions so far. The letter itself is at `GET /api/letters/{letter_id}`.',
    access: 'read',
    input: { params: Params },
    responses: { 200: { description: 'The approval', schema: ApprovalAnswer } },
    errors: ['approval_not_found'],
    async handle({ params, caller }) {
      const found = await find(caller.accountId, params.id);
      if (found) return { body: presentApproval(found, await reasonOf(found)) };
      throw new AppError('approval_not_found', 'Your account has no approval with this id.');
    },
  });

/** The caller as an approver. @throws AppError approver_not_allowed for a caller that has no credential */
export const decidingBy = async (lines: CredentialLines, caller: Caller): Promise<Deciding> => {
  const { accountId, scope } = caller;
  const ids = keyIdsOf(caller);
  const credential = lines.known(accountId, ids) ?? (await lines.load(accountId, ids));
  const [approver] = credential.own;
  if (approver !== undefined) {
    return { approver, credential, hasFullScope: scopeCovers(scope, 'full') };
  }
  throw new AppError(
    'approver_not_allowed',
    'A wallet approves nothing. Use a key of the account, or the link in the mail.',
  );
};

const presentDecided = ({
  letterId,
  approval,
  status,
  missing,
  version,
  position,
}: Decided): OperationResult => ({
  body: {
    approval_id: approval.approvalId,
    letter_id: letterId,
    status: approval.status,
    letter_status: status,
    approvals_missing: missing,
  },
  version,
  position,
});

const deciding = {
  ...common,
  method: 'POST' as const,
  access: 'send' as const,
};

const errors = [
  ...(['approval_not_found', 'approval_over', 'approver_is_requester'] as const),
  ...(['approver_not_allowed', 'letter_deleted', 'conflict'] as const),
];

const notByRequester =
  'The credential must not be the one that sent the letter, nor one that it comes from, nor one that comes from it: 403 `approver_is_requester`.';

const approveOperation = ({ decisions, lines }: ApprovalPorts): AnyOperation =>
  operation({
    ...deciding,
    name: 'approve_letter',
    path: '/api/approvals/{id}/approve',
    summary: 'Approve a letter',
    description: `The last approval that is needed queues the letter, with the money that is reserved for it. ${notByRequester}`,
    input: { params: Params },
    responses: { 200: { description: 'The decision is recorded', schema: DecidedApproval } },
    errors: [...errors, 'policy_denied', 'key_revoked', 'insufficient_funds'],
    async handle({ params, caller, command }) {
      const by = await decidingBy(lines, caller);
      return presentDecided(await decisions.approve(caller.accountId, params.id, by, command));
    },
  });

export const Rejection = Type.Exact({
  reason: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
});

const rejectOperation = ({ decisions, lines }: ApprovalPorts): AnyOperation =>
  operation({
    ...deciding,
    name: 'reject_letter',
    path: '/api/approvals/{id}/reject',
    summary: 'Reject a letter',
    description: `One rejection is enough: the letter stays a draft, and its money goes back. ${notByRequester}`,
    input: { params: Params, body: Rejection },
    responses: { 200: { description: 'The decision is recorded', schema: DecidedApproval } },
    errors,
    examples: [{ summary: 'With a reason', body: { reason: 'Send it by e-mail.' } }],
    async handle({ params, body, caller, command }) {
      const by = { ...(await decidingBy(lines, caller)), reason: body.reason };
      return presentDecided(await decisions.reject(caller.accountId, params.id, by, command));
    },
  });

export const approvalOperations = (ports: ApprovalPorts): AnyOperation[] => [
  listOperation(ports),
  readOperation(ports),
  approveOperation(ports),
  rejectOperation(ports),
];
