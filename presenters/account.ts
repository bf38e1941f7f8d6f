/** Keys, wallet, settings and notifications as callers see them. */
import type { Static } from 'typebox';
import { type Scope, scopes } from '../contract/scopes.ts';
import { Type } from '../ground/type.ts';
import { decimalOf } from '../money/amounts.ts';
import { type Language, languages } from '../postal/stationery.ts';
import type { KeyRow } from '../projections/accounts/query.ts';
import type { StatementEntry } from '../projections/ledger/query.ts';
import type { Made } from '../projections/makers/query.ts';
import type { NotificationRow } from '../projections/notifications/query.ts';
import { heldFor, type Wallet } from '../projections/wallets/query.ts';
import { erasedText, LetterId, Nullable, OneOf, Timestamp, Usd } from './common.ts';
import { reasonOf, transactionOf } from './statement.ts';

export const RegisteredAccount = Type.Named('RegisteredAccount', {
  api_key: Type.String({ description: 'Shown once. Keep it safe.' }),
  key_id: Type.String(),
  prefix: Type.String(),
  scope: OneOf(scopes),
  account_id: Type.String(),
  mode: OneOf(['live', 'test']),
  message: Type.String(),
  test: Type.Boolean(),
});

/** A key at its creation: the only time that its secret is shown. */
type IssuedKey = {
  keyId: string;
  secret: string;
  prefix: string;
  label: string;
  scope: Scope;
  createdAt: string;
  expiresAt: string | undefined;
  accountId: string;
  test: boolean;
};

const advice = ({ test }: IssuedKey): string =>
  test
    ? 'Keep api_key safe; it is not shown again. The wallet has $100.00 of test money, and nothing will be printed.'
    : 'Keep api_key safe; it is not shown again. Top up the wallet, then send a letter.';

export const presentRegistered = (
  key: IssuedKey,
  message = advice(key),
): Static<typeof RegisteredAccount> => ({
  api_key: key.secret,
  key_id: key.keyId,
  prefix: key.prefix,
  scope: key.scope,
  account_id: key.accountId,
  mode: key.test ? 'test' : 'live',
  message,
  test: key.test,
});

export const RecoveredAccount = Type.Named('RecoveredAccount', {
  ...RegisteredAccount.properties,
  ended_keys: Type.Array(Type.String(), {
    description: 'Keys that ended with the recovery, together with their UCANs.',
  }),
  left: Type.Object(
    {
      keys: Type.Array(Type.String(), { description: 'Other keys that still work.' }),
      webhook_url: Nullable(Type.String()),
      notification_email: Nullable(Type.String()),
      audit_webhooks: Type.Array(Type.Object({ id: Type.String(), url: Type.String() })),
      did: Nullable(
        Type.String({ description: 'The DID that acts for the account, if it has one.' }),
      ),
      policies: Type.Array(Type.String(), {
        description:
          'The policy of the account (`account`), and those of keys and UCANs that name approvers. The approvers are in parentheses.',
      }),
    },
    { description: 'Settings from before that still apply. Remove what is not yours.' },
  ),
});

/** Settings and credentials that somebody else may have left in the account. */
export type LeftBehind = {
  endedKeys: string[];
  keys: string[];
  settings: { webhookUrl?: string | undefined; notificationEmail?: string | undefined };
  subscriptions: { subscriptionId: string; url: string }[];
  did: string | undefined;
  policies: string[];
};

const recovered =
  'Keep api_key safe; it is not shown again. The keys in ended_keys no longer work. Check the keys and settings that remain.';

export const presentRecovered = (
  key: IssuedKey,
  { endedKeys, keys, settings, subscriptions, did, policies }: LeftBehind,
): Static<typeof RecoveredAccount> => ({
  ...presentRegistered(key, recovered),
  ended_keys: endedKeys,
  left: {
    keys,
    webhook_url: settings.webhookUrl ?? null,
    notification_email: settings.notificationEmail ?? null,
    audit_webhooks: subscriptions.map(({ subscriptionId: id, url }) => ({ id, url })),
    did: did ?? null,
    policies,
  },
});

export const NewKey = Type.Named('NewKey', {
  id: Type.String(),
  api_key: Type.String({ description: 'Shown once. Keep it safe.' }),
  prefix: Type.String(),
  label: Type.String(),
  scope: OneOf(scopes),
  created_at: Timestamp,
  expires_at: Nullable(Timestamp),
  test: Type.Boolean(),
});

