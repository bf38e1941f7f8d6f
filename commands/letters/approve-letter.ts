/** Deciding on letters that wait for approval: over the API, by a link, or as the operator. */
import { AppError } from '../../contract/errors.ts';
import { frozenError } from '../../contract/frozen.ts';
import { askerRevoked } from '../../contract/refusals.ts';
import type { LetterTerms } from '../../events/letter.ts';
import { letterPurpose } from '../../events/wallet.ts';
import type { Clock } from '../../ground/clock.ts';
import { uuidv5 } from '../../ground/uuid.ts';
import { expectedDelivery } from '../../postal/delivery-window.ts';
import type { ServiceId } from '../../postal/types.ts';
import { accountAggregate } from '../accounts/account.ts';
import { assertNotBlocked } from '../accounts/restrictions.ts';
import type { CommandContext } from '../handling/fold.ts';
import type { CommandHandler } from '../handling/handle.ts';
import { isDiscountOver } from '../negotiation/discount-end.ts';
import { approverIn, type Deciding, missingApprovals } from '../policies/approvers.ts';
import { assertNotFrozen } from '../policies/frozen.ts';
import { magicNames, type PrepareLetter } from '../preparation/prepare-letter.ts';
import { stillAhead } from '../preparation/release.ts';
import { frozenElsewhere } from '../ucans/frozen-elsewhere.ts';
import { isAnyRevoked } from '../ucans/was-revoked.ts';
import { liftHold } from '../wallets/reserve-funds.ts';
import { walletAggregate } from '../wallets/wallet.ts';
import { type Approval, letterOfApproval } from './approval.ts';
import { approvalOver, approveLetter, type Queueing, rejectLetter } from './decide-approval.ts';
import type { KnownRecipients } from './known-recipients.ts';
import { type ExistingLetter, type Letter, letterAggregate, pendingApproval } from './letter.ts';
import { changedNeeds, createNeedsNow } from './needs-now.ts';
import { createStanding } from './standing-approvals.ts';

/** The letter after a decision. */
export type Decided = {
  letterId: string;
  approval: Approval;
  status: Exclude<Letter['status'], 'none'>;
  /** Approvals that the letter still waits for. */
  missing: number;
  version: bigint;
  position: bigint;
};

/** The credential, as the subject of a sentence. */
const askerOfLetter = 'The credential that sent the letter';

const noApproval = (): AppError =>
  new AppError('approval_not_found', 'Your account has no approval with this id.');

/** The command of an approval, with the approver and the needs as the wallet gave them. */
type ApproveLetter = Parameters<typeof approveLetter>[1];

type Judged = Required<ApproveLetter> & { isLast: boolean };

const isQueued = (events: ReturnType<typeof approveLetter>): boolean =>
  events.some(({ type }) => type === 'LetterQueued');

/**
 * Judges an approval in the wallet that pays for the letter. The last one that is needed is written there, so that
 * it comes before or after each change of a policy and each freeze, in every process.
 */
const createJudgeApproval =
  (
    { handler }: { handler: CommandHandler },
    queueingOf: (letter: ExistingLetter) => Queueing,
    needsNowOf: ReturnType<typeof createNeedsNow>,
    standingOf: ReturnType<typeof createStanding>,
  ) =>
  async (
    {
      accountId,
      letterId,
      letter,
    }: { accountId: string; letterId: string; letter: ExistingLetter },
    { approvalId, deciding }: { approvalId: string; deciding: Deciding },
    { commandId, actor }: CommandContext,
  ): Promise<Judged> => {
    const queueing = queueingOf(letter);
    const standingIn = await standingOf(accountId, letter.approval);
    const { needsNow, guardAt } = await needsNowOf(letterId, letter, standingIn);
    const { attemptId = '', requester } = letter.approval ?? {};
    let judged: Judged | undefined;
    const context = { commandId: uuidv5(commandId, 'lift-hold'), actor };
    await handler.handle(walletAggregate, accountId, context, (wallet, _, at) => {
      assertNotFrozen(wallet.guards, deciding.credential.line);
      assertNotFrozen(wallet.guards, requester?.line ?? [], askerOfLetter);
      const approver = approverIn(wallet.guards, deciding);
      const now = Date.parse(at);
      const needs = needsNow(wallet, approver, now);
      const command = { type: 'ApproveLetter' as const, approvalId, approver, queueing };
      const asked = { ...command, needsNow: needs, standing: standingIn(wallet.guards, needs) };
      judged = { ...asked, isLast: isQueued(approveLetter(letter, asked, at)) };
      if (!judged.isLast) return [];
      return liftHold(wallet, {
        purpose: letterPurpose(letterId),
        attemptId,
        guard: guardAt(now),
      });
    });
    if (!judged) throw new Error('a wallet that judged no approval');
    return judged;
  };

