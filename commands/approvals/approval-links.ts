/**
 * Approvals of letters and of changes of policies: the approvers that have an e-mail address, and the links in their
 * mails. A link is signed and not stored: it opens one approval for one approver, for as long as that one may decide
 * on it.
 */
import { emailApproverPrefix } from '../../contract/approvals.ts';
import type { ApprovalNeed } from '../../events/policy.ts';
import { type Clock, toTimestamp } from '../../ground/clock.ts';
import { type Account, accountAggregate } from '../accounts/account.ts';
import { registeredEmail } from '../accounts/confirmation.ts';
import { activeKeys } from '../accounts/keys.ts';
import { signInKeysOf } from '../accounts/sign-in-keys.ts';
import { type ChangeState, changeStateOf } from '../guards/change-book.ts';
import { emailApprover } from '../guards/email-approver.ts';
import { changeNeeds } from '../guards/policy-change.ts';
import type { CommandHandler } from '../handling/handle.ts';
import { type ApprovalStatus, letterOfApproval } from '../letters/approval.ts';
import { type ExistingLetter, letterAggregate } from '../letters/letter.ts';
import type { Deciding, Given } from '../policies/approvers.ts';
import { type Raise, raisesOf } from '../policies/lowering.ts';
import { accountOfChange } from '../policies/policy-change.ts';
import type { Guards } from '../policies/state.ts';
import { walletAggregate } from '../wallets/wallet.ts';

type MailApprover = Deciding & { email: string };

type Digest = (kind: string, value: string) => string;

/**
 * The owner approves by the address of the account, once it is confirmed. The reader of that address cannot approve a
 * letter of a session that began with a mail to it, because both are the same person.
 */
const ownerOf = (account: Account, indexOf: Digest, at: string): MailApprover[] => {
  const email = registeredEmail(account);
  if (email === undefined || account.confirmedAt === undefined) return [];
  const approver = emailApprover(indexOf, account.accountId, email);
  const active = new Set(activeKeys(account, at));
  const line = signInKeysOf(account).filter((key) => active.has(key));
  const credential = { own: [], line: line.map(({ keyId }) => keyId) };
  return [{ approver, email, credential, hasFullScope: true }];
};

const named = (
  { emails }: Guards,
  { policy, approvers }: ApprovalNeed,
): Pick<MailApprover, 'approver' | 'email'>[] =>
  approvers
    .filter((approver) => approver.startsWith(emailApproverPrefix))
    .flatMap((approver) => {
      const email = emails.get(policy)?.[approver];
      return email === undefined ? [] : [{ approver, email }];
    });

/** Each approver once, by the addresses that the policies have now. */
const mailApproversOf = (
  { needs }: Pick<AskedApproval, 'needs'>,
  guards: Guards,
  { account, indexOf, at }: { account: Account; indexOf: Digest; at: string },
): MailApprover[] => {
  const owners = ownerOf(account, indexOf, at);
  const ownerBy = (approver: string) => owners.find((one) => one.approver === approver);
  const nobody = { credential: { own: [], line: [] }, hasFullScope: false };
  const asked = needs.some(({ approvers }) => approvers.length === 0) ? owners : [];
  const others = needs.flatMap((need) => named(guards, need));
  const all = [...asked, ...others.map((one) => ownerBy(one.approver) ?? { ...nobody, ...one })];
  return [...new Map(all.map((one) => [one.approver, one])).values()];
};

/** Signs what is given to it. */
type ApprovalTokens = {
  tokenOf(id: string): string;
  opens(token: string, id: string): boolean;
};

const signed = (approvalId: string, approver: string): string => `${approvalId}\n${approver}`;

/** An approval that somebody asked for, of a letter or of a change of a policy. */
type AskedApproval = {
  approvalId: string;
  needs: readonly ApprovalNeed[];
  given: readonly Pick<Given, 'approver'>[];
  expiresAt: string;
};

export type ApprovalSubject =
  | { kind: 'letter'; letterId: string; letter: ExistingLetter }
  /** `change`: undefined where another change of the policy was asked for since. */
  | { kind: 'policy_change'; change: (ChangeState & { raises: Raise[] }) | undefined };

export type FoundApproval = {
  accountId: string;
  about: ApprovalSubject;
  /** `superseded` also where another approval is asked for since. */
  status: ApprovalStatus;
  /** Undefined: another one is asked for since. */
  approval: AskedApproval | undefined;
};

