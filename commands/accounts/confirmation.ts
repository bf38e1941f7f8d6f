/**
 * Whether an address is the account's: somebody who reads its mail says so, or the operator. Until then
 * it may be anybody's, and so may the keys that were made with it.
 */
import { createHmac, type KeyObject } from 'node:crypto';
import { AppError } from '../../contract/errors.ts';
import type { AccountEvent } from '../../events/account.ts';
import { isMadeWith, type RotatingKey } from '../../ground/rotating-key.ts';
import { type Account, isOver } from './account.ts';
import { activeKeys, endKeys, wasRevoked } from './keys.ts';
import { changeSettings } from './settings.ts';
import { endSettings, type NewDid, type Setting, settingsOf } from './settings-before-proof.ts';

/** The account's own address, the one of its notifications, and the one that it asked for (`change`). */
export type ConfirmedAddress = 'registered' | 'notifications' | 'change';

/** Addresses are compared without regard to case. */
export const isSameEmail = (a: string | undefined, b: string | undefined): boolean =>
  a !== undefined && b !== undefined && a.toLowerCase() === b.toLowerCase();

/** The account's own address: the one that it was registered with, or changed to. */
export const registeredEmail = (state: Account): string | undefined =>
  state.kind === 'email' && state.name !== '' ? state.name : undefined;

/**
 * Whether the notification address, if there is one, may get mail. Once the owner proved the account's
 * address, one that somebody set before and the owner did not keep gets none.
 */
export const isNotificationEmailConfirmed = (state: Account): boolean => {
  const { confirmedAt, settings, unproven } = state;
  const { notificationEmail: email } = settings;
  if (confirmedAt !== undefined && isSameEmail(email, registeredEmail(state))) return true;
  const isKept = confirmedAt === undefined || !unproven.notificationEmail;
  return isKept && isSameEmail(email, state.confirmedNotificationEmail);
};

export const isAddressConfirmed = (state: Account, address: ConfirmedAddress): boolean => {
  if (address === 'change') return state.emailChange === undefined;
  return address === 'registered'
    ? state.confirmedAt !== undefined
    : isNotificationEmailConfirmed(state);
};

/** Where mail about the account goes. */
export const notificationAddress = (state: Account): string | undefined =>
  isNotificationEmailConfirmed(state) ? state.settings.notificationEmail : undefined;

/** The address of a kind as it is now. The address of a change is the account's own once it is confirmed. */
export const addressOf = (state: Account, address: ConfirmedAddress): string | undefined => {
  if (address === 'notifications') return state.settings.notificationEmail;
  return address === 'change' && state.emailChange !== undefined
    ? state.emailChange.email
    : registeredEmail(state);
};

/** The key that asked for an address that is not confirmed yet, or `ucan:<cid>`; undefined: nobody, or not known. */
export const askerOf = (state: Account, address: ConfirmedAddress): string | undefined => {
  if (isAddressConfirmed(state, address)) return undefined;
  if (address === 'notifications') return state.notificationEmailSetBy;
  return address === 'change' ? state.emailChange?.madeBy : undefined;
};

export type ConfirmEmail = {
  type: 'ConfirmEmail';
  address: Exclude<ConfirmedAddress, 'change'>;
  /** The address that the link went to. */
  email: string;
  by: 'link' | 'operator';
  /** Ids of keys and settings of before that stay; all others end, except those of `all`. */
  keep: 'all' | string[];
  /** Keys that end although `keep` has them. */
  end: string[];
  /** Ends all settings, whatever `keep` has. */
  resetSettings?: boolean | undefined;
  /** Policies of the account that can end with its proof. The wallet ends them. */
  policies?: readonly Setting[];
  /** The DID to go on with where the account's own ends. */
  did: NewDid;
  at: string;
};

const invalid = (detail: string): AppError => new AppError('confirmation_invalid', detail);

const gone = (): AppError =>
  invalid('The account no longer uses this address. Set the address again to get a new link.');

/** Refuses a link whose asker could no longer ask for the same. */
export const askerStopped = (): AppError =>
  invalid(
    'The key that asked for this address has been revoked or frozen, or has a policy now, or the account is frozen or blocked. Remove the address, then set it again with another key.',
  );

const recovered = (): AppError =>
  invalid(
    'The account was recovered after this link was sent, which confirmed the address. The link is no longer valid.',
  );

const settled = (): AppError =>
  invalid(
    'The address is already confirmed, so the link can no longer end anything. Revoke keys with a key (DELETE /auth/keys/{id}), or register the address again to get a recovery link.',
  );

/** @throws AppError key_not_found */
const assertKnown = (
  state: Account,
  ids: string[],
  { by, at, policies = [] }: ConfirmEmail,
): void => {
  const known = new Set([
    ...activeKeys(state, at).map(({ keyId }) => keyId),
    ...[...settingsOf(state), ...policies].map(({ id }) => id),
  ]);
  for (const id of ids) {
    if (known.has(id)) continue;
    throw new AppError(
      'key_not_found',
      by === 'operator'
        ? `${id} is not an active key or setting of the account. The command account lists the ids.`
        : `${id} is not an active key or setting of the account, or it changed in the meantime. Open the link again.`,
    );
  }
};

const confirmed = (
  { accountId }: Account,
  { address, by, email }: ConfirmEmail,
  judged: { keep: string[]; endsIssued?: true; settlesSettings?: true },
): AccountEvent => ({
  type: 'EmailConfirmed',
  data: { accountId, address, by, ...judged },
  personal: { email },
});

