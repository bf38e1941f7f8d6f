/**
 * How somebody who lost the key of an account gets a new one: by a link that goes to the account's
 * e-mail address. The token in it says neither the address nor the key.
 */
import { createHmac, type KeyObject } from 'node:crypto';
import { AppError, type ErrorCode } from '../../contract/errors.ts';
import type { AccountEvent } from '../../events/account.ts';
import { isMadeWith, type RotatingKey } from '../../ground/rotating-key.ts';
import type { Account, ApiKey } from './account.ts';
import { registeredEmail } from './confirmation.ts';
import { endKeys, keyCreated, type NewKey } from './keys.ts';
import { endSettings, type NewDid, type Setting, settingsOf } from './settings-before-proof.ts';

export type RecoveryGrant = {
  accountId: string;
  /** How often links had ended when this one was written (`linkGeneration`). */
  recoveries: number;
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
    'token is not the token of a recovery link. Copy the whole link from the e-mail.',
  );

const shape = /^(acct_[0-9A-Za-z]{1,40})\.([0-9a-z]{1,9})\.([0-9a-z]{1,11})$/;

/** @param key 32 bytes, for this purpose only */
export const createRecoveryTokens = (key: RotatingKey): RecoveryTokens => {
  const mac = (one: KeyObject | Buffer, payload: string): string =>
    createHmac('sha256', one).update(`recovery by count\n${payload}`).digest('base64url');

  return {
    issue({ accountId, recoveries, expiresAtMs }) {
      const payload = `${accountId}.${recoveries.toString(36)}.${expiresAtMs.toString(36)}`;
      return `${payload}.${mac(key()[0], payload)}`;
    },
    read(token) {
      const end = token.lastIndexOf('.');
      const payload = token.slice(0, Math.max(end, 0));
      const [, accountId, recoveries, expiresAt] = shape.exec(payload) ?? [];
      const authentic = isMadeWith(key, token.slice(end + 1), (one) => mac(one, payload));
      if (!authentic || accountId === undefined) throw invalid();
      return {
        accountId,
        recoveries: Number.parseInt(recoveries ?? '', 36),
        expiresAtMs: Number.parseInt(expiresAt ?? '', 36),
      };
    },
  };
};

/** Every recovery and every change of the address ends all recovery links. */
export const linkGeneration = ({ recoveries, emailChanges }: Account): number =>
  recoveries + emailChanges;

type RecoverAccount = {
  type: 'RecoverAccount';
  key: NewKey;
  grant: RecoveryGrant;
  requestHash: string;
  /** Epoch ms. */
  nowMs: number;
  /** Keys that stay; all others end, with the UCANs that they issued. */
  keep: 'all' | string[];
  /**
   * Ends all settings (true) or none (false). Absent: those that were set before the address was proved
   * and that nobody kept, since somebody else may have registered it.
   */
  resetSettings?: boolean | undefined;
  did: NewDid;
};

/** The settings that a recovery ends, out of those that are set. */
export const settingsReset = (
  settings: readonly Setting[],
  { resetSettings }: Pick<RecoverAccount, 'resetSettings'>,
): Setting[] => settings.filter(({ unproven }) => resetSettings ?? unproven);

/** The keys to be kept. @throws AppError key_not_found */
const keptOf = (state: Account, keep: RecoverAccount['keep']): ApiKey[] =>
  (keep === 'all' ? [...state.keys.keys()] : keep).map((id) => {
    const key = state.keys.get(id);
    if (key) return key;
    throw new AppError('key_not_found', `${id} is not a key of the account.`);
  });

/**
 * Makes a key for the reader of the account's mail, which also confirms its address. A link works once: it is
 * bound to the number of recoveries, which no holder of a key can raise. The limit of keys does not apply here,
 * because nobody could make room for the new one.
 * @throws AppError recovery_token_invalid, recovery_token_expired, recovery_token_used, key_not_found
 */
export const recoverAccount = (state: Account, command: RecoverAccount): AccountEvent[] => {
  const { key, grant, requestHash, nowMs, keep } = command;
  if (state.keys.has(key.keyId)) return [];
  const email = registeredEmail(state);
  if (state.status !== 'open' || email === undefined) throw invalid();
  if (nowMs >= grant.expiresAtMs) {
    throw refuse(
      'recovery_token_expired',
      'The recovery link is older than one hour. Register the same address again to get a new one.',
    );
  }
  if (linkGeneration(state) !== grant.recoveries) {
    throw refuse(
      'recovery_token_used',
      'The account was recovered, or its address changed, since the link was written. Register again with the address that it has now for a new link.',
    );
  }
  const { accountId } = state;
  const kept = keptOf(state, keep);
  const ended = [...state.keys.values()].filter((one) => !kept.includes(one));
  const at = new Date(nowMs).toISOString();
  const active = kept.filter(({ revoked }) => !revoked).map(({ keyId }) => keyId);
  return [
    {
      type: 'EmailConfirmed',
      data: {
        accountId,
        address: 'registered',
        by: 'recovery',
        keep: active,
        ...(keep === 'all' ? {} : { endsIssued: true }),
        settlesSettings: true,
      },
      personal: { email },
    },
    ...endKeys(state, ended, at),
    ...endSettings(state, settingsReset(settingsOf(state), command), { did: command.did, at }),
    keyCreated(state, key, requestHash),
  ];
};
