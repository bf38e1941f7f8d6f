/**
 * The caveats of a UCAN about a letter: judged when it is priced, judged and counted when it is paid. This is
 * the only place that enforces caveats on letters for callers that send or change one.
 */
import { randomUUID } from 'node:crypto';
import { AppError, isAppError } from '../../contract/errors.ts';
import type { Caller } from '../../contract/operation.ts';
import { caveatAllows, type Permit, type PermitSubject } from '../../contract/permits.ts';
import { assertPermitted, assertReachable, letterForbidden } from '../../identity/ucan/permits.ts';
import type { CommandHandler } from '../handling/handle.ts';
import { type CountLetter, countLetter, ucanAggregate } from '../ucans/ucan.ts';

type PaidLetter = PermitSubject & { letterId: string };

export type LetterPermission = {
  /** @throws AppError caveat_not_met */
  assertAllows(letter: PermitSubject): void;
  /** Whether the caller may change a letter that the service has. @throws AppError caveat_not_met */
  assertReaches(letter: PermitSubject): void;
  /**
   * Counts a letter that is paid with each token that limits their number; the same letter once.
   * @throws AppError caveat_not_met
   */
  claim(letter: PaidLetter): Promise<void>;
  /** Whether `claim` would count the letter now. Counts nothing. @throws AppError caveat_not_met */
  assertClaimable(letter: PaidLetter): Promise<void>;
  /** Whether the caller may cancel a letter: with a token that counts letters, one of these. @throws AppError caveat_not_met */
  assertCancels(letter: PaidLetter): Promise<void>;
};

/** Undefined for callers without a UCAN: they may send what their scope lets them. */
export const createLetterPermission = (
  { handler }: { handler: CommandHandler },
  caller: Pick<Caller, 'ucan' | 'accountId' | 'keyId'>,
): LetterPermission | undefined => {
  const { ucan, accountId, keyId } = caller;
  if (!ucan) return undefined;

  /** The youngest token first: it has the fewest letters left, and its use of the others is bounded. */
  const countsOf = ({ counters }: Permit, letterId: string): CountLetter[] =>
    counters
      .toReversed()
      .map((counter) => ({ type: 'CountLetter', ...counter, accountId, letterId }));

  const assertLeft = async (counts: readonly CountLetter[]): Promise<void> => {
    for (const command of counts) {
      const { state } = await handler.load(ucanAggregate, command.cid);
      countLetter(state, command);
    }
  };

  const assertCounted = async (counts: readonly CountLetter[]): Promise<void> => {
    for (const { cid, letterId } of counts) {
      const { state } = await handler.load(ucanAggregate, cid);
      if (state.letters.has(letterId)) continue;
      throw new AppError(
        'caveat_not_met',
        'The UCAN limits the number of letters, so it cancels only letters that were paid for under it.',
        { extra: { caveat: 'max_letters' } },
      );
    }
  };

  const count = async (counts: readonly CountLetter[]): Promise<void> => {
    // A token must not count a letter that another one of its chain refuses.
    if (counts.length > 1) await assertLeft(counts);
    for (const command of counts) {
      const context = { commandId: randomUUID(), actor: keyId };
      await handler.handle(ucanAggregate, command.cid, context, (state) =>
        countLetter(state, command),
      );
    }
  };

  /** Uses the first permit that allows the letter and has letters left. */
  const useOne = async (
    letter: PaidLetter,
    use: (counts: readonly CountLetter[]) => Promise<void>,
  ): Promise<void> => {
    let refusal: AppError = letterForbidden(ucan.permits, letter);
    for (const permit of ucan.permits) {
      if (!caveatAllows(permit.caveat, letter)) continue;
      try {
        await use(countsOf(permit, letter.letterId));
        return;
      } catch (error) {
        if (!isAppError(error) || error.code !== 'caveat_not_met') throw error;
        refusal = error;
      }
    }
    throw refusal;
  };

  return {
    assertAllows: (letter) => assertPermitted(caller, letter),
    assertReaches: (letter) => assertReachable(caller, letter),
    claim: (letter) => useOne(letter, count),
    assertClaimable: (letter) => useOne(letter, assertLeft),
    assertCancels: (letter) => useOne(letter, assertCounted),
  };
};
