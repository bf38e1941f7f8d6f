/** Paying for a letter, attempt by attempt. An attempt that its request does not finish is undone. */
import { randomUUID } from 'node:crypto';
import { AppError, isAppError } from '../../contract/errors.ts';
import type { Limits } from '../../contract/limits.ts';
import { uuidv5 } from '../../contract/uuid.ts';
import { DuplicateEventId, EventTooLarge } from '../../events/event-store.ts';
import { letterPurpose } from '../../events/wallet.ts';
import { type Micro, microOfCents } from '../../money/amounts.ts';
import { sum } from '../../money/buckets.ts';
import {
  addCharges,
  type Charge,
  chargeOfCents,
  reduceCharge,
  splitCharge,
} from '../../money/charge.ts';
import type { CommandContext } from '../handling/fold.ts';
import type { CommandHandler } from '../handling/handle.ts';
import type { Prepared } from '../preparation/prepare-letter.ts';
import { chargeOfAttempt, reserveFunds, walletAggregate } from '../wallets/wallet.ts';
import { abandonAttempt } from './consequences.ts';
import type { ExistingLetter } from './letter.ts';
import type { LetterPermission } from './letter-permission.ts';

/** Who sends, and how the request is told from others. */
export type SendContext = CommandContext & {
  accountId: string;
  test: boolean;
  /** Keyed digest of the request, to tell a repetition from another request under the same key. */
  requestHash: string;
  /** Whether the caller may be repeating itself (it sent an Idempotency-Key). */
  repeatable: boolean;
  /** What the caveats of a UCAN say; absent: the caller has none. */
  permission?: LetterPermission | undefined;
};

export const keyReused = (): AppError =>
  new AppError(
    'idempotency_key_reused',
    'This Idempotency-Key was used for another request; use a new key for a new request.',
  );

export const changedMeanwhile = (): AppError =>
  new AppError('conflict', 'The letter changed meanwhile; read it and try again.');

/** An undo is a command of its own: its events must not carry the ids of what it undoes. */
const undoing = (context: SendContext): CommandContext => ({
  commandId: randomUUID(),
  actor: context.actor,
});

export const createPayLetter = (ports: {
  handler: CommandHandler;
  limits: Pick<Limits, 'walletLowCents'>;
}) => {
  const { handler, limits } = ports;

  /**
   * Names an attempt to pay. Another request under the same key is another attempt: it must not be
   * covered by what this one reserved.
   */
  const attemptIdOf = (context: SendContext, turn: number | bigint): string =>
    uuidv5(context.commandId, `attempt:${turn}:${context.requestHash}`);

  /** Holds money for the letter under this attempt; the same attempt again holds nothing more. */
  const reserve = async (
    letterId: string,
    attemptId: string,
    context: SendContext,
    subtotalMicro: Micro,
    maxTotalMicro?: Micro,
  ): Promise<Charge> => {
    const purpose = letterPurpose(letterId);
    const command = {
      type: 'ReserveFunds' as const,
      purpose,
      attemptId,
      subtotalMicro,
      maxTotalMicro,
      lowMicro: microOfCents(limits.walletLowCents),
    };
    // Each attempt is a command of its own, so that one after an abandoned one has its own event ids.
    const { state } = await handler
      .handle(
        walletAggregate,
        context.accountId,
        { commandId: attemptId, actor: context.actor },
        (wallet) => reserveFunds(wallet, command),
      )
      .catch((error: unknown) => {
        // It was reserved before, and undone since.
        throw error instanceof DuplicateEventId ? changedMeanwhile() : error;
      });
    const charge = chargeOfAttempt(state, purpose, attemptId);
    if (!charge) throw changedMeanwhile();
    if (sum(charge.subtotal) !== subtotalMicro) {
      await undo({ letterId, attemptId }, context);
      throw new AppError('conflict', 'The price changed since the first try; try again.');
    }
    return charge;
  };

  /** Best effort: what fails here is done by reactors/settle-wallets.ts. */
  const undo = (
    attempt: { letterId: string; attemptId: string },
    context: SendContext,
  ): Promise<void> =>
    abandonAttempt(ports, { ...attempt, accountId: context.accountId }, undoing(context)).catch(
      () => {},
    );

  /** Gives the money back at once when a paid step is refused; after a crash a reactor does. */
  const orUndo = async <T>(
    attempt: { letterId: string; attemptId: string },
    context: SendContext,
    step: () => Promise<T>,
  ): Promise<T> => {
    try {
      return await step();
    } catch (error) {
      if (isAppError(error) || error instanceof EventTooLarge) await undo(attempt, context);
      throw error;
    }
  };

  /** Reserves what a change costs more; what it costs less is released once the change is stored. */
  const settleDifference = async (
    letterId: string,
    letter: ExistingLetter,
    prepared: Prepared,
    attemptId: string,
    context: SendContext,
  ): Promise<{ charge: Charge; reserved: boolean }> => {
    const { subtotalMicro } = prepared.priced.subtotal;
    if (letter.status === 'draft')
      return { charge: splitCharge(subtotalMicro, 0n), reserved: false };
    const before = chargeOfCents(letter.terms.price.charge);
    const difference = subtotalMicro - sum(before.subtotal);
    if (difference <= 0n) return { charge: reduceCharge(before, subtotalMicro), reserved: false };
    const more = await reserve(letterId, attemptId, context, difference);
    return { charge: addCharges(before, more), reserved: true };
  };

  return { attemptIdOf, reserve, undo, orUndo, settleDifference };
};
