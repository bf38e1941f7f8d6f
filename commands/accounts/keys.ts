/** API keys of an account: made, rotated, revoked, and what ends with them. */

import type { BoundTo, Maker } from '../../contract/bounds.ts';
import { AppError } from '../../contract/errors.ts';
import { accountNotFound } from '../../contract/refusals.ts';
import { type Scope, scopeCovers } from '../../contract/scopes.ts';
import type { AccountEvent } from '../../events/account.ts';
import { limitError } from '../../limits/limit-error.ts';
import { type Account, type ApiKey, isGone, isOver } from './account.ts';

/** A key to be made; its secret is known to the caller of the command alone. */
export type NewKey = {
  keyId: string;
  secretHash: string;
  prefix: string;
  label: string;
  scope: Scope;
  expiresAt?: string;
  /** The key that asked for it, or `ucan:<cid>`. */
  madeBy?: string;
  /** Absent: nothing but its own revocation and expiry ends it. */
  boundTo?: BoundTo;
};

export const keyCreated = (
  account: { accountId: string; test: boolean },
  key: NewKey,
  requestHash: string,
  rotatedFrom?: string,
): AccountEvent => ({
  type: 'KeyCreated',
  data: {
    accountId: account.accountId,
    test: account.test,
    keyId: key.keyId,
    secretHash: key.secretHash,
    prefix: key.prefix,
    scope: key.scope,
    requestHash,
    ...(key.expiresAt === undefined ? {} : { expiresAt: key.expiresAt }),
    ...(rotatedFrom === undefined ? {} : { rotatedFrom }),
    ...(key.madeBy === undefined ? {} : { madeBy: key.madeBy }),
    ...(key.boundTo === undefined ? {} : { boundTo: key.boundTo }),
  },
  personal: { label: key.label },
});

const hasEnded = (key: ApiKey, at: string): boolean =>
  isOver(key, at) || (key.expiresAt !== undefined && key.expiresAt <= at);

/** A key that was replaced under an earlier version may still work for a while, but makes nothing. */
const isAlive = (state: Account, key: ApiKey, at: string): boolean =>
  !key.revoked &&
  !hasEnded(key, at) &&
  (key.boundTo?.keys ?? []).every((keyId) => {
    const bound = state.keys.get(keyId);
    return bound === undefined || !hasEnded(bound, at);
  });

/**
 * Keys that are neither revoked nor replaced, and whose bounds have not ended. The account knows neither its UCANs nor
 * the keys of other accounts that passed UCANs on: a key listed here may have ended with one of them.
 */
export const activeKeys = (state: Account, at: string): ApiKey[] =>
  [...state.keys.values()].filter((key) => isAlive(state, key, at));

/** The last key that replaced a key by rotation, or the key itself. Undefined: the key is not known. */
const latestOf = (state: Account, keyId: string): ApiKey | undefined => {
  const next = new Map([...state.keys.values()].map((key) => [key.rotatedFrom, key]));
  let last = state.keys.get(keyId);
  for (let key = last; key !== undefined; key = next.get(key.keyId)) last = key;
  return last;
};

/** Whether a key was revoked, or the last one that replaced it by rotation. False for an unknown key. */
export const wasRevoked = (state: Account, keyId: string): boolean =>
  latestOf(state, keyId)?.revoked === 'revoked';

/**
 * Whether a key, or the last one that replaced it, expired or ended with a key that it is bound to. False for an unknown
 * key.
 */
export const hasExpired = (state: Account, keyId: string, at: string): boolean => {
  const last = latestOf(state, keyId);
  return last !== undefined && !last.revoked && !isAlive(state, last, at);
};

/** Only a revocation ends such a key. */
const isPermanent = ({ expiresAt, boundTo }: ApiKey): boolean =>
  expiresAt === undefined && boundTo === undefined;

/**
 * A credential is looked up a moment before it is used: what it would make now must not come after its
 * end. `keyIds`: the key that asks, and what it is bound to.
 * @throws AppError invalid_api_key
 */
