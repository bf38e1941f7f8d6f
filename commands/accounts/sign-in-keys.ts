/**
 * Keys that people sign in to the console with in other ways than by pasting one. Nobody knows the secret of such a
 * key. It is listed, frozen and revoked as every key is, and ends with a recovery and with a change of the address.
 */
import { toTimestamp } from '../../ground/clock.ts';
import { uuidv5 } from '../../ground/uuid.ts';
import { type Account, type ApiKey, accountAggregate } from './account.ts';
import type { AccountPorts } from './account-ports.ts';
import { hashOfKey, keyIdOf, secretOfPrefix } from './api-key.ts';
import { activeKeys, createKey, type NewKey } from './keys.ts';
import { linkGeneration } from './recovery.ts';

const addressNamespace = '4b2a6d38-7f0c-5d0e-9a35-6d61696c6564';

/** The command that makes a key for the address of an account. `count`: of those before it. */
const commandIdOf = (accountId: string, count: number): string =>
  uuidv5(addressNamespace, `${accountId}\n${count}`);

/** The keys that stand or stood for the address of an account. */
export const signInKeysOf = ({ accountId, keys }: Account): ApiKey[] => {
  const found: ApiKey[] = [];
  for (;;) {
    const key = keys.get(keyIdOf(commandIdOf(accountId, found.length)));
    if (!key) return found;
    found.push(key);
  }
};

/** A key whose secret is unknown: rows refer to it by its hash. */
export type SignInKey = { keyId: string; secretHash: string };

export const createSignInKeys = ({ handler, clock, makeKey }: AccountPorts) => {
  /** The key that works. A key whose secret came from a destroyed root can no longer be named. */
  const workingKey = (state: Account, at: string): SignInKey | undefined => {
    const active = new Set(activeKeys(state, at));
    for (const [count, key] of signInKeysOf(state).entries()) {
      const { secrets } = makeKey(commandIdOf(state.accountId, count), state.test);
      const secret = secretOfPrefix(secrets, key.prefix);
      if (active.has(key) && secret !== undefined) {
        return { keyId: key.keyId, secretHash: hashOfKey(secret) };
      }
    }
    return undefined;
  };

  return {
    /**
     * The key that stands for the confirmed address of an account; made where none works. Undefined where the links of
     * this generation have ended.
     */
    async ofAddress(accountId: string, generation: number): Promise<SignInKey | undefined> {
      const { state } = await handler.load(accountAggregate, accountId);
      if (linkGeneration(state) !== generation) return undefined;
      const at = toTimestamp(clock());
      const working = workingKey(state, at);
      if (working) return working;
      const commandId = commandIdOf(accountId, signInKeysOf(state).length);
      const { secrets, ...made } = makeKey(commandId, state.test);
      const key: NewKey = { ...made, label: 'Sign-in by e-mail', scope: 'full' };
      const maxKeys = Number.POSITIVE_INFINITY; // one for each account
      const wanted = { key, makerScope: 'full' as const, requestHash: commandId, maxKeys, at };
      const context = { commandId, actor: 'console:sign-in' };
      const after = await handler.handle(accountAggregate, accountId, context, (account) =>
        linkGeneration(account) === generation
          ? createKey(account, { type: 'CreateKey', ...wanted })
          : [],
      );
      return linkGeneration(after.state) === generation ? made : undefined;
    },
  };
};
