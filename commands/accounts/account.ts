import { AppError } from '../../contract/errors.ts';
import { type PersistentMap, persistentMap } from '../../contract/persistent-map.ts';
import { type Scope, scopeCovers } from '../../contract/scopes.ts';
import { type AccountEvent, accountStream } from '../../events/account.ts';
import type { Aggregate } from '../handling/aggregate.ts';

export type ApiKey = {
  keyId: string;
  scope: Scope;
  test: boolean;
  prefix: string;
  label: string;
  requestHash: string;
  createdAt: string;
  expiresAt: string | undefined;
  revokedAt: string | undefined;
  revoked: false | 'revoked' | 'rotated';
  rotatedFrom: string | undefined;
};

export type Settings = Extract<AccountEvent, { type: 'SettingsChanged' }>['personal'];

export type Account = {
  status: 'none' | 'open';
  accountId: string;
  test: boolean;
  kind: 'email' | 'agent' | 'wallet';
  /** The e-mail address, the agent id, or the DID of a wallet. */
  name: string;
  requestHash: string;
  keys: PersistentMap<string, ApiKey>;
  settings: NonNullable<Settings>;
  /** Why the status webhook is not called any more. */
  webhookDisabled: 'gone' | 'failing' | undefined;
  did: CallerDid | undefined;
  /** Audit webhooks, by their id. */
  subscriptions: PersistentMap<string, AuditSubscription>;
};

/** The DID that acts for an account; `seed` is its private key where the service keeps it. */
export type CallerDid = {
  did: string;
  custody: 'service' | 'self';
  seed: string | undefined;
  /** When the account got it. */
  since: string;
};

export type AuditSubscription = {
  subscriptionId: string;
  /** Absent: every event. */
  events: string[] | undefined;
  /** Absent: every letter. */
  letterId: string | undefined;
  url: string;
  secret: string;
  createdAt: string;
};

export const initialState = (): Account => ({
  status: 'none',
  accountId: '',
  test: false,
  kind: 'email',
  name: '',
  requestHash: '',
  keys: persistentMap(),
  settings: {},
  webhookDisabled: undefined,
  did: undefined,
  subscriptions: persistentMap(),
});

export const evolve = (state: Account, event: AccountEvent, at: string): Account => {
  switch (event.type) {
    case 'AccountRegistered':
      return { ...state, status: 'open', name: event.personal?.name ?? '', ...event.data };
    case 'KeyCreated': {
      const { keyId, scope, test, prefix, requestHash, expiresAt, rotatedFrom } = event.data;
      const key: ApiKey = {
        keyId,
        scope,
        test,
        prefix,
        requestHash,
        expiresAt,
        rotatedFrom,
        label: event.personal?.label ?? '',
        createdAt: at,
        revokedAt: undefined,
        revoked: false,
      };
      return { ...state, keys: state.keys.with(keyId, key) };
    }
    case 'KeyRevoked': {
      const { keyId, reason } = event.data;
      const key = state.keys.get(keyId);
      if (!key) return state;
      return {
        ...state,
        keys: state.keys.with(keyId, { ...key, revoked: reason, revokedAt: at }),
      };
    }
    case 'SettingsChanged':
      return { ...state, settings: event.personal ?? {}, webhookDisabled: undefined };
    case 'WebhookDisabled':
      return { ...state, webhookDisabled: event.data.reason };
    case 'DidCreated':
      return {
        ...state,
        did: {
          did: event.data.did,
          custody: event.data.custody,
          seed: event.personal?.seed,
          since: at,
        },
      };
    case 'AuditSubscribed': {
      const { subscriptionId, events, letterId } = event.data;
      const { url = '', secret = '' } = event.personal ?? {};
      const subscription = { subscriptionId, events, letterId, url, secret, createdAt: at };
      return {
        ...state,
        subscriptions: state.subscriptions.with(subscriptionId, subscription),
      };
    }
    case 'AuditUnsubscribed':
      return {
        ...state,
        subscriptions: state.subscriptions.without(event.data.subscriptionId),
      };
    default: {
      const unknown: never = event;
      return unknown;
    }
  }
};

/** A key to be made; its secret is known to the caller of the command alone. */
export type NewKey = {
  keyId: string;
  secretHash: string;
  prefix: string;
  label: string;
  scope: Scope;
  expiresAt?: string;
};

export type RegisterAccount = {
  type: 'RegisterAccount';
  accountId: string;
  kind: 'email' | 'agent';
  test: boolean;
  name: string;
  displayName?: string;
  requestHash: string;
  key: NewKey;
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
  },
  personal: { label: key.label },
});

