/** The page of an approval for the holder of a link. */
import type { LetterPersonal, LetterTerms } from '../events/letter.ts';
import type { ApprovalNeed, ApproverEmails, Policy, RuleLimit } from '../events/policy.ts';
import { decimalOf } from '../money/amounts.ts';
import { chargeOfCents, totalOf } from '../money/charge.ts';
import { presentReasons } from './approval.ts';
import { presentLimit, presentPolicy } from './policy.ts';
import { type ChangeShown, presentAfter } from './policy-change.ts';

/**
 * The state that the reader finds. `given`: the reader approved, and another approver must, too; `removed`:
 * the policies no longer name the reader.
 */
export type ApprovalState =
  | 'pending'
  | 'given'
  | 'removed'
  | 'approved'
  | 'rejected'
  | 'expired'
  | 'superseded';

type OpenedLetter = {
  kind: 'letter';
  letterId: string;
  letter: { terms: LetterTerms; personal: LetterPersonal | undefined };
};

/** How the policy would allow more than now. */
type Raise =
  | { what: 'limit'; rule: string; from: RuleLimit; to: RuleLimit | undefined }
  | { what: 'allow' | 'deny' | 'hold' | 'alert'; rule: string }
  | { what: 'quorum' | 'hours'; from: number; to: number }
  | { what: 'approvers' | 'time_zone' | 'removal' };

type OpenedChange = {
  kind: 'policy_change';
  change:
    | {
        change: ChangeShown;
        policy: Policy | undefined;
        emails: ApproverEmails | undefined;
        raises: readonly Raise[];
      }
    | undefined;
};

type Found = {
  status: Exclude<ApprovalState, 'given' | 'removed'>;
  /** Undefined: another one is asked for since. */
  approval:
    | {
        approvalId: string;
        needs: readonly ApprovalNeed[];
        expiresAt: string;
        given: readonly { approver: string }[];
      }
    | undefined;
  approver: string;
  /** Undefined where the policies no longer name the approver. */
  deciding: object | undefined;
};

/** An approval as the link of an approver opens it. */
export type OpenedLink = Found & { about: OpenedLetter | OpenedChange };

/** The form of an id says what it is about. */
export const kindOfApproval = (approvalId: string): OpenedLink['about']['kind'] =>
  approvalId.startsWith('apc_') ? 'policy_change' : 'letter';

type Waiting = { approvalId: string; quorum: number; expiresAt: string };

/** A letter that an approver decides on. */
export type LetterToApprove = Waiting & {
  kind: 'letter';
  letterId: string;
  to: LetterPersonal['to'];
  from: LetterPersonal['from'];
  /** USD, commission included. */
  total: number;
  service: string;
  /** The day on which it is to be sent, `YYYY-MM-DD`; undefined: as soon as possible. */
  sendDate: string | undefined;
  pages: number;
  test: boolean;
  /** The ids of the rules that hold it. */
  rules: readonly string[];
};

type PresentedLimit = ReturnType<typeof presentLimit>;

export type PresentedRaise =
  | { what: 'limit'; rule: string; from: PresentedLimit; to: PresentedLimit | undefined }
  | Exclude<Raise, { what: 'limit' }>;

type PresentedPolicy = NonNullable<ReturnType<typeof presentAfter>>;

/** A change of a policy that an approver decides on. `after`: undefined where the policy is deleted. */
export type ChangeToApprove = Waiting & {
  kind: 'policy_change';
  /** `account`, the id of a key, or `ucan:<cid>`. */
  policy: string;
  before: PresentedPolicy | undefined;
  after: PresentedPolicy | undefined;
  raises: readonly PresentedRaise[];
  /** The key or UCAN that asked; undefined: a wallet. */
  requestedBy: string | undefined;
};

/** @param now RFC 3339: an approval can be over before its event says so */
export const approvalStateOf = (
  { status, approval, approver, deciding }: Found,
  now: string,
): ApprovalState => {
  if (status !== 'pending' || approval === undefined) return status;
  if (now >= approval.expiresAt) return 'expired';
  if (approval.given.some((one) => one.approver === approver)) return 'given';
  return deciding === undefined ? 'removed' : 'pending';
};

type Approval = NonNullable<Found['approval']>;

const waitingOf = ({ approvalId, needs, expiresAt }: Approval): Waiting => ({
  approvalId,
  quorum: Math.max(...needs.map((need) => need.quorum)),
  expiresAt,
});

const letterIn = (
  approval: Approval,
  { letter, letterId }: OpenedLetter,
): LetterToApprove | undefined => {
  const { terms, personal } = letter;
  if (!personal) return undefined;
  const { service, sendDate, pages, test, price } = terms;
  return {
    ...waitingOf(approval),
    kind: 'letter',
    letterId,
    to: personal.to,
    from: personal.from,
    total: decimalOf(totalOf(chargeOfCents(price.charge))),
    service,
    sendDate,
    pages,
    test,
    rules: [...new Set(presentReasons(approval.needs).map(({ rule }) => rule))],
  };
};

const presentRaise = (raise: Raise): PresentedRaise =>
  raise.what === 'limit'
    ? { ...raise, from: presentLimit(raise.from), to: raise.to && presentLimit(raise.to) }
    : raise;

const changeIn = (
  approval: Approval,
  { change: opened }: OpenedChange,
): ChangeToApprove | undefined => {
  if (!opened) return undefined;
  const { change, policy, emails, raises } = opened;
  return {
    ...waitingOf(approval),
    kind: 'policy_change',
    policy: change.subject,
    before: policy && presentPolicy(policy, emails),
    after: presentAfter(change),
    raises: raises.map(presentRaise),
    requestedBy: change.requester.own[0],
  };
};

/** The letter or the change is there only where its reader can still decide. */
export const presentApprovalPage = (
  opened: OpenedLink,
  now: string,
): {
  kind: OpenedLink['about']['kind'];
  state: ApprovalState;
  shown: LetterToApprove | ChangeToApprove | undefined;
} => {
  const { about, approval } = opened;
  const { kind } = about;
  const state = approvalStateOf(opened, now);
  if (state !== 'pending' || !approval) return { kind, state, shown: undefined };
  const shown = about.kind === 'letter' ? letterIn(approval, about) : changeIn(approval, about);
  return { kind, state, shown };
};
