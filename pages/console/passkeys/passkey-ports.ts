/** How pages ask for passkeys, and verify an answer. */
import type { Challenge } from './passkey-form.ts';

type Of = { sessionId: string; accountId: string };
type Answered = { ticket: string; answer: string };

export type Passkeys = {
  has(accountId: string): Promise<boolean>;
  askToRegister(of: Of): Promise<Challenge>;
  /**
   * Registers what the browser answered, for a key that `makeKey` makes. False where the answer is wrong.
   * @throws what `makeKey` throws
   */
  register(
    answered: Answered,
    of: Of,
    makeKey: () => Promise<{ id: string; api_key: string }>,
  ): Promise<boolean>;
  /** Without a session: to sign in. */
  ask(of?: Of): Promise<Challenge>;
  /** Whether a passkey of the account answered; the session is confirmed then. */
  confirm(answered: Answered, of: Of): Promise<boolean>;
};
