/** How pages ask for passkeys, and verify an answer. */
import type { Session } from '../../../contract/portal.ts';
import type { Challenge } from './passkey-form.ts';

type Of = { sessionId: string; accountId: string };
type Confirmed = Pick<Session, 'id' | 'caller'>;
type Answered = { ticket: string; answer: string };

export type Passkeys = {
  /** Whether the session must be confirmed before a form that matters. */
  asks(session: Pick<Session, 'caller' | 'confirmedBy'>): Promise<boolean>;
  askToRegister(of: Of): Promise<Challenge>;
  /**
   * Registers a passkey by the browser's answer, for a key that `makeKey` makes. `endKey` ends that key if the passkey
   * cannot be stored. False if the answer is wrong or the passkey was not stored.
   * @throws what `makeKey` throws
   */
  register(
    answered: Answered,
    session: Confirmed,
    makeKey: (idempotencyKey: string) => Promise<{ id: string; api_key: string }>,
    endKey: (id: string) => Promise<unknown>,
  ): Promise<boolean>;
  /** Without a session: to sign in. */
  ask(session?: Confirmed): Promise<Challenge>;
  /** The key of the passkey that answered and confirms the session; undefined: no passkey did. */
  confirm(answered: Answered, session: Confirmed): Promise<string | undefined>;
};
