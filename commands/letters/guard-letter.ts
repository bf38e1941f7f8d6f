/**
 * Facts about a letter and its sender that the policies of a wallet need, read only where a rule needs them.
 */
import type { CredentialLine } from '../../events/letter.ts';
import { accountSubject, type Policy } from '../../events/policy.ts';
import type { CredentialLines } from '../guards/credential-line.ts';
import type { LetterBeforeRules } from '../guards/guarded-letter.ts';
import type { Guards } from '../policies/state.ts';
import type { LetterGuard } from '../wallets/reserve-funds.ts';
import type { Wallet } from '../wallets/state.ts';
import type { KnownRecipients } from './known-recipients.ts';

/** A letter for policies, and what it took of their limits before. */
export type Guarded = Pick<LetterGuard, 'paidMicro' | 'attempts'> & { letter: LetterBeforeRules };

/** Undefined: the wallet has no policies, and froze nothing. `at`: RFC 3339. */
export type GuardIn = (wallet: Wallet, at: string) => LetterGuard | undefined;

/** The wallet has policies of keys, or froze one, and it is not known yet which of them apply. */
class SubjectsUnknown extends Error {}

/** A rule asks whether the account wrote to the recipient before, and it is not known yet. */
class RecipientUnknown extends Error {}

const holdsLetters = ({ rules }: Policy): boolean => rules.some(({ effect }) => effect === 'hold');

/** Whether policies or freezes are about more than the whole account, or ask who sends a letter. */
const isAboutCredentials = ({ policies, frozen }: Guards): boolean => {
  const ofAccount = policies.get(accountSubject);
  return (
    [policies, frozen].some((all) => all.size > (all.has(accountSubject) ? 1 : 0)) ||
    (ofAccount !== undefined && holdsLetters(ofAccount))
  );
};

/** Decides with a guard. When the decision lacks a fact, the fact is read and the decision is made again. */
export const createGuarding =
  (ports: { lines: CredentialLines; isKnownRecipient: KnownRecipients }) =>
  async <T>(
    { accountId, keyIds }: { accountId: string; keyIds: readonly string[] },
    guarded: Guarded,
    asked: (credential: CredentialLine | undefined) => void,
    decide: (guardIn: GuardIn) => Promise<T>,
  ): Promise<T> => {
    const { lines, isKnownRecipient } = ports;
    let credential = lines.known(accountId, keyIds);
    let isKnown: boolean | undefined;
    const letter = {
      ...guarded.letter,
      isKnownRecipient: () => {
        if (isKnown === undefined) throw new RecipientUnknown();
        return isKnown;
      },
    };
    const guardIn: GuardIn = ({ guards }, at) => {
      asked(credential);
      if (guards.policies.size + guards.frozen.size === 0) return undefined;
      if (!credential && isAboutCredentials(guards)) throw new SubjectsUnknown();
      return { ...guarded, letter, subjects: credential?.line ?? [], at: Date.parse(at) };
    };
    for (;;) {
      try {
        return await decide(guardIn);
      } catch (error) {
        if (error instanceof SubjectsUnknown) credential = await lines.load(accountId, keyIds);
        else if (error instanceof RecipientUnknown) {
          isKnown = await isKnownRecipient(accountId, guarded.letter.recipient());
        } else throw error;
      }
    }
  };
