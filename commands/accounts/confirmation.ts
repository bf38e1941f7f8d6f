/**
 * Whether an address is the account's: somebody who reads its mail says so, or the operator. Until then
 * it may be anybody's, and so may the keys that were made with it.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { AppError } from '../../contract/errors.ts';
import type { AccountEvent } from '../../events/account.ts';
import type { DataKey } from '../../events/data-keys.ts';
import type { Account, ApiKey } from './account.ts';
import { activeKeys, endKeys } from './keys.ts';
import { changeSettings } from './settings.ts';

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

export const isAddressConfirmed = (state: Account, address: ConfirmedAddress): boolean =>
  address === 'registered' ? state.confirmedAt !== undefined : isNotificationEmailConfirmed(state);

/** Where mail about the account goes. */
export const notificationAddress = (state: Account): string | undefined =>
  isNotificationEmailConfirmed(state) ? state.settings.notificationEmail : undefined;

/** The address of a kind as it is now. */
export const addressOf = (state: Account, address: ConfirmedAddress): string | undefined =>
  address === 'registered' ? registeredEmail(state) : state.settings.notificationEmail;

/** A DID whose key the service keeps. */
export type NewDid = { did: string; seed: string };

/**
 * Ends what somebody else may have set: webhook, notification address, audit webhooks; and puts a DID of
 * the service in the place of one whose key it does not keep.
 */
export const withoutSettings = (state: Account, { did, seed }: NewDid): AccountEvent[] => {
  const { accountId } = state;
  const events: AccountEvent[] = [...state.subscriptions.keys()].map((subscriptionId) => ({
    type: 'AuditUnsubscribed',
    data: { accountId, subscriptionId, reason: 'removed' },
  }));
  if (Object.keys(state.settings).length > 0) {
    const data = { accountId, webhook: false, notificationEmail: false };
    events.push({ type: 'SettingsChanged', data, personal: {} });
  }
  if (state.did?.custody === 'self') {
    const data = { accountId, did, custody: 'service' as const };
    events.push({ type: 'DidCreated', data, personal: { seed } });
  }
  return events;
};

export type ConfirmEmail = {
  type: 'ConfirmEmail';
  address: ConfirmedAddress;
  /** The address that the link went to. */
  email: string;
  by: 'link' | 'operator';
  /** Keys that may go on spending, and keys that end with what they issued. */
  keep: string[];
  end: string[];
  /** The DID to go on with where what was set before is removed. */
  resetTo?: NewDid | undefined;
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
  const { address, email, by, keep, end, resetTo, at } = command;
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
  return [
    ...(isNews ? [confirmed(ids)] : []),
    ...endKeys(state, ended, at),
    ...(resetTo ? withoutSettings(state, resetTo) : []),
  ];
};

export type UnsubscribeEmail = { type: 'UnsubscribeEmail'; email: string; at: string };

/** No event where the account does not write to the address. */
export const unsubscribeEmail = (state: Account, command: UnsubscribeEmail): AccountEvent[] => {
  const { accountId, settings } = state;
  const { notificationEmail: email } = settings;
  if (email === undefined || !same(email, command.email)) return [];
  const { at } = command;
  const removal = { notificationEmail: null, newSecret: '', previousSecretUntil: at, at };
  return [
    { type: 'EmailUnsubscribed', data: { accountId }, personal: { email } },
    ...changeSettings(state, { type: 'ChangeSettings', ...removal }),
  ];
};

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
