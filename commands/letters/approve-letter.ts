/** Deciding on letters that wait for approval: over the API, by a link, or as the operator. */
import { AppError } from '../../contract/errors.ts';
import type { LetterTerms } from '../../events/letter.ts';
import type { ApprovalNeed } from '../../events/policy.ts';
import type { Clock } from '../../ground/clock.ts';
import { expectedDelivery } from '../../postal/delivery-window.ts';
import type { ServiceId } from '../../postal/types.ts';
import type { CommandContext } from '../handling/fold.ts';
import type { CommandHandler } from '../handling/handle.ts';
import { assertNotFrozen } from '../policies/frozen.ts';
import { magicNames, type PrepareLetter } from '../preparation/prepare-letter.ts';
import { stillAhead } from '../preparation/release.ts';
import type { Wallet } from '../wallets/state.ts';
import { walletAggregate } from '../wallets/wallet.ts';
import { type Approval, type Approver, letterOfApproval, missingApprovals } from './approval.ts';
import { approveLetter, type Queueing, rejectLetter } from './decide-approval.ts';
import type { KnownRecipients } from './known-recipients.ts';
import { type Letter, letterAggregate } from './letter.ts';
import { changedNeeds, createNeedsNow } from './needs-now.ts';

/** An approver before it is known whether it may stand for the owner. */
export type Deciding = Omit<Approver, 'isOwner'> & {
  /** Whether its scope is that of the owner. */
  hasFullScope: boolean;
};

/** What a decision made of the letter. */
export type Decided = {
  letterId: string;
  approval: Approval;
  status: Exclude<Letter['status'], 'none'>;
  /** Approvals that the letter still waits for. */
  missing: number;
  version: bigint;
  position: bigint;
};

const noApproval = (): AppError =>
  new AppError('approval_not_found', 'Your account has no approval with this id.');

/** A credential with a policy decides for nobody: it would lift its own limits. */
const approverIn = ({ guards }: Wallet, { hasFullScope, ...decision }: Deciding): Approver => {
  const isLimited = decision.credential.line.some((subject) => guards.policies.has(subject));
  return { ...decision, isOwner: hasFullScope && !isLimited };
};

/** When a letter that is approved now leaves. */
const createQueueing =
  ({ clock, timesOf }: { clock: Clock; timesOf: PrepareLetter['timesOf'] }) =>
  (letter: Letter & { terms: LetterTerms }): Queueing => {
    const { terms } = letter;
    const name = letter.status === 'none' ? undefined : letter.personal?.to.name;
    const magic = terms.test && Object.hasOwn(magicNames, name?.toLowerCase() ?? '');
    const times = timesOf(stillAhead(terms.sendDate, clock()), magic, terms);
    const releaseAt = Date.parse(times.releaseAt);
    return {
      ...times,
      expectedDelivery: expectedDelivery({ service: terms.service as ServiceId, releaseAt }),
    };
  };

export type ApprovalDecisions = ReturnType<typeof createApproveLetter>;

export const createApproveLetter = (ports: {
  handler: CommandHandler;
  clock: Clock;
  timesOf: PrepareLetter['timesOf'];
  indexOf: (kind: string, value: string) => string;
  isKnownRecipient: KnownRecipients;
}) => {
  const { handler, clock } = ports;
  const queueingOf = createQueueing(ports);
  const needsNowOf = createNeedsNow(ports);

  /** The letter and its wallet. @throws AppError approval_not_found */
  const load = async (accountId: string, approvalId: string) => {
    const letterId = letterOfApproval(approvalId);
    if (letterId === undefined) throw noApproval();
    const [{ state: letter }, { state: wallet }] = await Promise.all([
      handler.load(letterAggregate, letterId),
      handler.load(walletAggregate, accountId),
    ]);
    if (letter.status === 'none' || letter.terms.accountId !== accountId) throw noApproval();
    return { letterId, letter, wallet };
  };

  const decide = async (
    letterId: string,
    context: CommandContext,
    needsNow: readonly ApprovalNeed[],
    decision: (letter: Letter, at: string) => ReturnType<typeof approveLetter>,
  ): Promise<Decided> => {
    const { state, version, position, events } = await handler.handle(
      letterAggregate,
      letterId,
      context,
      (letter, _, at) => decision(letter, at),
    );
    if (state.status === 'none' || !state.approval) throw noApproval();
    const { status, approval } = state;
    const needs = [...approval.needs, ...needsNow];
    const missing =
      approval.status === 'pending' ? missingApprovals({ needs, given: approval.given }) : 0;
    const written = events.length > 0 ? position : 0n;
    return { letterId, approval, status, missing, version, position: written };
  };

  return {
    /**
     * The last approval that is needed queues the letter.
     * @throws AppError approval_not_found, approval_over, approver_is_requester, approver_not_allowed, policy_denied,
     * frozen
     */
    async approve(
      accountId: string,
      approvalId: string,
      deciding: Deciding,
      context: CommandContext,
    ): Promise<Decided> {
      const { letterId, letter, wallet } = await load(accountId, approvalId);
      const requester = letter.approval?.requester.line ?? [];
      assertNotFrozen(wallet.guards, [...deciding.credential.line, ...requester]);
      const approver = approverIn(wallet, deciding);
      const queueing = queueingOf(letter);
      const needsNow = await needsNowOf(wallet, { letterId, letter, approver, at: clock() });
      const command = { type: 'ApproveLetter' as const, approvalId, approver, queueing, needsNow };
      return decide(letterId, context, needsNow, (state, at) => approveLetter(state, command, at));
    },

    /**
     * The letter stays a draft, and its money goes back.
     * @throws AppError approval_not_found, approval_over, approver_is_requester, approver_not_allowed, frozen
     */
    async reject(
      accountId: string,
      approvalId: string,
      deciding: Deciding & { reason: string | undefined },
      context: CommandContext,
    ): Promise<Decided> {
      const { reason, ...by } = deciding;
      const { letterId, letter, wallet } = await load(accountId, approvalId);
      assertNotFrozen(wallet.guards, by.credential.line);
      const approver = approverIn(wallet, by);
      const needsNow = letter.approval ? changedNeeds(wallet, letter.approval) : [];
      const command = { type: 'RejectLetter' as const, approvalId, approver, reason, needsNow };
      return decide(letterId, context, needsNow, (state, at) => rejectLetter(state, command, at));
    },
  };
};
