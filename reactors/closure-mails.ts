/** The mails about the end of an account: the code that confirms it, and the certificate of the erasure. */
import {
  type Account,
  accountAggregate,
  certificateAddress,
} from '../commands/accounts/account.ts';
import { closureCodeEveryMs } from '../commands/accounts/closure-codes.ts';
import type { CommandHandler } from '../commands/handling/handle.ts';
import { uuidv5 } from '../ground/uuid.ts';
import type { Verdict } from './mail-plan.ts';

export type ClosureJob =
  | { kind: 'closure_code'; accountId: string; period: number }
  | { kind: 'account_erased'; accountId: string };

export type ClosureRequest =
  | { kind: 'closure_code'; account: Account; email: string }
  | { kind: 'account_erased'; account: Account; certificate: string };

export type ClosureMailPorts = {
  handler: CommandHandler;
  /** The credential of the event that says that an account is erased; undefined: not issued yet. */
  certificateOf: (accountId: string) => Promise<string | undefined>;
};

/** As `MailSubject` (mail-subject.ts) has it. */
type ClosureSubject = {
  mailId: string;
  accountId: string;
  causedAtMs: number;
  address: string;
  judge(nowMs: number): Promise<Verdict>;
  judgeAgain(): Verdict;
  request(): ClosureRequest;
};

const namespace = '3f0c7b52-1d84-5e6a-9b37-636c6f737572';
/** How long the mail waits before it looks for the credential again. */
const certificateEveryMs = 1_000;

/** One code per account and quarter of an hour. */
export const closureCodeMailId = (accountId: string, period: number): string =>
  uuidv5(namespace, `code\n${accountId}\n${period}`);

export const certificateMailId = (accountId: string): string =>
  uuidv5(namespace, `certificate\n${accountId}`);

const codeSubject = async (
  { handler }: ClosureMailPorts,
  { accountId, period }: { accountId: string; period: number },
): Promise<ClosureSubject | undefined> => {
  const { state: account } = await handler.load(accountAggregate, accountId);
  const email = account.status === 'open' ? certificateAddress(account) : undefined;
  if (email === undefined) return undefined;
  const verdict = { send: true, as: 'closure_code' } as const;
  return {
    mailId: closureCodeMailId(accountId, period),
    accountId,
    causedAtMs: period * closureCodeEveryMs,
    address: email,
    judge: async () => verdict,
    judgeAgain: () => verdict,
    request: () => ({ kind: 'closure_code', account, email }),
  };
};

const certificateSubject = async (
  { handler, certificateOf }: ClosureMailPorts,
  accountId: string,
): Promise<ClosureSubject | undefined> => {
  const { state: account } = await handler.load(accountAggregate, accountId);
  const { erasedAt, address } = account.closure ?? {};
  if (erasedAt === undefined || address === undefined) return undefined;
  const certificate = await certificateOf(accountId);
  const verdict = { send: true, as: 'account_erased' } as const;
  return {
    mailId: certificateMailId(accountId),
    accountId,
    causedAtMs: Date.parse(erasedAt),
    address,
    judge: async (nowMs) =>
      certificate === undefined ? { waitUntilMs: nowMs + certificateEveryMs } : verdict,
    judgeAgain: () => verdict,
    request: () => ({ kind: 'account_erased', account, certificate: certificate ?? '' }),
  };
};

/** Undefined where there is nothing to write about any more. */
export const closureSubjectOf = (
  ports: ClosureMailPorts,
  job: ClosureJob,
): Promise<ClosureSubject | undefined> =>
  job.kind === 'closure_code' ? codeSubject(ports, job) : certificateSubject(ports, job.accountId);
