/**
 * Keys that people sign in to the console with in other ways than by pasting one. Nobody knows the secret of such a
 * key. It is listed, frozen and revoked as every key is, and ends with a recovery.
 */
import { toTimestamp } from '../../ground/clock.ts';
import { uuidv5 } from '../../ground/uuid.ts';
import { accountAggregate } from './account.ts';
import type { AccountPorts } from './account-ports.ts';
import { hashOfKey, secretOfPrefix } from './api-key.ts';
import { activeKeys, createKey } from './keys.ts';

const addressNamespace = '4b2a6d38-7f0c-5d0e-9a35-6d61696c6564';

/** A key whose secret is unknown: rows refer to it by its hash. */
export type SignInKey = { keyId: string; secretHash: string };

export const createSignInKeys = ({ handler, clock, makeKey }: AccountPorts) => ({
  /** The key that stands for the confirmed address of an account; made where none works. */
  async ofAddress(accountId: string): Promise<SignInKey> {
    const { state } = await handler.load(accountAggregate, accountId);
    const at = toTimestamp(clock());
    const active = new Set(activeKeys(state, at).map(({ keyId }) => keyId));
    for (let count = 0; ; count += 1) {
      const commandId = uuidv5(addressNamespace, `${accountId}\n${count}`);
      const { secrets, ...made } = makeKey(commandId, state.test);
      const known = state.keys.get(made.keyId);
      const secret = known && secretOfPrefix(secrets, known.prefix);
      // One whose secret came from a root that was destroyed cannot be named any longer.
      if (active.has(made.keyId) && secret !== undefined) {
        return { keyId: made.keyId, secretHash: hashOfKey(secret) };
      }
      if (known) continue;
      const key = { ...made, label: 'Sign-in by e-mail', scope: 'full' as const };
      const maxKeys = Number.POSITIVE_INFINITY; // one for each account
      const requestHash = commandId;
      await handler.handle(
        accountAggregate,
        accountId,
        { commandId, actor: 'console:sign-in' },
        (account) =>
          createKey(account, {
            type: 'CreateKey',
            key,
            makerScope: 'full',
            requestHash,
            maxKeys,
            at,
          }),
      );
      return made;
    }
  },
});
