/** The mails that ask approvers for a decision: one for each approver that has an address. */
import { accountAggregate } from '../commands/accounts/account.ts';
import type { CommandHandler } from '../commands/handling/handle.ts';
import { type Approval, letterOfApproval } from '../commands/letters/approval.ts';
import type { ApprovalLinks } from '../commands/letters/approval-links.ts';
import { type ExistingLetter, letterAggregate } from '../commands/letters/letter.ts';
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

export type ApprovalRequest = {
  kind: 'approval';
  accountId: string;
  test: boolean;
  language: Language | undefined;
  approver: string;
  approval: Approval;
  letter: ExistingLetter;
};

export type ApprovalMailPorts = {
  handler: CommandHandler;
  approvalLinks: Pick<ApprovalLinks, 'approversOf'>;
  /** How many approvals of the account were asked for before this one, in the hour before it. */
  approvalsBefore: (accountId: string, approvalId: string) => Promise<number>;
};

const namespace = '0d7a5b1e-62c3-5f4a-8e19-617070726f76';

/** One per approval and approver. */
export const approvalMailId = (approvalId: string, approver: string): string =>
  uuidv5(namespace, `${approvalId}\n${approver}`);

/** The approval that a letter waits for, and its letter; undefined once it is over. */
const pendingIn = async ({ handler }: ApprovalMailPorts, approvalId: string) => {
  const letterId = letterOfApproval(approvalId);
  if (letterId === undefined) return undefined;
  const { state: letter } = await handler.load(letterAggregate, letterId);
  if (letter.status === 'none' || letter.approval?.approvalId !== approvalId) return undefined;
  const { approval } = letter;
  return approval.status === 'pending' ? { letterId, letter, approval } : undefined;
};

/** The jobs of the mails about an approval. */
export const approvalJobs = async (
  ports: ApprovalMailPorts,
  { approvalId, askedAtMs }: Pick<ApprovalJob, 'approvalId' | 'askedAtMs'>,
): Promise<ApprovalJob[]> => {
  const pending = await pendingIn(ports, approvalId);
  if (!pending) return [];
  const { accountId } = pending.letter.terms;
  const approvers = await ports.approvalLinks.approversOf(accountId, pending.approval);
  return approvers.map(({ approver }) => ({ kind: 'approval', approvalId, approver, askedAtMs }));
};

/** Undefined once the approval is over, or the policies no longer name the approver. */
export const approvalSubject = async (ports: ApprovalMailPorts, job: ApprovalJob) => {
  const { approvalId, approver, askedAtMs } = job;
  const pending = await pendingIn(ports, approvalId);
  if (!pending) return undefined;
  const { letter, approval } = pending;
  const { accountId } = letter.terms;
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
      const before = await ports.approvalsBefore(accountId, approvalId);
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
      letter,
    }),
  };
};