const assertAlive = (state: Account, keyIds: readonly string[], at: string): void => {
  for (const keyId of keyIds) {
    const key = state.keys.get(keyId);
    if (key && !isAlive(state, key, at)) {
      throw new AppError(
        'invalid_api_key',
        'The key was revoked or replaced, or has expired. Use another one.',
      );
    }
  }
};

type CreateKey = {
  type: 'CreateKey';
  key: NewKey;
  /** Scope of the key that asks; the new one is never wider. */
  makerScope: Scope;
  requestHash: string;
  maxKeys: number;
  /** Keys that ended with a UCAN, or with a key of another account. They do not count. */
  endedIds?: ReadonlySet<string>;
  at: string;
};

/** @throws AppError account_not_found, scope_insufficient, key_limit_reached, invalid_api_key */
export const createKey = (state: Account, command: CreateKey): AccountEvent[] => {
  const { key, makerScope, requestHash, maxKeys, endedIds, at } = command;
  if (state.keys.has(key.keyId)) return [];
  if (state.status !== 'open') throw accountNotFound();
  if (!scopeCovers(makerScope, key.scope)) {
    throw new AppError(
      'scope_insufficient',
      `A ${makerScope} key cannot make a ${key.scope} key. Ask for ${makerScope} or less.`,
    );
  }
  assertAlive(state, [key.madeBy ?? '', ...(key.boundTo?.keys ?? [])], at);
  const counted = activeKeys(state, at).filter(({ keyId }) => !endedIds?.has(keyId));
  if (counted.length >= maxKeys) {
    throw limitError(
      'apiKeysPerAccount',
      `The account already has ${maxKeys} active keys. Revoke one first.`,
    );
  }
  return [keyCreated(state, key, requestHash)];
};

const keyOf = (state: Account, keyId: string): ApiKey => {
  const key = state.keys.get(keyId);
  if (!key) throw new AppError('key_not_found', 'Your account has no key with this id.');
  return key;
};

type RevokeKey = {
  type: 'RevokeKey';
  keyId: string;
  /** Also ends whatever it made, by rotation too, and what that made. Its UCANs end with it anyway. */
  withIssued?: boolean;
  /** The key that asks: it is not ended for having been made by the other. */
  asking?: string;
  at: string;
};

/** A key and those that it replaced. */
const lineageOf = (state: Account, key: ApiKey): ApiKey[] => {
  const line: ApiKey[] = [];
  let last: ApiKey | undefined = key;
  while (last) {
    line.push(last);
    last = state.keys.get(last.rotatedFrom ?? '');
  }
  return line;
};

/** Keys by the key that made them or was rotated to them. */
const keysByOrigin = (state: Account): Map<string, ApiKey[]> => {
  const byOrigin = new Map<string, ApiKey[]>();
  for (const key of [...state.keys.values()]) {
    for (const origin of [key.rotatedFrom, key.madeBy]) {
      if (origin === undefined) continue;
      const made = byOrigin.get(origin);
      if (made) made.push(key);
      else byOrigin.set(origin, [key]);
    }
  }
  return byOrigin;
};

/**
 * The keys that some keys made or were rotated to, and the descendants of those: the holder of a leaked key may
 * have rotated it, or others with it. Without the key of the request and its own descendants.
 */
const comeOf = (state: Account, makers: ApiKey[], asking: string | undefined): ApiKey[] => {
  const byOrigin = keysByOrigin(state);
  const known = new Set(makers.map(({ keyId }) => keyId));
  const found = [...makers];
  for (const { keyId } of found) {
    for (const key of byOrigin.get(keyId) ?? []) {
      if (key.keyId === asking || known.has(key.keyId)) continue;
      known.add(key.keyId);
      found.push(key);
    }
  }
  return found.slice(makers.length);
};

