/** The mails that ask approvers for a decision: one for each approver that has an address. */
import { accountAggregate } from '../commands/accounts/account.ts';
import type { ApprovalLinks, FoundApproval } from '../commands/approvals/approval-links.ts';
import type { CommandHandler } from '../commands/handling/handle.ts';
import { uuidv5 } from '../ground/uuid.ts';
import type { Language } from '../postal/stationery.ts';
import { judgeApproval, type Verdict } from './mail-plan.ts';

/** `approver`: a digest of the address, so that the job contains no address. */
export type ApprovalJob = {
  kind: 'approval';
  approvalId: string;
  approver: string;
  /** When the approval was asked for, epoch ms. */
  askedAtMs: number;
};

/** An approval that waits, and what it is about. */
type Asked = {
  approval: NonNullable<FoundApproval['approval']>;
  about: FoundApproval['about'];
};

export type ApprovalRequest = {
  kind: 'approval';
  accountId: string;
  test: boolean;
  language: Language | undefined;
  approver: string;
} & Asked;

export type ApprovalMailPorts = {
  handler: CommandHandler;
  approvalLinks: Pick<ApprovalLinks, 'approversOf' | 'find'>;
  /** How many approvals of letters of the account were asked for before this one, in the hour before it. */
  approvalsBefore: (accountId: string, approvalId: string) => Promise<number>;
};

const namespace = '0d7a5b1e-62c3-5f4a-8e19-617070726f76';

/** One per approval and approver. */
export const approvalMailId = (approvalId: string, approver: string): string =>
  uuidv5(namespace, `${approvalId}\n${approver}`);

/** The approval and what waits for it; undefined once it is over. */
const pendingIn = async (
  { approvalLinks }: ApprovalMailPorts,
  approvalId: string,
): Promise<(Asked & { accountId: string }) | undefined> => {
  const found = await approvalLinks.find(approvalId);
  if (found?.status !== 'pending' || !found.approval) return undefined;
  const { accountId, about, approval } = found;
  return { accountId, about, approval };
};

/** How many approvals of the account were asked for in the hour before this one, of the same kind. */
const askedBefore = async (
  { approvalsBefore }: ApprovalMailPorts,
  { accountId, about, approval }: Asked & { accountId: string },
): Promise<number> =>
  about.kind === 'letter'
    ? approvalsBefore(accountId, approval.approvalId)
    : (about.change?.change.askedBefore ?? 0);

/** The jobs of the mails about an approval. */
export const approvalJobs = async (
  ports: ApprovalMailPorts,
  { approvalId, askedAtMs }: Pick<ApprovalJob, 'approvalId' | 'askedAtMs'>,
): Promise<ApprovalJob[]> => {
  const pending = await pendingIn(ports, approvalId);
  if (!pending) return [];
  const { accountId, approval } = pending;
  const approvers = await ports.approvalLinks.approversOf(accountId, approval);
  return approvers.map(({ approver }) => ({ kind: 'approval', approvalId, approver, askedAtMs }));
};

/** Undefined once the approval is over, or the policies no longer name the approver. */
export const approvalSubject = async (ports: ApprovalMailPorts, job: ApprovalJob) => {
  const { approvalId, approver, askedAtMs } = job;
  const pending = await pendingIn(ports, approvalId);
  if (!pending) return undefined;
  const { accountId, approval, about } = pending;
  const approvers = await ports.approvalLinks.approversOf(accountId, approval);
  const found = approvers.find((one) => one.approver === approver);
  if (!found) return undefined;
  const { state: account } = await ports.handler.load(accountAggregate, accountId);
  const { test, language } = account;
  return {
    mailId: approvalMailId(approvalId, approver),
    accountId,
    causedAtMs: askedAtMs,
    address: found.email,
    async judge(nowMs: number): Promise<Verdict> {
      // A test account moves no money, so it writes to no address but its own.
      const isLimited = test && !found.hasFullScope;
      const before = await askedBefore(ports, pending);
      return judgeApproval({ before, isLimited, expiresAt: approval.expiresAt }, nowMs);
    },
    judgeAgain: (): Verdict => ({ send: true, as: 'approval' }),
    request: (): ApprovalRequest => ({
      kind: 'approval',
      accountId,
      test,
      language,
      approver,
      approval,
      about,
    }),
  };
};