export const presentNewKey = (key: IssuedKey): Static<typeof NewKey> => ({
  id: key.keyId,
  api_key: key.secret,
  prefix: key.prefix,
  label: key.label,
  scope: key.scope,
  created_at: key.createdAt,
  expires_at: key.expiresAt ?? null,
  test: key.test,
});

export const RotatedKey = Type.Named('RotatedKey', {
  ...NewKey.properties,
  repeatable_until: Nullable({
    ...Timestamp,
    description:
      'Until then the old key can repeat this request under the same Idempotency-Key, in case the answer was lost. It works for nothing else. Null: it cannot repeat it.',
  }),
});

export const presentRotatedKey = (
  key: IssuedKey & { repeatableUntil: string | undefined },
): Static<typeof RotatedKey> => ({
  ...presentNewKey(key),
  repeatable_until: key.repeatableUntil ?? null,
});

export const RevokedKey = Type.Named('RevokedKey', {
  id: Type.String(),
  revoked_at: Timestamp,
  also_revoked: Type.Optional(
    Type.Array(Type.String(), {
      description: 'With revoke_issued: the keys that ended with it.',
    }),
  ),
});

export const presentRevokedKey = (
  id: string,
  revokedAt: string,
  alsoRevoked: string[] | undefined,
): Static<typeof RevokedKey> => ({
  id,
  revoked_at: revokedAt,
  ...(alsoRevoked === undefined ? {} : { also_revoked: alsoRevoked }),
});

const Count = Type.Integer({ minimum: 0 });

/** Everything that a key or a UCAN made. */
export const MadeThings = Type.Object(
  {
    letters: Type.Integer({
      minimum: 0,
      description: 'Letters that it sent without a draft. GET /api/letters?made_by= lists them.',
    }),
    drafts: Type.Integer({ minimum: 0, description: 'Drafts, also those that were sent later.' }),
    keys: Type.Integer({ minimum: 0, description: 'Keys, without those that replaced another.' }),
    ucans: Count,
    contracts: Type.Integer({ minimum: 0, description: 'Volume contracts.' }),
  },
  {
    title: 'MadeThings',
    description: 'How much it made so far, with things that were deleted or have ended.',
  },
);

export const keyFields = {
  id: Type.String(),
  prefix: Type.String(),
  label: Type.String(),
  scope: OneOf(scopes),
  created_at: Timestamp,
  last_used_at: Nullable(Timestamp),
};

export const Key = Type.Named('Key', {
  ...keyFields,
  expires_at: Nullable(Timestamp),
  policy: Type.String({
    description:
      'Under this id GET /api/budgets lists the limits of the key: its own id, or that of the first key in a chain of rotations.',
  }),
  made: MadeThings,
});

export const Keys = Type.Named('Keys', { data: Type.Array(Key) });

export const Scopes = Type.Named('Scopes', {
  scopes: Type.Array(Type.Object({ scope: OneOf(scopes), description: Type.String() })),
});

export const presentScopes = (): Static<typeof Scopes> => ({
  scopes: [
    { scope: 'full', description: 'Everything: keys, settings, and all that send allows.' },
    {
      scope: 'send',
      description: 'Send, change, cancel and delete letters, top up; and all that read allows.',
    },
    {
      scope: 'read',
      description: 'Quote, list, read, track; balance, settings, notifications.',
    },
  ],
});

type KnownKey = {
  row: KeyRow;
  label: string | undefined;
  lastUsedAt: Date | undefined;
  policy: string;
  made: Made;
};

const presentKey = ({ row, label, lastUsedAt, policy, made }: KnownKey): Static<typeof Key> => ({
  id: row.key_id,
  prefix: row.prefix,
  label: label ?? erasedText,
  scope: row.scope,
  created_at: row.created_at.toISOString(),
  last_used_at: lastUsedAt?.toISOString() ?? null,
  expires_at: row.expires_at?.toISOString() ?? null,
  policy,
  made,
});

export const presentKeys = (keys: KnownKey[]): Static<typeof Keys> => ({
  data: keys.map(presentKey),
});

