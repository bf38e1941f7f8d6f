/** Settings of an account: its status webhook, address of notifications and language. */

import { AppError } from '../../contract/errors.ts';
import { accountNotFound, keyReused } from '../../contract/refusals.ts';
import type { AccountEvent } from '../../events/account.ts';
import { dayMs } from '../../ground/day.ts';
import { limitTable } from '../../limits/table.ts';
import type { Language } from '../../postal/stationery.ts';
import {
  type Account,
  notificationEmailChangesKept,
  type Settings,
  type SettingsRequest,
} from './account.ts';

export const chooseLanguage = (
  state: Account,
  accountId: string,
  language: Language | undefined,
  asked: { requestHash?: string } = {},
): AccountEvent[] =>
  language === undefined || language === state.language
    ? []
    : [{ type: 'LanguageChosen', data: { accountId, language, ...asked } }];

type ChangeSettings = {
  type: 'ChangeSettings';
  /** Absent: as it is. Null: removed. */
  webhookUrl?: string | null;
  notificationEmail?: string | null;
  /** The address of notifications is the account's own, which changed: that counts against no limit. */
  followsAccount?: boolean;
  /** The address that `notificationEmail` sets again is not confirmed, so it gets another mail that asks. */
  asksAgain?: boolean;
  /** The key that asks, or `ucan:<cid>`. Absent: the change follows from another one. */
  madeBy?: string;
  /** The request, where it has an Idempotency-Key. */
  request?: { commandId: string; requestHash: string } | undefined;
  language?: Language | undefined;
  /** A new secret for the webhook as it is. */
  rotateSecret?: boolean;
  /** Signing secret for a webhook that is new, or whose secret is. */
  newSecret: string;
  /** Until when the secret before stays valid. */
  previousSecretUntil: string;
  at: string;
};

const hourMs = 3_600_000;

/** Each new address gets a mail of ours, so that nobody can make us write to strangers. @throws AppError */
const assertFewChanges = (state: Account, at: string): void => {
  const changes = state.notificationEmailChanges;
  const againMs = Date.parse(changes[0] ?? '') + dayMs - Date.parse(at);
  if (changes.length < notificationEmailChangesKept || againMs <= 0) return;
  throw new AppError(
    'quota_exceeded',
    `notification_email can change ${notificationEmailChangesKept} times in 24 hours. Try again later.`,
    { headers: { 'Retry-After': String(Math.ceil(againMs / 1_000)) } },
  );
};

/** A mail that asks is sent so often at most, so setting the address again earlier changes nothing. */
const isToBeAsked = ({ notificationEmailAskedAt: askedAt }: Account, at: string): boolean =>
  Date.parse(at) - Date.parse(askedAt ?? '') >= limitTable.confirmationMailHours.usual * hourMs;

/** A webhook that is set again although it was disabled is as good as a new one. */
const needsSecret = (state: Account, command: ChangeSettings, webhookUrl: string): boolean =>
  webhookUrl !== state.settings.webhookUrl ||
  command.rotateSecret === true ||
  (state.webhookDisabled !== undefined && command.webhookUrl !== undefined);

/** The webhook and its secrets after the change. */
const changedWebhook = (state: Account, command: ChangeSettings): NonNullable<Settings> => {
  const { webhookUrl: urlBefore, webhookSecret: secretBefore } = state.settings;
  const webhookUrl = command.webhookUrl === undefined ? urlBefore : command.webhookUrl;
  if (webhookUrl === undefined || webhookUrl === null) return {};
  const { previousSecret, previousSecretUntil } = state.settings;
  if (!needsSecret(state, command, webhookUrl)) {
    const previous = previousSecret === undefined ? {} : { previousSecret, previousSecretUntil };
    return { webhookUrl, webhookSecret: secretBefore, ...previous };
  }
  const previous =
    secretBefore === undefined
      ? {}
      : { previousSecret: secretBefore, previousSecretUntil: command.previousSecretUntil };
  return { webhookUrl, webhookSecret: command.newSecret, ...previous };
};

/** The earlier change by the same request. @throws AppError idempotency_key_reused */
export const settingsRequest = (
  { settingsRequests }: Account,
  request: ChangeSettings['request'],
): SettingsRequest | undefined => {
  const found = settingsRequests.find(({ commandId }) => commandId === request?.commandId);
  if (found && found.requestHash !== request?.requestHash) throw keyReused();
  return found;
};

/**
 * Returns no event if the same request has changed the settings.
 * @throws AppError account_not_found, quota_exceeded, webhook_not_set (there is no secret to rotate),
 * idempotency_key_reused
 */
export const changeSettings = (state: Account, command: ChangeSettings): AccountEvent[] => {
  if (state.status !== 'open') throw accountNotFound();
  if (settingsRequest(state, command.request)) return [];
  const { requestHash } = command.request ?? {};
  const asked = requestHash === undefined ? {} : { requestHash };
  const before = state.settings;
  const notificationEmail =
    command.notificationEmail === undefined
      ? before.notificationEmail
      : (command.notificationEmail ?? undefined);
  const webhook = changedWebhook(state, command);
  if (command.rotateSecret === true && webhook.webhookUrl === undefined) {
    throw new AppError(
      'webhook_not_set',
      'There is no webhook whose secret can be rotated. Send webhook_url as well.',
    );
  }
  const keepsWebhook =
    webhook.webhookUrl === before.webhookUrl && webhook.webhookSecret === before.webhookSecret;
  const chosen = chooseLanguage(state, state.accountId, command.language, asked);
  const isSameEmail = notificationEmail === before.notificationEmail;
  const asksAgain = command.asksAgain === true && isToBeAsked(state, command.at);
  if (keepsWebhook && isSameEmail && !asksAgain) return chosen;
  const isNewEmail = notificationEmail !== undefined && !isSameEmail;
  if (isNewEmail && !command.followsAccount) {
    assertFewChanges(state, command.at);
  }
  const { accountId } = state;
  const settingsChanged: AccountEvent = {
    type: 'SettingsChanged',
    data: {
      accountId,
      webhook: webhook.webhookUrl !== undefined,
      notificationEmail: notificationEmail !== undefined,
      ...(keepsWebhook ? { keepsWebhook } : {}),
      ...(command.madeBy === undefined ? {} : { madeBy: command.madeBy }),
      ...asked,
    },
    personal: { ...(notificationEmail === undefined ? {} : { notificationEmail }), ...webhook },
  };
  return [...chosen, settingsChanged];
};

type DisableWebhook = {
  type: 'DisableWebhook';
  /** The address that was tried: another one meanwhile is not to blame. */
  url: string;
  reason: 'gone' | 'failing';
};

/** No event where the webhook is another one, or is disabled already. */
export const disableWebhook = (state: Account, command: DisableWebhook): AccountEvent[] =>
  state.settings.webhookUrl !== command.url || state.webhookDisabled !== undefined
    ? []
    : [
        {
          type: 'WebhookDisabled',
          data: { accountId: state.accountId, reason: command.reason },
        },
      ];