/** Another approval came in between, so that this one is the last that is needed. */
class BecameLast extends Error {}

/** When a letter that is approved now leaves. */
const createQueueing =
  ({ clock, timesOf }: { clock: Clock; timesOf: PrepareLetter['timesOf'] }) =>
  (letter: Letter & { terms: LetterTerms }): Queueing => {
    const { terms } = letter;
    const to = letter.status === 'none' ? undefined : letter.personal?.to;
    const magic = terms.test && Object.hasOwn(magicNames, to?.name.toLowerCase() ?? '');
    const times = timesOf(stillAhead(terms, clock()), magic, terms);
    const releaseAt = Date.parse(times.releaseAt);
    return {
      ...times,
      expectedDelivery: expectedDelivery({ service: terms.service as ServiceId, releaseAt, to }),
    };
  };

/**
 * Refuses a letter if, since it was sent, the operator blocked the account, the owner revoked the key, another account
 * froze what it passed on, or the discount in its price ended.
 * @throws AppError approval_over, account_blocked, key_revoked, frozen
 */
const assertMaySend = async (
  { handler, clock }: { handler: CommandHandler; clock: Clock },
  letter: ExistingLetter,
): Promise<void> => {
  const approval = pendingApproval(letter);
  if (!approval) return;
  if (await isDiscountOver(handler, letter, clock())) throw approvalOver('expired');
  const { state } = await handler.load(accountAggregate, letter.terms.accountId);
  assertNotBlocked(state);
  const { own } = approval.requester;
  if (await isAnyRevoked(handler, state, own)) throw askerRevoked('The letter');
  const frozen = await frozenElsewhere(handler, state, own);
  if (frozen !== undefined) throw frozenError(frozen, askerOfLetter);
};

/** @throws AppError approval_not_found */
const loadLetter = async (handler: CommandHandler, accountId: string, approvalId: string) => {
  const letterId = letterOfApproval(approvalId);
  if (letterId === undefined) throw noApproval();
  const { state: letter } = await handler.load(letterAggregate, letterId);
  if (letter.status === 'none' || letter.terms.accountId !== accountId) throw noApproval();
  return { accountId, letterId, letter };
};

export type ApprovalDecisions = ReturnType<typeof createApproveLetter>;

export const createApproveLetter = (ports: {
  handler: CommandHandler;
  clock: Clock;
  timesOf: PrepareLetter['timesOf'];
  indexOf: (kind: string, value: string) => string;
  isKnownRecipient: KnownRecipients;
}) => {
  const { handler } = ports;
  const judgeApproval = createJudgeApproval(
    ports,
    createQueueing(ports),
    createNeedsNow(ports),
    createStanding(ports),
  );

  const decide = async (
    letterId: string,
    context: CommandContext,
    { needsNow, standing = (given) => given }: Pick<ApproveLetter, 'needsNow' | 'standing'>,
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
    const needs = [...approval.needs, ...(needsNow ?? [])];
    const given = approval.given.map(standing);
    const missing = approval.status === 'pending' ? missingApprovals({ needs, given }) : 0;
    const written = events.length > 0 ? position : 0n;
    return { letterId, approval, status, missing, version, position: written };
  };

  return {
    /**
     * The last approval that is needed queues the letter.
     * @throws AppError approval_not_found, approval_over, approver_is_requester, approver_not_allowed, policy_denied,
     * frozen, account_blocked, key_revoked
     */
    async approve(
      accountId: string,
      approvalId: string,
      deciding: Deciding,
      context: CommandContext,
    ): Promise<Decided> {
      for (;;) {
        const found = await loadLetter(handler, accountId, approvalId);
        await assertMaySend(ports, found.letter);
        const judged = await judgeApproval(found, { approvalId, deciding }, context);
        try {
          return await decide(found.letterId, context, judged, (state, at) => {
            const events = approveLetter(state, judged, at);
            if (isQueued(events) && !judged.isLast) throw new BecameLast();
            return events;
          });
        } catch (error) {
          if (!(error instanceof BecameLast)) throw error;
        }
      }
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
      const [{ letterId, letter }, { state: wallet }] = await Promise.all([
        loadLetter(handler, accountId, approvalId),
        handler.load(walletAggregate, accountId),
      ]);
      assertNotFrozen(wallet.guards, by.credential.line);
      const approver = approverIn(wallet.guards, by);
      const needsNow = letter.approval ? changedNeeds(wallet, letter.approval) : [];
      const command = { type: 'RejectLetter' as const, approvalId, approver, reason, needsNow };
      return decide(letterId, context, { needsNow }, (state, at) =>
        rejectLetter(state, command, at),
      );
    },
  };
};