const Transaction = Type.Named('Transaction', {
  id: Type.String(),
  type: OneOf(['credit', 'charge_back', 'hold', 'release', 'refund']),
  amount: Type.Number({ description: 'Change of the available balance, USD.' }),
  balance_after: Type.Number({ description: 'Available balance after it, USD.' }),
  letter_id: Nullable(LetterId),
  reference: Nullable(
    Type.String({
      description:
        'Your reference, or the reason of a change without a letter: `shortfall <contract>-<period>`, or `order <order_id>`.',
    }),
  ),
  created_at: Timestamp,
});

export const Balance = Type.Named('Balance', {
  account_id: Type.String({
    description: 'Id of your account. UCANs name it as `letters://<account_id>/`.',
  }),
  balance: Type.Number({ description: 'available + held, USD.' }),
  available: Usd,
  held: Type.Number({ description: 'Reserved for letters that are not in production yet, USD.' }),
  held_for: Type.Array(
    Type.Object({
      what: OneOf(
        heldFor,
        'letters: before production; approvals: letters that wait for approval; offers: letters before production at the price of an accepted offer; orders: paid, and their letters are not sent yet; contracts: charges of volume contracts.',
      ),
      count: Type.Integer({ minimum: 1 }),
      amount: Type.Number({ description: 'USD.' }),
    }),
    { description: 'The parts of `held`. Their amounts add up to it.' },
  ),
  currency: Type.Literal('USD'),
  funding: Type.Object({
    crypto: Type.Number({ description: 'Part of the balance paid in crypto: 2.5 % commission.' }),
    fiat: Type.Number({ description: 'Part of the balance paid in fiat: 5 % commission.' }),
  }),
  transactions: Type.Array(Transaction, { description: 'The last 10, newest first.' }),
  storage: Type.Named('StorageUse', {
    used_bytes: Type.Integer({ description: 'Stored documents and logos, in bytes.' }),
    quota_bytes: Type.Integer({ description: 'Their limit, in bytes.' }),
  }),
  test: Type.Boolean(),
  payer: Type.Optional(
    Type.String({
      description: 'For the account of a payer (x402): the wallet it belongs to.',
    }),
  ),
});

const presentTransaction = (
  entry: StatementEntry,
  reference: string | undefined,
): Static<typeof Transaction> => {
  const { id, type, letter_id } = transactionOf(entry);
  return {
    id,
    type,
    amount: decimalOf(entry.amountMicro),
    balance_after: decimalOf(entry.balanceMicro),
    letter_id,
    reference: reasonOf({ entry, reference }) ?? null,
    created_at: entry.createdAt,
  };
};

export const presentBalance = (
  wallet: Wallet | undefined,
  transactions: { entry: StatementEntry; reference: string | undefined }[],
  {
    accountId,
    test,
    payer,
    storage,
  }: {
    accountId: string;
    test: boolean;
    payer: string | undefined;
    storage: { bytes: number; quota: number };
  },
): Static<typeof Balance> => {
  const crypto = wallet ? wallet.crypto_micro + wallet.held_crypto_micro : 0n;
  const fiat = wallet ? wallet.fiat_micro + wallet.held_fiat_micro : 0n;
  const held = wallet ? wallet.held_crypto_micro + wallet.held_fiat_micro : 0n;
  return {
    account_id: accountId,
    balance: decimalOf(crypto + fiat),
    available: decimalOf(crypto + fiat - held),
    held: decimalOf(held),
    held_for: (wallet?.held ?? []).map(({ what, count, micro }) => ({
      what,
      count,
      amount: decimalOf(micro),
    })),
    currency: 'USD',
    funding: { crypto: decimalOf(crypto), fiat: decimalOf(fiat) },
    transactions: transactions.map(({ entry, reference }) => presentTransaction(entry, reference)),
    storage: { used_bytes: storage.bytes, quota_bytes: storage.quota },
    test,
    ...(payer === undefined ? {} : { payer }),
  };
};

export const Settings = Type.Named('Settings', {
  webhook_url: Nullable(Type.String()),
  notification_email: Nullable(Type.String()),
  notification_email_confirmed: Type.Optional(
    Type.Boolean({
      description:
        'Whether the address gets mail. Absent without an address, or if the service cannot send mail.',
    }),
  ),
  language: Type.Optional(
    OneOf(
      languages,
      'Language of the mails about the account. Absent: none was chosen, and mails are in English. Letters have their own language.',
    ),
  ),
  webhook_disabled: Type.Optional(
    OneOf(
      ['gone', 'failing'],
      'Why the webhook is disabled: it answered 410, or every attempt in five days failed. Absent while it is active. Set webhook_url again to resume.',
    ),
  ),
  webhook_secret: Type.Optional(
    Type.String({
      description:
        'The secret that signs webhooks (Standard Webhooks). Shown once, when it is new.',
    }),
  ),
});

