/** The approvals that the current policies of an account demand for a letter that waits. */
import type { ApprovalNeed } from '../../events/policy.ts';
import { letterPurpose } from '../../events/wallet.ts';
import { chargeOfCents, totalOf } from '../../money/charge.ts';
import { guardedLetter } from '../guards/guarded-letter.ts';
import { approvalsOf, needOf } from '../policies/approvals.ts';
import { type Approver, missingApprovals } from '../policies/approvers.ts';
import { holdsNow, type LetterGuard } from '../wallets/reserve-funds.ts';
import type { Wallet } from '../wallets/state.ts';
import { type Approval, isGivenBy } from './approval.ts';
import type { KnownRecipients } from './known-recipients.ts';
import { type ExistingLetter, pendingApproval } from './letter.ts';
import type { StandingIn } from './standing-approvals.ts';

/** The approvers and the quorum that the policies name now which held the letter when it was sent. */
export const changedNeeds = ({ guards }: Wallet, { needs }: Approval): ApprovalNeed[] =>
  needs.flatMap((need) => {
    const policy = guards.policies.get(need.policy);
    if (!policy) return [];
    const { quorum, approvers } = approvalsOf(policy);
    return [{ ...need, quorum, approvers }];
  });

/**
 * Needs that became stricter while the letter waited and that its approval does not lift. The letter is judged again
 * unless an approver approves again while approvals are missing, which changes nothing.
 * @param at epoch ms
 * @throws AppError policy_denied, frozen
 */
type NeedsNow = (wallet: Wallet, approver: Approver, at: number) => ApprovalNeed[];

/** `guardAt`: the facts that policies judge at a moment (epoch ms), what the letter took of their limits included. */
type JudgedAgain = { needsNow: NeedsNow; guardAt: (at: number) => LetterGuard | undefined };

/** Reads the facts about a letter that rules ask for, so that its wallet can judge it several times. */
export const createNeedsNow =
  (ports: {
    indexOf: (kind: string, value: string) => string;
    isKnownRecipient: KnownRecipients;
  }) =>
  async (
    letterId: string,
    letter: ExistingLetter,
    standingIn: StandingIn,
  ): Promise<JudgedAgain> => {
    const approval = pendingApproval(letter);
    const { terms, personal } = letter;
    if (!approval || !personal) return { needsNow: () => [], guardAt: () => undefined };
    const before = guardedLetter({ terms, personal }, ports.indexOf);
    const isKnown = await ports.isKnownRecipient(terms.accountId, before.recipient());
    const guard = {
      letter: { ...before, isKnownRecipient: () => isKnown },
      subjects: approval.requester.line,
      paidMicro: totalOf(chargeOfCents(terms.price.charge)),
      attempts: [approval.attemptId],
    };
    const guardAt = (at: number): LetterGuard => ({ ...guard, at });
    const needsNow: NeedsNow = (wallet, approver, at) => {
      const changed = changedNeeds(wallet, approval);
      const needs = [...approval.needs, ...changed];
      const given = approval.given.map(standingIn(wallet.guards, changed));
      if (isGivenBy(approval, approver) && missingApprovals({ needs, given }) > 0) return changed;
      const purpose = letterPurpose(letterId);
      const holds = holdsNow(wallet, { purpose, guard: guardAt(at) });
      return [...changed, ...holds.map(needOf)];
    };
    return { needsNow, guardAt };
  };
