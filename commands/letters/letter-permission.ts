/**
 * The caveats of a UCAN about a letter: judged when it is priced, judged and counted when it is paid. This is
 * the only place that enforces caveats on letters for callers that send or change one.
 */
import { randomUUID } from 'node:crypto';
import { type AppError, isAppError } from '../../contract/errors.ts';
import type { Caller } from '../../contract/operation.ts';
import { caveatAllows, type Permit, type PermitSubject } from '../../contract/permits.ts';
import { assertPermitted, letterForbidden } from '../../identity/ucan/permits.ts';
import type { CommandHandler } from '../handling/handle.ts';
import { countLetter, ucanAggregate } from '../ucans/ucan.ts';

export type LetterPermission = {
  /** @throws AppError caveat_not_met */
  assertAllows(letter: PermitSubject): void;
  /**
   * Counts a letter that is paid with each token that limits their number; the same letter once.
   * @throws AppError caveat_not_met
   */
  claim(letter: PermitSubject & { letterId: string }): Promise<void>;
};

/** Undefined for callers without a UCAN: they may send what their scope lets them. */
export const createLetterPermission = (
  { handler }: { handler: CommandHandler },
  caller: Pick<Caller, 'ucan' | 'accountId' | 'keyId'>,
): LetterPermission | undefined => {
  const { ucan, accountId, keyId } = caller;
  if (!ucan) return undefined;

  /** The youngest token first: it has the fewest letters left, and its use of the others is bounded. */
  const count = async ({ counters }: Permit, letterId: string): Promise<void> => {
    for (const { cid, maxLetters } of counters.toReversed()) {
      const context = { commandId: randomUUID(), actor: keyId };
      const command = { type: 'CountLetter' as const, cid, accountId, letterId, maxLetters };
      await handler.handle(ucanAggregate, cid, context, (state) => countLetter(state, command));
    }
  };

  return {
    assertAllows: (letter) => assertPermitted(caller, letter),
    async claim(letter) {
      let refusal: AppError = letterForbidden();
      for (const permit of ucan.permits) {
        if (!caveatAllows(permit.caveat, letter)) continue;
        try {
          await count(permit, letter.letterId);
          return;
        } catch (error) {
          if (!isAppError(error) || error.code !== 'caveat_not_met') throw error;
          refusal = error;
        }
      }
      throw refusal;
    },
  };
};