/** Whether the owner keeps an earlier key or setting. */
const stays = ({ keep, end }: Pick<ConfirmEmail, 'keep' | 'end'>, id: string): boolean =>
  (keep === 'all' || keep.includes(id)) && !end.includes(id);

/** The settings that end with the proof of the account's own address. */
export const settingsEnded = (
  settings: readonly Setting[],
  command: Pick<ConfirmEmail, 'keep' | 'end' | 'resetSettings'>,
): Setting[] =>
  settings.filter(
    ({ id, unproven }) => unproven && (command.resetSettings === true || !stays(command, id)),
  );

/**
 * The proof of the account's own address. Everything that was set before ends with it, except what the
 * owner keeps. After it the link changes nothing, except where an earlier version left things undecided.
 */
const confirmRegistered = (state: Account, command: ConfirmEmail): AccountEvent[] => {
  const { keep, end, resetSettings = false, policies = [], by, did, at } = command;
  if (state.recoveries > 0 && by === 'link') throw recovered();
  assertKnown(state, [...(keep === 'all' ? [] : keep), ...end], command);
  const isFirst = state.confirmedAt === undefined;
  const keys = [...state.keys.values()].filter(
    (key) => !isOver(key, at) && (isFirst || key.unconfirmed),
  );
  const settings = [...settingsOf(state), ...policies].filter(({ unproven }) => unproven);
  const endable = [...keys.map(({ keyId }) => keyId), ...settings.map(({ id }) => id)];
  const isSettled = !isFirst && keys.length + settings.length === 0;
  if (!end.every((id) => endable.includes(id)) || (isSettled && resetSettings)) throw settled();
  if (isSettled) return [];
  const active = new Set(activeKeys(state, at));
  const kept = keys.filter((key) => active.has(key) && stays(command, key.keyId));
  const ended = keys.filter((key) => !kept.includes(key));
  return [
    confirmed(state, command, {
      keep: kept.map(({ keyId }) => keyId),
      ...(ended.length > 0 ? { endsIssued: true } : {}),
      settlesSettings: true,
    }),
    ...endKeys(state, ended, at),
    ...endSettings(state, settingsEnded(settings, command), { did, at }),
  ];
};

/** @throws AppError confirmation_invalid, key_not_found */
export const confirmEmail = (state: Account, command: ConfirmEmail): AccountEvent[] => {
  if (!isSameEmail(addressOf(state, command.address), command.email)) throw gone();
  if (command.address === 'registered') return confirmRegistered(state, command);
  if (isNotificationEmailConfirmed(state)) return [];
  const { blocked, notificationEmailSetBy: asker } = state;
  if (blocked !== undefined || (asker && wasRevoked(state, asker))) throw askerStopped();
  return [confirmed(state, command, { keep: [] })];
};

type UnsubscribeEmail = { type: 'UnsubscribeEmail'; email: string; at: string };

/** No event where the account does not write to the address. */
export const unsubscribeEmail = (state: Account, command: UnsubscribeEmail): AccountEvent[] => {
  const { accountId, settings } = state;
  const { notificationEmail: email } = settings;
  if (email === undefined || !isSameEmail(email, command.email)) return [];
  const { at } = command;
  const removal = { notificationEmail: null, newSecret: '', previousSecretUntil: at, at };
  return [
    { type: 'EmailUnsubscribed', data: { accountId }, personal: { email } },
    ...changeSettings(state, { type: 'ChangeSettings', ...removal }),
  ];
};

/** The claims of a link about an address. */
export type EmailGrant = {
  /** `stop`: takes a change of the account's address back. */
  purpose: 'confirm' | 'unsubscribe' | 'stop';
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

const letterOf = { confirm: 'c', unsubscribe: 'u', stop: 's' } as const;
const addressLetters = { registered: 'r', notifications: 'n', change: 'x' } as const;
const shape = /^([cus])([rnx])\.(acct_[0-9A-Za-z]{1,40})\.([\w-]{43})\.([0-9a-z]{1,11})$/;

const addressNames = ['registered', 'notifications', 'change'] as const;

/** @param key 32 bytes, for this purpose only */
export const createEmailTokens = (key: RotatingKey): EmailTokens => {
  const mac = (one: KeyObject | Buffer, payload: string): string =>
    createHmac('sha256', one).update(`email\n${payload}`).digest('base64url');

  return {
    issue({ purpose, accountId, address, digest, expiresAtMs }) {
      const kind = `${letterOf[purpose]}${addressLetters[address]}`;
      const payload = `${kind}.${accountId}.${digest}.${expiresAtMs.toString(36)}`;
      return `${payload}.${mac(key()[0], payload)}`;
    },
    read(token, purpose) {
      const end = token.lastIndexOf('.');
      const payload = token.slice(0, Math.max(end, 0));
      const authentic = isMadeWith(key, token.slice(end + 1), (one) => mac(one, payload));
      const [, kind, of, accountId, digest, expiresAt] = shape.exec(payload) ?? [];
      if (!authentic || kind !== letterOf[purpose] || !accountId || !digest || !expiresAt) {
        throw new AppError(
          'confirmation_invalid',
          'token is not the token of a confirmation link. Copy the whole link from the e-mail.',
        );
      }
      const address = addressNames.find((name) => addressLetters[name] === of) ?? 'notifications';
      return { purpose, accountId, address, digest, expiresAtMs: Number.parseInt(expiresAt, 36) };
    },
  };
};
