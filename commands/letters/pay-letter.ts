/** Paying for a letter, attempt by attempt. An attempt that its request does not finish is undone. */

import { randomUUID } from 'node:crypto';
import { AppError, isAppError } from '../../contract/errors.ts';
import { KeyErased } from '../../events/data-keys.ts';
import { type AppendResult, EventTooLarge } from '../../events/event-store.ts';
import type { CredentialLine } from '../../events/letter.ts';
import { letterPurpose, type Purpose } from '../../events/wallet.ts';
import { uuidv5 } from '../../ground/uuid.ts';
import type { Limits } from '../../limits/table.ts';
import type { CallerRef } from '../../limits/turn.ts';
import { type MicroUsd, microOfCents } from '../../money/amounts.ts';
import { type Bucket, sum } from '../../money/buckets.ts';
import { createCredentialLines } from '../guards/credential-line.ts';
import type { CommandContext, NewStream } from '../handling/fold.ts';
import type { CommandHandler } from '../handling/handle.ts';
import {
  assertPays,
  countChange,
  countsBy,
  type JudgedReservation,
  judgeReservation,
  type LockedPrice,
  type ReserveFunds,
  reserveFunds,
} from '../wallets/reserve-funds.ts';
import { type Paid, paidByAttempt, walletAggregate } from '../wallets/wallet.ts';
import { abandonAttempt } from './follow-up.ts';
import { createGuarding, type Guarded, type GuardIn } from './guard-letter.ts';
import type { KnownRecipients } from './known-recipients.ts';
import type { LetterPermission } from './letter-permission.ts';

/** The sender, and the identity of the request. */
export type SendContext = CommandContext & {
  accountId: string;
  /** Absent: the account, from wherever. */
  by?: CallerRef | undefined;
  test: boolean;
  /** Keyed digest of the request, to tell a repetition from another request under the same key. */
  requestHash: string;
  /** Whether the caller may be repeating itself (it sent an Idempotency-Key). */
  repeatable: boolean;
  /** The caveats of the caller's UCAN; absent: no caveats. */
  permission?: LetterPermission | undefined;
  /** The keys and UCANs (`keyIdsOf`) that the caller acts with: their policies apply, as the account's does. Absent: none. */
  keyIds?: readonly string[] | undefined;
  /** The purpose whose held money pays for it; absent: the available money pays. */
  paidFrom?: Purpose | undefined;
};

export const changedMeanwhile = (): AppError =>
  new AppError('conflict', 'The letter changed in the meantime. Read it and try again.');

/**
 * Names an attempt to pay. Another request under the same key is another attempt: it must not be
 * covered by what this one reserved.
 */
const attemptIdOf = (context: SendContext, turn: number | bigint): string =>
  uuidv5(context.commandId, `attempt:${turn}:${context.requestHash}`);

type Wish = {
  subtotalMicro: MicroUsd;
  maxTotalMicro?: MicroUsd | undefined;
  /** The total so far, where the wish is only the difference to it. */
  soFarMicro?: MicroUsd | undefined;
  commitment?: LockedPrice | undefined;
  /** All of the price, not a difference to what the letter has cost so far. */
  isSend?: boolean;
  /** Whether the letter can wait for approval; otherwise it is refused if a policy holds it. */
  mayWait?: boolean;
  /** The facts that policies judge. */
  guarded: Guarded;
};

/** The payment of a letter, and the approvals that it waits for; `requester` asks for them. */
export type PaidLetter = Paid & { requester: CredentialLine };

/**
 * The money a letter is judged with. `wallet`: the available money of the wallet, which must cover the price.
 * `unasked`: the same, but it need not cover the price. `crypto`: a payment of the price will come into the wallet before.
 * `fiat`: a payment will come in that is held for the letter.
 */
export type Payer = 'wallet' | 'unasked' | Bucket;

export type Payment = {
  attemptId: string;
  /**
   * Holds money for the letter under this attempt; the same attempt again holds nothing more. With
   * `begin`, what that gives begins in the same commit, unless the attempt held its money before:
   * `begun` tells.
   * @throws AppError insufficient_funds, max_total_exceeded, commitment_consumed, conflict, policy_denied,
   * approval_required, frozen
   */
  reserve(
    wish: Wish,
    begin?: (paid: PaidLetter) => NewStream,
  ): Promise<PaidLetter & { begun: AppendResult | undefined }>;
  /**
   * The decision that `reserve` would make now. Holds nothing.
   * @throws AppError as `reserve` does, except policy_denied
   */
  judge(wish: Wish, payer: Payer): Promise<JudgedReservation>;
  /**
   * Counts a change of the letter that does not raise its price. Returns whether the letter counts by this attempt then.
   * @throws AppError policy_denied, approval_required, frozen
   */
  count(guarded: Guarded): Promise<boolean>;
  /** Gives the money back, and what the letter counts by this attempt. Best effort: reactors/settle-wallets.ts repeats it after a failure. */
  undo(): Promise<void>;
  /** Gives the money back at once when a paid step is refused; after a crash a reactor does. */
  orUndo<T>(step: () => Promise<T>): Promise<T>;
};