/** Ends keys, and with them the UCANs that they issued; those that are over are left as they are. */
export const endKeys = (state: Account, keys: ApiKey[], at: string): AccountEvent[] =>
  keys
    .filter((key) => !isGone(key, at))
    .map(({ keyId }) => ({
      type: 'KeyRevoked',
      data: { accountId: state.accountId, keyId, reason: 'revoked' },
    }));

/**
 * An account that has a full key keeps one that never expires.
 * @throws AppError key_not_found, last_full_key
 */
export const revokeKey = (state: Account, command: RevokeKey): AccountEvent[] => {
  const { withIssued, asking, at } = command;
  const key = keyOf(state, command.keyId);
  if (isGone(key, at) && !withIssued) return [];
  const ended = [key, ...(withIssued ? comeOf(state, lineageOf(state, key), asking) : [])];
  const staying = activeKeys(state, at).filter((one) => !ended.includes(one));
  const endsFull = ended.some((one) => one.scope === 'full' && !one.revoked);
  if (endsFull && !staying.some((one) => one.scope === 'full' && isPermanent(one))) {
    throw new AppError(
      'last_full_key',
      'This is the last full key of the account that does not expire. Make another one first, or rotate this one.',
    );
  }
  return endKeys(state, ended, at);
};

export type RotateKey = {
  type: 'RotateKey';
  keyId: string;
  key: NewKey;
  requestHash: string;
  /** The caller. */
  maker: Maker;
  /** Until when a key that rotates itself can repeat the request; absent: it cannot. */
  repeatableUntil?: string | undefined;
  at: string;
};

/** A rotation answers the new secret: a key that ends by itself may not take one that outlives it. */
const assertMayRotate = (key: ApiKey, maker: Maker): void => {
  if (maker.bounds === undefined || maker.keyId === key.keyId) return;
  if (key.boundTo?.keys.includes(maker.keyId)) return;
  throw new AppError(
    'scope_insufficient',
    'An expiring key can rotate only itself and the keys that it made. Rotate this key with itself, or with a key that does not expire.',
  );
};

const replacedAlready = (isItself: boolean): AppError =>
  isItself
    ? new AppError(
        'invalid_api_key',
        'The key was replaced. Use the new key. The same rotation can be repeated with the same Idempotency-Key for ten minutes.',
      )
    : new AppError(
        'key_revoked',
        'This key is already revoked or replaced. Use the key that replaced it, or make a new one.',
      );

/** The replacement of a key that has ended would have ended, too. */
const endedAlready = (): AppError =>
  new AppError(
    'key_revoked',
    'This key has expired, or a key has ended that it ends with. A replacement would not work either. Make a new key: POST /auth/keys.',
  );

/**
 * The new key has the label, scope, expiry and bounds of the old one, and was made by the key that asked.
 * A key that was replaced is good for nothing but the repetition of its own rotation.
 * @throws AppError key_not_found, key_revoked, scope_insufficient, invalid_api_key
 */
export const rotateKey = (state: Account, command: RotateKey): AccountEvent[] => {
  const { requestHash, maker, repeatableUntil, at } = command;
  const old = keyOf(state, command.keyId);
  const isItself = maker.keyId === old.keyId;
  if (!isItself) assertAlive(state, [maker.keyId], at);
  if (state.keys.has(command.key.keyId)) return [];
  if (old.revoked) throw replacedAlready(isItself);
  assertMayRotate(old, maker);
  if (!isItself && !isAlive(state, old, at)) throw endedAlready();
  assertAlive(state, [maker.keyId, ...(old.boundTo?.keys ?? [])], at);
  const { label, scope, expiresAt, boundTo } = old;
  const madeBy = isItself ? old.madeBy : maker.keyId;
  const key = { ...command.key, label, scope, expiresAt, madeBy, boundTo };
  const repeatable = isItself && repeatableUntil !== undefined ? { repeatableUntil } : {};
  return [
    keyCreated(state, key, requestHash, old.keyId),
    {
      type: 'KeyRevoked',
      data: { accountId: state.accountId, keyId: old.keyId, reason: 'rotated', ...repeatable },
    },
  ];
};