/** @throws AppError email_registered, agent_registered */
export const registerAccount = (state: Account, command: RegisterAccount): AccountEvent[] => {
  const { accountId, kind, test, name, displayName, requestHash, key } = command;
  if (state.status === 'open') {
    if (state.keys.has(key.keyId)) return [];
    throw kind === 'email'
      ? new AppError(
          'email_registered',
          'This e-mail address has an account already; use its key, or ask the operator to replace it.',
        )
      : new AppError(
          'agent_registered',
          'This agent_id has an account already; choose another one or use its key.',
        );
  }
  return [
    {
      type: 'AccountRegistered',
      data: { accountId, kind, test, requestHash },
      personal: { name, ...(displayName === undefined ? {} : { displayName }) },
    },
    keyCreated(command, key, requestHash),
  ];
};

const activeKeys = (state: Account, at: string): ApiKey[] =>
  [...state.keys.values()].filter(
    (key) => !key.revoked && (key.expiresAt === undefined || key.expiresAt > at),
  );

export type CreateKey = {
  type: 'CreateKey';
  key: NewKey;
  /** Scope of the key that asks; the new one is never wider. */
  makerScope: Scope;
  requestHash: string;
  maxKeys: number;
  at: string;
};

/** @throws AppError account_not_found, scope_insufficient, key_limit_reached */
export const createKey = (state: Account, command: CreateKey): AccountEvent[] => {
  const { key, makerScope, requestHash, maxKeys, at } = command;
  if (state.keys.has(key.keyId)) return [];
  if (state.status === 'none') throw new AppError('account_not_found', 'There is no such account.');
  if (!scopeCovers(makerScope, key.scope)) {
    throw new AppError(
      'scope_insufficient',
      `A ${makerScope} key cannot make a ${key.scope} key; ask for ${makerScope} or less.`,
    );
  }
  if (activeKeys(state, at).length >= maxKeys) {
    throw new AppError(
      'key_limit_reached',
      `The account has ${maxKeys} active keys already; revoke one first.`,
    );
  }
  return [keyCreated(state, key, requestHash)];
};

const keyOf = (state: Account, keyId: string): ApiKey => {
  const key = state.keys.get(keyId);
  if (!key) throw new AppError('key_not_found', 'There is no key with this id in your account.');
  return key;
};

export type RevokeKey = { type: 'RevokeKey'; keyId: string; at: string };

/**
 * An account that has a full key keeps one that never expires.
 * @throws AppError key_not_found, last_full_key
 */
export const revokeKey = (state: Account, command: RevokeKey): AccountEvent[] => {
  const key = keyOf(state, command.keyId);
  if (key.revoked) return [];
  const otherFull = activeKeys(state, command.at).some(
    (other) => other.scope === 'full' && other.expiresAt === undefined && other.keyId !== key.keyId,
  );
  if (key.scope === 'full' && !otherFull) {
    throw new AppError(
      'last_full_key',
      'This is the last full key of the account that does not expire; create another one first, or rotate this one.',
    );
  }
  return [
    {
      type: 'KeyRevoked',
      data: { accountId: state.accountId, keyId: key.keyId, reason: 'revoked' },
    },
  ];
};

export type RotateKey = { type: 'RotateKey'; keyId: string; key: NewKey; requestHash: string };

/** The new key has the label, scope and expiry of the old one. @throws AppError key_not_found, key_revoked */
export const rotateKey = (state: Account, command: RotateKey): AccountEvent[] => {
  const old = keyOf(state, command.keyId);
  if (state.keys.has(command.key.keyId)) return [];
  if (old.revoked)
    throw new AppError('key_revoked', 'This key is revoked already; create a new key.');
  const key = { ...command.key, label: old.label, scope: old.scope, expiresAt: old.expiresAt };
  return [
    keyCreated(state, key, command.requestHash, old.keyId),
    {
      type: 'KeyRevoked',
      data: { accountId: state.accountId, keyId: old.keyId, reason: 'rotated' },
    },
  ];
};

export type ChangeSettings = {
  type: 'ChangeSettings';
  /** Absent: as it is. Null: removed. */
  webhookUrl?: string | null;
  notificationEmail?: string | null;
  /** A new secret for the webhook as it is. */
  rotateSecret?: boolean;
  /** Signing secret for a webhook that is new, or whose secret is. */
  newSecret: string;
  /** Until when the secret before stays valid. */
  previousSecretUntil: string;
};

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

