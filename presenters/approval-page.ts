/** The page of an approval for the holder of a link. */
import type { LetterPersonal, LetterTerms } from '../events/letter.ts';
import type { ApprovalNeed } from '../events/policy.ts';
import { decimalOf } from '../money/amounts.ts';
import { chargeOfCents, totalOf } from '../money/charge.ts';
import { presentReasons } from './approval.ts';

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

/** An approval as the link of an approver opens it. */
export type OpenedLink = {
  letterId: string;
  letter: { terms: LetterTerms; personal: LetterPersonal | undefined };
  status: Exclude<ApprovalState, 'given' | 'removed'>;
  /** Undefined: the letter waits for another one since. */
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

/** The letter that an approver decides on. */
export type LetterToApprove = {
  approvalId: string;
  letterId: string;
  to: LetterPersonal['to'];
  from: LetterPersonal['from'];
  /** USD, commission included. */
  total: number;
  service: string;
  pages: number;
  test: boolean;
  /** The ids of the rules that hold it. */
  rules: readonly string[];
  quorum: number;
  expiresAt: string;
};

/** @param now RFC 3339: an approval can be over before its event says so */
export const approvalStateOf = (
  { status, approval, approver, deciding }: Omit<OpenedLink, 'letter' | 'letterId'>,
  now: string,
): ApprovalState => {
  if (status !== 'pending' || approval === undefined) return status;
  if (now >= approval.expiresAt) return 'expired';
  if (approval.given.some((one) => one.approver === approver)) return 'given';
  return deciding === undefined ? 'removed' : 'pending';
};

const letterIn = ({ approval, letter, letterId }: OpenedLink): LetterToApprove | undefined => {
  const { terms, personal } = letter;
  if (!approval || !personal) return undefined;
  const { approvalId, needs, expiresAt } = approval;
  const { service, pages, test, price } = terms;
  return {
    approvalId,
    letterId,
    to: personal.to,
    from: personal.from,
    total: decimalOf(totalOf(chargeOfCents(price.charge))),
    service,
    pages,
    test,
    rules: [...new Set(presentReasons(needs).map(({ rule }) => rule))],
    quorum: Math.max(...needs.map((need) => need.quorum)),
    expiresAt,
  };
};

/** The letter is there only where its reader can still decide. */
export const presentApprovalPage = (
  opened: OpenedLink,
  now: string,
): { state: ApprovalState; letter: LetterToApprove | undefined } => {
  const state = approvalStateOf(opened, now);
  return { state, letter: state === 'pending' ? letterIn(opened) : undefined };
};