export type StoredSettings = { webhookUrl?: string; notificationEmail?: string };

/** `newSecret`: the only time that it is shown. */
export const presentSettings = (
  settings: StoredSettings,
  {
    disabled,
    newSecret,
    emailConfirmed,
    language,
  }: {
    disabled?: 'gone' | 'failing' | null;
    newSecret?: string;
    emailConfirmed?: boolean;
    language?: Language | undefined;
  },
): Static<typeof Settings> => ({
  webhook_url: settings.webhookUrl ?? null,
  notification_email: settings.notificationEmail ?? null,
  notification_email_confirmed:
    settings.notificationEmail === undefined ? undefined : emailConfirmed,
  language,
  webhook_disabled: disabled ?? undefined,
  webhook_secret: newSecret,
});

const Attempt = Type.Named('DeliveryAttempt', {
  at: Timestamp,
  status: Nullable(Type.Integer({ description: 'HTTP status of the answer.' })),
  error: Nullable(Type.String({ description: 'The error, if there was no answer.' })),
  duration_ms: Nullable(Type.Integer()),
});

const Channel = Type.Named('DeliveryChannel', {
  channel: OneOf(['webhook', 'email']),
  mail: Type.Optional(
    Type.String({ description: 'The kind of e-mail; absent before the first attempt.' }),
  ),
  state: OneOf(
    ['pending', 'delivered', 'failed', 'cancelled'],
    'delivered: for an e-mail, the mail server accepted it; failed: the last attempt failed; cancelled: the channel was removed or disabled before.',
  ),
  next_attempt_at: Nullable(Timestamp),
  attempts: Type.Array(Attempt, { description: 'Oldest first. Of many, the latest 50.' }),
});

/** The deliveries of a notification. */
export type NotificationChannel = Static<typeof Channel>;

export const Notification = Type.Named('Notification', {
  id: Type.String(),
  type: Type.String({
    description:
      'letter.<status or change>, wallet.<change>, webhook.disabled, webhook.test and others.',
  }),
  letter_id: Nullable(LetterId),
  status: Nullable(Type.String()),
  created_at: Timestamp,
  channels: Type.Array(Channel, {
    description: 'Empty if no channel was set when it happened.',
  }),
});

export const WebhookMessage = Type.Named('WebhookMessage', {
  id: Type.String(),
  type: Type.String(),
  headers: Type.Object({ 'content-type': Type.String(), 'webhook-id': Type.String() }),
  body: Type.String({ description: 'JSON, as the signature covers it.' }),
});

export const ReplayedNotification = Type.Named('ReplayedNotification', {
  id: Type.String(),
  message: Type.String(),
});

export const presentReplayed = (id: string): Static<typeof ReplayedNotification> => ({
  id,
  message: 'The delivery is scheduled. GET /api/notifications/{id} shows its attempts.',
});

const notificationPrefix = 'ntf_';

export const notificationIdOf = (eventId: string): string =>
  `${notificationPrefix}${eventId.replaceAll('-', '')}`;

export const presentNotification = (
  row: NotificationRow,
  channels: NotificationChannel[],
): Static<typeof Notification> => ({
  id: notificationIdOf(row.event_id),
  type: row.type,
  letter_id: row.letter_id,
  status: row.status,
  created_at: row.created_at.toISOString(),
  channels,
});

export const presentWebhookMessage = (
  { event_id: eventId, type }: NotificationRow,
  body: string,
): Static<typeof WebhookMessage> => {
  const id = notificationIdOf(eventId);
  return { id, type, headers: { 'content-type': 'application/json', 'webhook-id': id }, body };
};

/** The event id of a notification id; `undefined` for other ids. */
export const eventIdOf = (notificationId: string): string | undefined => {
  const hex = notificationId.slice(notificationPrefix.length);
  return notificationId.startsWith(notificationPrefix) && /^[0-9a-f]{32}$/.test(hex)
    ? hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
    : undefined;
};