/** @throws AppError account_not_found, webhook_not_set (there is no secret to rotate) */
export const changeSettings = (state: Account, command: ChangeSettings): AccountEvent[] => {
  if (state.status === 'none') throw new AppError('account_not_found', 'There is no such account.');
  const before = state.settings;
  const notificationEmail =
    command.notificationEmail === undefined
      ? before.notificationEmail
      : (command.notificationEmail ?? undefined);
  const webhook = changedWebhook(state, command);
  if (command.rotateSecret === true && webhook.webhookUrl === undefined) {
    throw new AppError(
      'webhook_not_set',
      'There is no webhook whose secret could be rotated; send webhook_url as well.',
    );
  }
  const changed =
    webhook.webhookUrl !== before.webhookUrl ||
    webhook.webhookSecret !== before.webhookSecret ||
    notificationEmail !== before.notificationEmail;
  if (!changed) return [];
  const { accountId, webhookDisabled } = state;
  const settingsChanged: AccountEvent = {
    type: 'SettingsChanged',
    data: {
      accountId,
      webhook: webhook.webhookUrl !== undefined,
      notificationEmail: notificationEmail !== undefined,
    },
    personal: { ...(notificationEmail === undefined ? {} : { notificationEmail }), ...webhook },
  };
  // Only who sets the webhook again, or its secret, means that it shall be called again.
  const stillDisabled =
    webhookDisabled !== undefined && webhook.webhookSecret === before.webhookSecret;
  return stillDisabled
    ? [settingsChanged, { type: 'WebhookDisabled', data: { accountId, reason: webhookDisabled } }]
    : [settingsChanged];
};

export type DisableWebhook = {
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

export type SubscribeAudit = {
  type: 'SubscribeAudit';
  subscriptionId: string;
  url: string;
  secret: string;
  /** Absent: every event. */
  events?: string[];
  /** Absent: every letter. */
  letterId?: string;
  maxSubscriptions: number;
};

/** @throws AppError account_not_found, subscription_limit_reached */
export const subscribeAudit = (state: Account, command: SubscribeAudit): AccountEvent[] => {
  const { subscriptionId, url, secret, events, letterId, maxSubscriptions } = command;
  if (state.status === 'none') throw new AppError('account_not_found', 'There is no such account.');
  if (state.subscriptions.has(subscriptionId)) return [];
  if (state.subscriptions.size >= maxSubscriptions) {
    throw new AppError(
      'subscription_limit_reached',
      `The account has ${maxSubscriptions} audit webhooks already; remove one first.`,
    );
  }
  return [
    {
      type: 'AuditSubscribed',
      data: {
        accountId: state.accountId,
        subscriptionId,
        ...(events === undefined ? {} : { events }),
        ...(letterId === undefined ? {} : { letterId }),
      },
      personal: { url, secret },
    },
  ];
};

export type UnsubscribeAudit = {
  type: 'UnsubscribeAudit';
  /** By one of the two. */
  subscriptionId?: string;
  url?: string;
  reason: 'removed' | 'gone' | 'failing';
};

/** No event where there is no such subscription (any more). */
export const unsubscribeAudit = (state: Account, command: UnsubscribeAudit): AccountEvent[] =>
  [...state.subscriptions.values()]
    .filter(({ subscriptionId, url }) =>
      command.subscriptionId === undefined
        ? url === command.url
        : subscriptionId === command.subscriptionId,
    )
    .map(({ subscriptionId }) => ({
      type: 'AuditUnsubscribed',
      data: { accountId: state.accountId, subscriptionId, reason: command.reason },
    }));

export type AccountCommand =
  | RegisterAccount
  | CreateKey
  | RevokeKey
  | RotateKey
  | ChangeSettings
  | DisableWebhook
  | SubscribeAudit
  | UnsubscribeAudit;

export const decide = (state: Account, command: AccountCommand): AccountEvent[] => {
  switch (command.type) {
    case 'RegisterAccount':
      return registerAccount(state, command);
    case 'CreateKey':
      return createKey(state, command);
    case 'RevokeKey':
      return revokeKey(state, command);
    case 'RotateKey':
      return rotateKey(state, command);
    case 'ChangeSettings':
      return changeSettings(state, command);
    case 'DisableWebhook':
      return disableWebhook(state, command);
    case 'SubscribeAudit':
      return subscribeAudit(state, command);
    case 'UnsubscribeAudit':
      return unsubscribeAudit(state, command);
    default: {
      const unknown: never = command;
      return unknown;
    }
  }
};

export const accountAggregate: Aggregate<Account, AccountEvent> = {
  stream: accountStream,
  initialState,
  evolve,
};