/** The step was not done, and a repetition of the request cannot finish it. */
const isFinal = (error: unknown): boolean =>
  isAppError(error) || error instanceof EventTooLarge || error instanceof KeyErased;

export const createPayments = (ports: {
  handler: CommandHandler;
  limits: Pick<Limits, 'walletLowCents'>;
  isKnownRecipient: KnownRecipients;
}) => {
  const { handler, limits } = ports;
  const lowMicro = microOfCents(limits.walletLowCents);
  const lines = createCredentialLines(ports);
  const guarding = createGuarding({ lines, isKnownRecipient: ports.isKnownRecipient });

  /** The `turn`-th attempt of this request to pay for the letter. */
  return (letterId: string, turn: number | bigint, context: SendContext): Payment => {
    const { accountId, actor, paidFrom, keyIds = [] } = context;
    const attemptId = attemptIdOf(context, turn);
    const purpose = letterPurpose(letterId);
    /** The credential of the caller, if a policy asked for it. */
    let credential: CredentialLine | undefined;

    /** Adds the credential that sent the letter, which an approval needs. */
    const withRequester = (paid: Paid): PaidLetter => {
      if (credential) return { ...paid, requester: credential };
      if (paid.held) throw new Error(`letter ${letterId} waits for approval, and nobody sent it`);
      return { ...paid, requester: { own: [], line: [] } };
    };

    const withGuard = <T>(guarded: Guarded, decide: (guardIn: GuardIn) => Promise<T>) =>
      guarding({ accountId, keyIds }, guarded, (line) => (credential = line), decide);

    const reserveCommand = ({
      subtotalMicro,
      maxTotalMicro,
      soFarMicro,
      commitment,
      isSend = false,
      mayWait = false,
    }: Wish): ReserveFunds => ({
      type: 'ReserveFunds',
      purpose,
      attemptId,
      subtotalMicro,
      maxTotalMicro,
      soFarMicro,
      lowMicro,
      from: paidFrom,
      commitment,
      isSend,
      mayWait,
    });

    const undo = async (): Promise<void> => {
      // A command of its own: its events must not carry the ids of what it undoes.
      const undoing = { commandId: randomUUID(), actor };
      await abandonAttempt(ports, { letterId, attemptId, accountId }, undoing).catch(() => {});
    };

    return {
      attemptId,
      undo,

      async reserve(wish, begin) {
        const command = reserveCommand(wish);
        const { subtotalMicro } = wish;
        const { state, begun } = await withGuard(wish.guarded, (guardIn) =>
          handler.handle(
            walletAggregate,
            accountId,
            { commandId: attemptId, actor },
            (wallet, _, at) => reserveFunds(wallet, { ...command, guard: guardIn(wallet, at) }),
            begin && {
              begin: (wallet) =>
                begin(withRequester(paidByAttempt(wallet, purpose, attemptId) as Paid)),
            },
          ),
        );
        const paid = paidByAttempt(state, purpose, attemptId);
        if (!paid) throw changedMeanwhile();
        if (sum(paid.charge.subtotal) !== subtotalMicro) {
          await undo();
          throw new AppError('conflict', 'The price changed after the first try. Try again.');
        }
        // Another process reserved it before, by a policy that is gone.
        if (paid.held) credential ??= await lines.load(accountId, keyIds);
        return { ...withRequester(paid), begun };
      },

      async judge(wish, payer) {
        const bucket = payer === 'wallet' || payer === 'unasked' ? undefined : payer;
        const context = { commandId: randomUUID(), actor };
        let judged: JudgedReservation | undefined;
        // Deciding nothing reads what others wrote, and decides again on that.
        await withGuard(wish.guarded, (guardIn) =>
          handler.handle(walletAggregate, accountId, context, (wallet, _, at) => {
            const command = { ...reserveCommand(wish), guard: guardIn(wallet, at) };
            judged = judgeReservation(wallet, command, bucket);
            const isAllowed = judged.verdict.denials.length === 0;
            if (isAllowed && payer === 'wallet') reserveFunds(wallet, command);
            if (isAllowed && payer === 'crypto') assertPays(wallet, command, judged, payer);
            return [];
          }),
        );
        if (!judged) throw new Error('a wallet that judged nothing');
        return judged;
      },

      async count(guarded) {
        const { state } = await withGuard(guarded, (guardIn) =>
          handler.handle(
            walletAggregate,
            accountId,
            { commandId: uuidv5(attemptId, 'count'), actor },
            (wallet, _, at) => {
              const guard = guardIn(wallet, at);
              return guard ? countChange(wallet, { purpose, attemptId, guard }) : [];
            },
          ),
        );
        return countsBy(state, purpose, attemptId);
      },

      async orUndo(step) {
        try {
          return await step();
        } catch (error) {
          if (isFinal(error)) await undo();
          throw error;
        }
      },
    };
  };
};

export type Payments = ReturnType<typeof createPayments>;
