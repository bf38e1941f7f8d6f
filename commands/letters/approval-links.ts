/**
 * The approvers that have an e-mail address, and the links in their mails. A link is signed and not stored: it opens
 * one approval for one approver, for as long as that one may decide on it.
 */
import { emailApproverPrefix } from '../../contract/approvals.ts';
import type { ApprovalNeed } from '../../events/policy.ts';
import { type Account, accountAggregate } from '../accounts/account.ts';
import { registeredEmail } from '../accounts/confirmation.ts';
import { emailApprover } from '../guards/email-approver.ts';
import type { CommandHandler } from '../handling/handle.ts';
import type { Deciding } from '../policies/approvers.ts';
import type { Guards } from '../policies/state.ts';
import { walletAggregate } from '../wallets/wallet.ts';
import { type Approval, type ApprovalStatus, letterOfApproval } from './approval.ts';
import { type ExistingLetter, letterAggregate } from './letter.ts';

type MailApprover = Pick<Deciding, 'approver' | 'hasFullScope'> & { email: string };

type Digest = (kind: string, value: string) => string;

/** The owner approves by the address of the account, once it is confirmed. */
const ownerOf = (account: Account, indexOf: Digest): MailApprover[] => {
  const email = registeredEmail(account);
  if (email === undefined || account.confirmedAt === undefined) return [];
  return [
    { approver: emailApprover(indexOf, account.accountId, email), email, hasFullScope: true },
  ];
};

const named = (
  { emails }: Guards,
  { policy, approvers }: ApprovalNeed,
): Omit<MailApprover, 'hasFullScope'>[] =>
  approvers
    .filter((approver) => approver.startsWith(emailApproverPrefix))
    .flatMap((approver) => {
      const email = emails.get(policy)?.[approver];
      return email === undefined ? [] : [{ approver, email }];
    });

/** Each approver once, by the addresses that the policies have now. */
const mailApproversOf = (
  { needs }: Pick<Approval, 'needs'>,
  guards: Guards,
  { account, indexOf }: { account: Account; indexOf: Digest },
): MailApprover[] => {
  const owners = ownerOf(account, indexOf);
  const isOwner = (approver: string) => owners.some((one) => one.approver === approver);
  const asked = needs.some(({ approvers }) => approvers.length === 0) ? owners : [];
  const others = needs.flatMap((need) => named(guards, need));
  const all = [...asked, ...others.map((one) => ({ ...one, hasFullScope: isOwner(one.approver) }))];
  return [...new Map(all.map((one) => [one.approver, one])).values()];
};

/** Signs what is given to it. */
type ApprovalTokens = {
  tokenOf(id: string): string;
  opens(token: string, id: string): boolean;
};

const signed = (approvalId: string, approver: string): string => `${approvalId}\n${approver}`;

/** The view that a link gives its holder. */
export type OpenedApproval = {
  accountId: string;
  letterId: string;
  letter: ExistingLetter;
  /** `superseded` also where the letter waits for another approval since. */
  status: ApprovalStatus;
  /** The approval that the link is about; undefined: the letter waits for another one since. */
  approval: Approval | undefined;
  approver: string;
  /** Undefined where the policies no longer name the approver. */
  deciding: Deciding | undefined;
};

export type ApprovalLinks = ReturnType<typeof createApprovalLinks>;

export const createApprovalLinks = (ports: {
  handler: Pick<CommandHandler, 'load'>;
  indexOf: Digest;
  tokens: ApprovalTokens;
}) => {
  const { handler, indexOf, tokens } = ports;

  /** The approvers of an approval that have an address now. */
  const approversOf = async (accountId: string, approval: Approval): Promise<MailApprover[]> => {
    const [{ state: wallet }, { state: account }] = await Promise.all([
      handler.load(walletAggregate, accountId),
      handler.load(accountAggregate, accountId),
    ]);
    return mailApproversOf(approval, wallet.guards, { account, indexOf });
  };

  /** The approver that a token names; undefined: it does not open this approval. */
  const approverIn = (approvalId: string, token: string): string | undefined => {
    const [digest = '', signature = ''] = token.split('.');
    const approver = `${emailApproverPrefix}${digest}`;
    return tokens.opens(signature, signed(approvalId, approver)) ? approver : undefined;
  };

  return {
    approversOf,

    tokenOf: (approvalId: string, approver: string): string =>
      `${approver.slice(emailApproverPrefix.length)}.${tokens.tokenOf(signed(approvalId, approver))}`,

    /** Undefined for every reason why the link shows nothing. */
    async open(approvalId: string, token: string): Promise<OpenedApproval | undefined> {
      const approver = approverIn(approvalId, token);
      const letterId = letterOfApproval(approvalId);
      if (approver === undefined || letterId === undefined) return undefined;
      const { state: letter } = await handler.load(letterAggregate, letterId);
      if (letter.status === 'none') return undefined;
      const { accountId } = letter.terms;
      const approval = letter.approval?.approvalId === approvalId ? letter.approval : undefined;
      const approvers = approval ? await approversOf(accountId, approval) : [];
      const found = approvers.find((one) => one.approver === approver);
      const credential = { own: [], line: [] };
      return {
        accountId,
        letterId,
        letter,
        status: approval?.status ?? 'superseded',
        approval,
        approver,
        deciding: found && { approver, credential, hasFullScope: found.hasFullScope },
      };
    },
  };
};
