/**
 * Another address for an account: asked for by its owner and confirmed by a reader of the new address, or
 * set by the operator. A reader of the address before can take the change back for a while.
 */

import { AppError } from '../../contract/errors.ts';
import { accountNotFound, keyReused } from '../../contract/refusals.ts';
import type { AccountEvent } from '../../events/account.ts';
import { dayMs } from '../../ground/day.ts';
import { type Account, emailChangeRequestsKept, isOver } from './account.ts';
import { isSameEmail, registeredEmail } from './confirmation.ts';
import { endKeys } from './keys.ts';
import { changeSettings } from './settings.ts';
import { signInKeysOf } from './sign-in-keys.ts';

const hourMs = 3_600_000;
/** How long the link to the new address counts. */
const changeForMs = dayMs;
/** How long the address before can take the change back. Registering it is refused until then. */
export const stoppableForMs = 7 * dayMs;
/** An address stays reserved for this long afterwards. The clocks of two processes differ by less. */
const clockMarginMs = hourMs;

const isAhead = (instant: string, nowMs: number): boolean =>
  Date.parse(instant) + clockMarginMs > nowMs;

/**
 * Whether only the account may have an address that is not its own: until the change away from it can no
 * longer be stopped, or while the change `claimed` can still be confirmed.
 */
export const reserves = (
  { formerEmails, emailChange }: Account,
  email: string,
  nowMs: number,
  claimed?: string,
): boolean =>
  formerEmails.some(
    (former) => isSameEmail(former.email, email) && isAhead(former.stoppableUntil, nowMs),
  ) ||
  (emailChange !== undefined &&
    emailChange.changeId === claimed &&
    isSameEmail(emailChange.email, email) &&
    isAhead(emailChange.expiresAt, nowMs));

/** The account's address. @throws AppError account_not_found, email_not_set */
const ownEmail = (state: Account): string => {
  if (state.status !== 'open') throw accountNotFound();
  const email = registeredEmail(state);
  if (email !== undefined) return email;
  throw new AppError(
    'email_not_set',
    'This account was not registered with an e-mail address, so it has no address to change.',
  );
};

/** Each request is a mail of ours to somebody. @throws AppError quota_exceeded */
const assertFewRequests = ({ emailChangeRequests: requests }: Account, at: string): void => {
  const againMs = Date.parse(requests[0]?.at ?? '') + dayMs - Date.parse(at);
  if (requests.length < emailChangeRequestsKept || !(againMs > 0)) return;
  throw new AppError(
    'quota_exceeded',
    `The address can be changed ${emailChangeRequestsKept} times in 24 hours; try again later.`,
    { headers: { 'Retry-After': String(Math.ceil(againMs / 1_000)) } },
  );
};

/** The address that a request asked for, also where a later request replaced it. */
export const emailChangeAsked = ({ emailChangeRequests }: Account, changeId: string) =>
  emailChangeRequests.find((asked) => asked.changeId === changeId);

type RequestEmailChange = {
  type: 'RequestEmailChange';
  changeId: string;
  email: string;
  /** The key that asks, or `operator`. */
  madeBy: string;
  /** RFC 3339. */
  at: string;
};

/**
 * No event where the account has the address already, or where this was asked before. A later request
 * replaces an earlier one.
 * @throws AppError account_not_found, email_not_set, quota_exceeded,
 * idempotency_key_reused
 */
export const requestEmailChange = (
  state: Account,
  { changeId, email, madeBy, at }: RequestEmailChange,
): AccountEvent[] => {
  const own = ownEmail(state);
  const before = emailChangeAsked(state, changeId);
  if (before && !isSameEmail(before.email, email)) throw keyReused();
  if (before || isSameEmail(own, email)) return [];
  if (madeBy !== 'operator') assertFewRequests(state, at);
  const { accountId } = state;
  const expiresAt = new Date(Date.parse(at) + changeForMs).toISOString();
  return [
    {
      type: 'EmailChangeRequested',
      data: { accountId, changeId, madeBy, expiresAt },
      personal: { email },
    },
  ];
};

/** Notifications that go to the account's own address follow it. */
const followingSettings = (
  state: Account,
  { from, to, at }: { from: string; to: string; at: string },
): AccountEvent[] =>
  isSameEmail(state.settings.notificationEmail, from)
    ? changeSettings(state, {
        type: 'ChangeSettings',
        notificationEmail: to,
        followsAccount: true,
        newSecret: '',
        previousSecretUntil: at,
        at,
      })
    : [];

