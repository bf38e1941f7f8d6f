/** The answer to a request that makes a key. */

import { AppError } from '../../contract/errors.ts';
import { keyReused } from '../../contract/refusals.ts';
import type { Scope } from '../../contract/scopes.ts';
import type { Account } from './account.ts';
import { type KeyMaker, secretOfPrefix } from './api-key.ts';

export type IssuedKey = {
  accountId: string;
  keyId: string;
  /** Shown once. */
  secret: string;
  prefix: string;
  label: string;
  scope: Scope;
  createdAt: string;
  expiresAt: string | undefined;
  test: boolean;
  position: bigint;
  replayed: boolean;
};

/** The result, derived from the state: the same whether it was made now or before. */
export const issuedKey = (
  state: Account,
  key: Pick<ReturnType<KeyMaker>, 'keyId' | 'secrets'>,
  requestHash: string,
  outcome: { position: bigint; events: unknown[] },
): IssuedKey => {
  const made = state.keys.get(key.keyId);
  if (!made || made.requestHash !== requestHash) throw keyReused();
  const secret = secretOfPrefix(key.secrets, made.prefix);
  if (secret === undefined) {
    throw new AppError(
      'idempotency_key_reused',
      'The keys of the service changed since this request was made, so its API key can no longer be shown. Make a new one.',
    );
  }
  return {
    accountId: state.accountId,
    keyId: key.keyId,
    secret,
    prefix: made.prefix,
    label: made.label,
    scope: made.scope,
    createdAt: made.createdAt,
    expiresAt: made.expiresAt,
    test: state.test,
    position: outcome.position,
    replayed: outcome.events.length === 0,
  };
};