/** The view that a link gives its holder. */
export type OpenedApproval = FoundApproval & {
  approver: string;
  /** Undefined where the policies no longer name the approver. */
  deciding: Deciding | undefined;
};

type LinkPorts = {
  handler: Pick<CommandHandler, 'load'>;
  clock: Clock;
  indexOf: Digest;
  tokens: ApprovalTokens;
};

const letterApproval = async (
  { handler }: LinkPorts,
  approvalId: string,
  letterId: string,
): Promise<FoundApproval | undefined> => {
  const { state: letter } = await handler.load(letterAggregate, letterId);
  if (letter.status === 'none') return undefined;
  const approval = letter.approval?.approvalId === approvalId ? letter.approval : undefined;
  const status = approval?.status ?? 'superseded';
  const { accountId } = letter.terms;
  return { accountId, about: { kind: 'letter', letterId, letter }, status, approval };
};

/** A first policy raises nothing. */
const raisesIn = ({ change, policy }: ChangeState): Raise[] => {
  if (!policy) return [];
  return change.isRemoval ? [{ what: 'removal' }] : raisesOf(policy, change);
};

const changeApproval = async (
  { handler, clock }: LinkPorts,
  approvalId: string,
  accountId: string,
): Promise<FoundApproval> => {
  const { guards } = (await handler.load(walletAggregate, accountId)).state;
  const asked = [...guards.changesAsked.values()].find((one) => one.approvalId === approvalId);
  if (!asked) {
    const about = { kind: 'policy_change' as const, change: undefined };
    return { accountId, about, status: 'superseded', approval: undefined };
  }
  const state = changeStateOf(guards, asked, toTimestamp(clock()));
  const { given, expiresAt } = asked;
  return {
    accountId,
    about: { kind: 'policy_change', change: { ...state, raises: raisesIn(state) } },
    status: state.status,
    approval: { approvalId, needs: changeNeeds(asked), given, expiresAt },
  };
};

export type ApprovalLinks = ReturnType<typeof createApprovalLinks>;

export const createApprovalLinks = (ports: LinkPorts) => {
  const { handler, clock, indexOf, tokens } = ports;

  /** The approvers of an approval that have an address now. */
  const approversOf = async (
    accountId: string,
    approval: Pick<AskedApproval, 'needs'>,
  ): Promise<MailApprover[]> => {
    const [{ state: wallet }, { state: account }] = await Promise.all([
      handler.load(walletAggregate, accountId),
      handler.load(accountAggregate, accountId),
    ]);
    const at = toTimestamp(clock());
    return mailApproversOf(approval, wallet.guards, { account, indexOf, at });
  };

  /** The approver that a token names; undefined: it does not open this approval. */
  const approverIn = (approvalId: string, token: string): string | undefined => {
    const [digest = '', signature = ''] = token.split('.');
    const approver = `${emailApproverPrefix}${digest}`;
    return tokens.opens(signature, signed(approvalId, approver)) ? approver : undefined;
  };

  const find = async (approvalId: string): Promise<FoundApproval | undefined> => {
    const letterId = letterOfApproval(approvalId);
    if (letterId !== undefined) return letterApproval(ports, approvalId, letterId);
    const accountId = accountOfChange(approvalId);
    return accountId === undefined ? undefined : changeApproval(ports, approvalId, accountId);
  };

  return {
    approversOf,
    find,
    approverIn,

    tokenOf: (approvalId: string, approver: string): string =>
      `${approver.slice(emailApproverPrefix.length)}.${tokens.tokenOf(signed(approvalId, approver))}`,

    /** Undefined for every reason why the link shows nothing. */
    async open(approvalId: string, token: string): Promise<OpenedApproval | undefined> {
      const approver = approverIn(approvalId, token);
      if (approver === undefined) return undefined;
      const found = await find(approvalId);
      if (!found) return undefined;
      const { accountId, approval } = found;
      const approvers = approval ? await approversOf(accountId, approval) : [];
      const by = approvers.find((one) => one.approver === approver);
      const deciding = by && {
        approver,
        credential: by.credential,
        hasFullScope: by.hasFullScope,
      };
      return { ...found, approver, deciding };
    },
  };
};
