/**
 * Whether an address is the account's: somebody who reads its mail says so, or the operator. Until then
 * it may be anybody's, and so may the keys that were made with it.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { AppError } from '../../contract/errors.ts';
import type { AccountEvent } from '../../events/account.ts';
import type { DataKey } from '../../events/data-keys.ts';
import { type Account, type ApiKey, activeKeys, endKeys } from './account.ts';

export type ConfirmedAddress = 'registered' | 'notifications';

const same = (a: string | undefined, b: string | undefined): boolean =>
  a !== undefined && b !== undefined && a.toLowerCase() === b.toLowerCase();

/** The address that the account was registered with. */
export const registeredEmail = (state: Account): string | undefined =>
  state.kind === 'email' && state.name !== '' ? state.name : undefined;

/** Whether the notification address, if there is one, may get mail. */
export const isNotificationEmailConfirmed = (state: Account): boolean => {
  const { notificationEmail: email } = state.settings;
  const own = state.confirmedAt !== undefined && same(email, registeredEmail(state));
  return own || same(email, state.confirmedNotificationEmail);
};

/** Where mail about the account goes. */
export const notificationAddress = (state: Account): string | undefined =>
  isNotificationEmailConfirmed(state) ? state.settings.notificationEmail : undefined;

/** The address of a kind as it is now. */
export const addressOf = (state: Account, address: ConfirmedAddress): string | undefined =>
  address === 'registered' ? registeredEmail(state) : state.settings.notificationEmail;

/** Active keys that are still to be judged by who confirms the address. */
export const keysToJudge = (state: Account, at: string): ApiKey[] =>
  activeKeys(state, at).filter((key) => state.confirmedAt === undefined || key.unconfirmed);

export type ConfirmEmail = {
  type: 'ConfirmEmail';
  address: ConfirmedAddress;
  /** The address that the link went to. */
  email: string;
  by: 'link' | 'operator';
  /** Keys that may go on spending, and keys that end with what they issued. */
  keep: string[];
  end: string[];
  at: string;
};

const gone = (): AppError =>
  new AppError(
    'confirmation_invalid',
    'The link is for an address that the account has no more; set the address again for a new link.',
  );

const judged = (state: Account, ids: string[], at: string): ApiKey[] => {
  const active = activeKeys(state, at);
  return ids.map((id) => {
    const key = active.find(({ keyId }) => keyId === id);
    if (key) return key;
    throw new AppError('key_not_found', `${id} is no active key of the account.`);
  });
};

/** @throws AppError confirmation_invalid, key_not_found */
export const confirmEmail = (state: Account, command: ConfirmEmail): AccountEvent[] => {
  const { address, email, by, keep, end, at } = command;
  if (!same(addressOf(state, address), email)) throw gone();
  const { accountId } = state;
  const confirmed = (kept: string[]): AccountEvent => ({
    type: 'EmailConfirmed',
    data: { accountId, address, by, keep: kept },
    personal: { email },
  });
  if (address === 'notifications') {
    return isNotificationEmailConfirmed(state) ? [] : [confirmed([])];
  }
  const [kept, ended] = [judged(state, keep, at), judged(state, end, at)];
  const isNews = state.confirmedAt === undefined || kept.some(({ unconfirmed }) => unconfirmed);
  const ids = kept.filter((key) => !ended.includes(key)).map(({ keyId }) => keyId);
  return [...(isNews ? [confirmed(ids)] : []), ...endKeys(state, ended, at)];
};

export type UnsubscribeEmail = { type: 'UnsubscribeEmail'; email: string };

/** No event where the account does not write to the address. */
export const unsubscribeEmail = (state: Account, { email }: UnsubscribeEmail): AccountEvent[] =>
  same(state.settings.notificationEmail, email)
    ? [
        {
          type: 'EmailUnsubscribed',
          data: { accountId: state.accountId },
          personal: { email: state.settings.notificationEmail ?? email },
        },
      ]
    : [];

/** What a link about an address says. */
export type EmailGrant = {
  purpose: 'confirm' | 'unsubscribe';
  accountId: string;
  address: ConfirmedAddress;
  /** Keyed digest of the address. */
  digest: string;
  /** Epoch ms; 0: never. */
  expiresAtMs: number;
};

export type EmailTokens = {
  issue(grant: EmailGrant): string;
  /** @throws AppError confirmation_invalid */
  read(token: string, purpose: EmailGrant['purpose']): EmailGrant;
};

const letterOf = { confirm: 'c', unsubscribe: 'u', registered: 'r', notifications: 'n' } as const;
const shape = /^([cu])([rn])\.(acct_[0-9A-Za-z]{1,40})\.([\w-]{43})\.([0-9a-z]{1,11})$/;

/** @param key 32 bytes, for this purpose only */
export const createEmailTokens = (key: DataKey): EmailTokens => {
  const mac = (payload: string): Buffer =>
    createHmac('sha256', key).update(`email\n${payload}`).digest();

  return {
    issue({ purpose, accountId, address, digest, expiresAtMs }) {
      const kind = `${letterOf[purpose]}${letterOf[address]}`;
      const payload = `${kind}.${accountId}.${digest}.${expiresAtMs.toString(36)}`;
      return `${payload}.${mac(payload).toString('base64url')}`;
    },
    read(token, purpose) {
      const end = token.lastIndexOf('.');
      const payload = token.slice(0, Math.max(end, 0));
      const given = Buffer.from(token.slice(end + 1), 'base64url');
      const expected = mac(payload);
      const authentic = given.length === expected.length && timingSafeEqual(given, expected);
      const [, kind, of, accountId, digest, expiresAt] = shape.exec(payload) ?? [];
      if (!authentic || kind !== letterOf[purpose] || !accountId || !digest || !expiresAt) {
        throw new AppError(
          'confirmation_invalid',
          'token is not that of such a link; copy the whole link out of the e-mail.',
        );
      }
      const address = of === letterOf.registered ? 'registered' : 'notifications';
      return { purpose, accountId, address, digest, expiresAtMs: Number.parseInt(expiresAt, 36) };
    },
  };
};
