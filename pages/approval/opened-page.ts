/** The page of an approval, for the holder of a link. */
import type { OpenedApproval } from '../../commands/letters/approval-links.ts';
import { presentReasons } from '../../presenters/approval.ts';
import { type ApprovalPage, approvalPage, type LetterToApprove } from './approval-page.ts';
import type { ApprovalState } from './approval-words.ts';

/** @param now RFC 3339: an approval can be over before its event says so */
export const stateOf = (
  { status, approval, approver, deciding }: OpenedApproval,
  now: string,
): ApprovalState => {
  if (status !== 'pending' || approval === undefined) return status;
  if (now >= approval.expiresAt) return 'expired';
  if (approval.given.some((one) => one.approver === approver)) return 'given';
  return deciding === undefined ? 'removed' : 'pending';
};

const letterIn = ({ approval, letter, letterId }: OpenedApproval): LetterToApprove | undefined => {
  const { terms, personal } = letter;
  if (!approval || !personal) return undefined;
  const { approvalId, needs, expiresAt } = approval;
  const rules = [...new Set(presentReasons(needs).map(({ rule }) => rule))];
  const quorum = Math.max(...needs.map((need) => need.quorum));
  return { approvalId, letterId, terms, personal, rules, quorum, expiresAt };
};

export const openedApprovalPage = (
  opened: OpenedApproval,
  page: Omit<ApprovalPage, 'state' | 'letter'> & { now: string },
): string => {
  const state = stateOf(opened, page.now);
  const letter = state === 'pending' ? letterIn(opened) : undefined;
  return approvalPage({ ...page, state, letter });
};
