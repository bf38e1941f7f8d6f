/**
 * How somebody who lost the key of an account gets a new one: by a link that goes to the account's
 * e-mail address. The token in it says neither the address nor the key.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { AppError, type ErrorCode } from '../../contract/errors.ts';
import type { AccountEvent } from '../../events/account.ts';
import type { DataKey } from '../../events/data-keys.ts';
import { type Account, keyCreated, type NewKey } from './account.ts';

export type RecoveryGrant = {
  accountId: string;
  /** How many keys the account had ever made when the link was written. */
  keysMade: number;
  /** Epoch ms. */
  expiresAtMs: number;
};

export type RecoveryTokens = {
  issue(grant: RecoveryGrant): string;
  /** Whether it is still good the account's stream says. @throws AppError recovery_token_invalid */
  read(token: string): RecoveryGrant;
};

const refuse = (code: ErrorCode, detail: string): AppError =>
  new AppError(code, detail, { errors: [{ pointer: '/token', code, detail }] });

const invalid = (): AppError =>
  refuse(
    'recovery_token_invalid',
    'token is not that of a recovery link; copy the whole link out of the e-mail.',
  );

const shape = /^(acct_[0-9A-Za-z]{1,40})\.([0-9a-z]{1,9})\.([0-9a-z]{1,11})$/;

/** @param key 32 bytes, for this purpose only */
export const createRecoveryTokens = (key: DataKey): RecoveryTokens => {
  const mac = (payload: string): Buffer =>
    createHmac('sha256', key).update(`recovery\n${payload}`).digest();

  return {
    issue({ accountId, keysMade, expiresAtMs }) {
      const payload = `${accountId}.${keysMade.toString(36)}.${expiresAtMs.toString(36)}`;
      return `${payload}.${mac(payload).toString('base64url')}`;
    },
    read(token) {
      const end = token.lastIndexOf('.');
      const payload = token.slice(0, Math.max(end, 0));
      const given = Buffer.from(token.slice(end + 1), 'base64url');
      const expected = mac(payload);
      const [, accountId, keysMade, expiresAt] = shape.exec(payload) ?? [];
      const authentic = given.length === expected.length && timingSafeEqual(given, expected);
      if (!authentic || accountId === undefined) throw invalid();
      return {
        accountId,
        keysMade: Number.parseInt(keysMade ?? '', 36),
        expiresAtMs: Number.parseInt(expiresAt ?? '', 36),
      };
    },
  };
};

export type RecoverAccount = {
  type: 'RecoverAccount';
  key: NewKey;
  grant: RecoveryGrant;
  requestHash: string;
  /** Epoch ms. */
  nowMs: number;
};

/**
 * Makes a key for whoever reads the account's mail; the keys that there are stay as they are. A link
 * counts once: it is bound to the number of keys that were ever made, so any new key ends it. The
 * limit of keys does not hold here, as nobody could make room for the new one.
 * @throws AppError recovery_token_invalid, recovery_token_expired, recovery_token_used
 */
export const recoverAccount = (state: Account, command: RecoverAccount): AccountEvent[] => {
  const { key, grant, requestHash, nowMs } = command;
  if (state.keys.has(key.keyId)) return [];
  if (state.status === 'none' || state.kind !== 'email') throw invalid();
  if (nowMs >= grant.expiresAtMs) {
    throw refuse(
      'recovery_token_expired',
      'The recovery link is older than one hour; register again with the same address for a new one.',
    );
  }
  if (state.keys.size !== grant.keysMade) {
    throw refuse(
      'recovery_token_used',
      'The recovery link was used, or the account got another key since; register again with the same address for a new one.',
    );
  }
  return [keyCreated(state, key, requestHash)];
};