type ChangeEmail = {
  type: 'ChangeEmail';
  changeId: string;
  email: string;
  by: 'link' | 'operator';
  /** The address before cannot take it back. */
  final?: boolean;
  at: string;
};

const gone = (): AppError =>
  new AppError(
    'confirmation_invalid',
    'The account no longer asks for this address: another change, a recovery or the end of the key that asked replaced the request. Ask for the change again.',
  );

/** @throws AppError confirmation_invalid, confirmation_expired */
const assertRequested = (state: Account, command: ChangeEmail): void => {
  const { changeId, email, by, at } = command;
  const { emailChange: asked } = state;
  if (asked?.changeId !== changeId || !isSameEmail(asked.email, email)) throw gone();
  if (asked.expiresAt <= at) {
    throw new AppError(
      'confirmation_expired',
      'The link is older than 24 hours; ask for the change again.',
    );
  }
  if (by === 'operator') return;
  const key = state.keys.get(asked.madeBy);
  if (!key || isOver(key, at) || key.unconfirmed || state.blocked !== undefined) throw gone();
};

/**
 * The account has the address from now on. An earlier, unconfirmed address cannot take it back: it may be a
 * stranger's. Sessions of readers of the earlier address end.
 * @throws AppError account_not_found, email_not_set, confirmation_invalid, confirmation_expired
 */
export const changeEmail = (state: Account, command: ChangeEmail): AccountEvent[] => {
  const { changeId, email, by, final = false, at } = command;
  const previous = ownEmail(state);
  if (isSameEmail(previous, email)) return [];
  assertRequested(state, command);
  const { accountId, confirmedAt } = state;
  const stoppable = !final && confirmedAt !== undefined;
  const until = new Date(Date.parse(at) + stoppableForMs).toISOString();
  return [
    {
      type: 'EmailChanged',
      data: { accountId, changeId, by, ...(stoppable ? { stoppableUntil: until } : {}) },
      personal: { email, previous },
    },
    ...followingSettings(state, { from: previous, to: email, at }),
    ...endKeys(state, signInKeysOf(state), at),
  ];
};

type StopEmailChange = { type: 'StopEmailChange'; email: string; at: string };

/** The oldest change away from an address that can be taken back. */
const stoppableChange = ({ formerEmails }: Account, email: string, at: string) =>
  formerEmails.find((former) => isSameEmail(former.email, email) && former.stoppableUntil > at);

/**
 * Gives the account the address back that it had before a change, and ends every change after it.
 * @throws AppError confirmation_expired
 */
export const stopEmailChange = (state: Account, { email, at }: StopEmailChange): AccountEvent[] => {
  const change = stoppableChange(state, email, at);
  if (!change) {
    if (isSameEmail(registeredEmail(state), email)) return [];
    throw new AppError(
      'confirmation_expired',
      'The change can no longer be stopped: the link counts for seven days. Ask the operator of the service.',
    );
  }
  const { accountId, name } = state;
  const { changeId } = change;
  return [
    {
      type: 'EmailChangeStopped',
      data: { accountId, changeId },
      personal: { email: change.email },
    },
    ...followingSettings(state, { from: name, to: change.email, at }),
    ...endKeys(state, signInKeysOf(state), at),
  ];
};

/** Another account, or another change of it, has the address meanwhile. */
export class AddressTaken extends Error {
  override readonly name = 'AddressTaken';
}

type ClaimAddress = {
  type: 'ClaimAddress';
  addressId: string;
  holderId: string;
  changeId: string;
  /** The claim that was found to count no longer. */
  replaces: string | undefined;
};

/** In the stream of an address. @throws AddressTaken */
export const claimAddress = (state: Account, command: ClaimAddress): AccountEvent[] => {
  const { addressId, holderId, changeId, replaces } = command;
  const { claim } = state;
  if (claim?.holderId === holderId && claim.changeId === changeId) return [];
  if (state.status !== 'none' || claim?.changeId !== replaces) throw new AddressTaken();
  return [{ type: 'EmailAddressClaimed', data: { addressId, holderId, changeId } }];
};
