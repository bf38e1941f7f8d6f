/** What the policies of an account ask for now of a letter that waits for approval. */
import type { ApprovalNeed } from '../../events/policy.ts';
import { letterPurpose } from '../../events/wallet.ts';
import { chargeOfCents, totalOf } from '../../money/charge.ts';
import { guardedLetter } from '../guards/guarded-letter.ts';
import { approvalsOf, needOf } from '../policies/approvals.ts';
import type { Wallet } from '../wallets/state.ts';
import { holdsNow } from '../wallets/wallet.ts';
import type { Approval, Approver } from './approval.ts';
import type { KnownRecipients } from './known-recipients.ts';
import { type ExistingLetter, pendingApproval } from './letter.ts';

/** The approvers and the quorum that the policies name now which held the letter when it was sent. */
export const changedNeeds = ({ guards }: Wallet, { needs }: Approval): ApprovalNeed[] =>
  needs.flatMap((need) => {
    const policy = guards.policies.get(need.policy);
    if (!policy) return [];
    const { quorum, approvers } = approvalsOf(policy);
    return [{ ...need, quorum, approvers }];
  });

/**
 * An approval does not lift what became stricter while the letter waited. An approver that approves again changes
 * nothing, so the letter is not judged again.
 * @param asked `at`: epoch ms
 * @throws AppError policy_denied, frozen
 */
export const createNeedsNow =
  (ports: {
    indexOf: (kind: string, value: string) => string;
    isKnownRecipient: KnownRecipients;
  }) =>
  async (
    wallet: Wallet,
    asked: { letterId: string; letter: ExistingLetter; approver: Approver; at: number },
  ): Promise<ApprovalNeed[]> => {
    const { letterId, letter, approver, at } = asked;
    const approval = pendingApproval(letter);
    const { terms, personal } = letter;
    if (!approval || !personal) return [];
    const changed = changedNeeds(wallet, approval);
    if (approval.given.some((one) => one.approver === approver.approver)) return changed;
    const before = guardedLetter({ terms, personal }, ports.indexOf);
    const isKnown = await ports.isKnownRecipient(terms.accountId, before.recipient());
    const holds = holdsNow(wallet, {
      purpose: letterPurpose(letterId),
      guard: {
        letter: { ...before, isKnownRecipient: () => isKnown },
        subjects: approval.requester.line,
        at,
        paidMicro: totalOf(chargeOfCents(terms.price.charge)),
        attempts: [approval.attemptId],
      },
    });
    return [...changed, ...holds.map(needOf)];
  };
