import type { DataKeys } from '../../events/data-keys.ts';
import { letterStream } from '../../events/letter.ts';
import { letterPurpose } from '../../events/wallet.ts';
import type { CommandContext } from '../handling/fold.ts';
import type { CommandHandler } from '../handling/handle.ts';
import type { LetterFiles } from '../preparation/letter-files.ts';
import { LessHeld, settleReservation } from '../wallets/settle-reservation.ts';
import { walletAggregate } from '../wallets/wallet.ts';
import { type Letter, letterAggregate } from './letter.ts';
import { abandonSend } from './letter-drafts.ts';
import { reservationTarget } from './reservation-target.ts';

/**
 * Makes the wallet follow the letter as its stream says it is now: captures, releases or refunds what
 * differs. Safe to repeat, at any time and from anywhere. Returns the wallet's log position.
 * @throws LessHeld if less is held than the letter costs
 */
export const settleWallet = async (
  ports: {
    handler: CommandHandler;
    /** The letter as it is now, from wherever it is at hand. Absent: it is read. */
    letter?: (letterId: string) => Promise<Letter>;
  },
  letterId: string,
  context: CommandContext,
  /** The account whose wallet paid. Needed where the letter may never have come into being. */
  payer?: string,
): Promise<bigint> => {
  const { handler } = ports;

  /** `version`: the version of the letter that was read, if it was read for this. */
  const settle = async (state: Letter, version?: bigint): Promise<bigint> => {
    const accountId = state.status === 'none' ? payer : state.terms.accountId;
    if (accountId === undefined) return 0n;
    const command = {
      type: 'SettleReservation' as const,
      purpose: letterPurpose(letterId),
      target: reservationTarget(state),
    };
    try {
      const { position } = await handler.handle(walletAggregate, accountId, context, (wallet) =>
        settleReservation(wallet, command),
      );
      return position;
    } catch (error) {
      if (!(error instanceof LessHeld)) throw error;
      // The wallet may already have settled a later change of the letter.
      const current = await handler.load(letterAggregate, letterId);
      if (current.version === version) throw error;
      return settle(current.state, current.version);
    }
  };

  if (ports.letter) return settle(await ports.letter(letterId));
  const { state, version } = await handler.load(letterAggregate, letterId);
  return settle(state, version);
};

/**
 * Undoes a payment attempt that its request did not finish: forbids it on the letter's stream, which
 * decides the race with the request, then gives the money back. Safe to repeat.
 */
export const abandonAttempt = async (
  ports: { handler: CommandHandler },
  attempt: { letterId: string; accountId: string; attemptId: string },
  context: CommandContext,
): Promise<void> => {
  const { letterId, accountId, attemptId } = attempt;
  const command = { type: 'AbandonSend' as const, accountId, attemptId };
  await ports.handler.handle(letterAggregate, letterId, context, (letter) =>
    abandonSend(letter, command),
  );
  await settleWallet(ports, letterId, context, accountId);
};

/** Forgets the letter's data key and documents once its stream says that it is erased. Safe to repeat. */
export const finishErasure = async (
  ports: { handler: CommandHandler; dataKeys: DataKeys; files: LetterFiles },
  letterId: string,
): Promise<void> => {
  const { state } = await ports.handler.load(letterAggregate, letterId);
  if (state.status === 'none' || !state.erased) return;
  await ports.dataKeys.erase(letterStream(letterId), state.deleted ? 'deleted' : 'retention');
  await ports.files.delete(state.blobs);
};
