import { AppError } from '../contract/errors.ts';
import { type Scope, scopeCovers } from '../contract/scopes.ts';
import { type AccountEvent, accountStream } from '../events/account.ts';
import type { Aggregate } from './aggregate.ts';

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
  kind: 'email' | 'agent';
  requestHash: string;
  keys: Map<string, ApiKey>;
  settings: NonNullable<Settings>;
  /** Why the status webhook is not called any more. */
  webhookDisabled: 'gone' | 'failing' | undefined;
  did: CallerDid | undefined;
  /** Audit webhooks, by their id. */
  subscriptions: Map<string, AuditSubscription>;
};

/** The DID that acts for an account; `seed` is its private key where the service keeps it. */
export type CallerDid = { did: string; custody: 'service' | 'self'; seed: string | undefined };

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
  requestHash: '',
  keys: new Map(),
  settings: {},
  webhookDisabled: undefined,
  did: undefined,
  subscriptions: new Map(),
});

export const evolve = (state: Account, event: AccountEvent, at: string): Account => {
  switch (event.type) {
    case 'AccountRegistered':
      return { ...state, status: 'open', ...event.data };
    case 'KeyCreated': {
      const { keyId, scope, test, prefix, requestHash, expiresAt, rotatedFrom } = event.data;
      state.keys.set(keyId, {
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
      });
      return state;
    }
    case 'KeyRevoked': {
      const key = state.keys.get(event.data.keyId);
      if (key) {
        key.revoked = event.data.reason;
        key.revokedAt = at;
      }
      return state;
    }
    case 'SettingsChanged':
      return { ...state, settings: event.personal ?? {}, webhookDisabled: undefined };
    case 'WebhookDisabled':
      return { ...state, webhookDisabled: event.data.reason };
    case 'DidCreated':
      return {
        ...state,
        did: { did: event.data.did, custody: event.data.custody, seed: event.personal?.seed },
      };
    case 'AuditSubscribed': {
      const { subscriptionId, events, letterId } = event.data;
      const { url = '', secret = '' } = event.personal ?? {};
      state.subscriptions.set(subscriptionId, {
        subscriptionId,
        events,
        letterId,
        url,
        secret,
        createdAt: at,
      });
      return state;
    }
    case 'AuditUnsubscribed':
      state.subscriptions.delete(event.data.subscriptionId);
      return state;
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

const keyCreated = (
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
  /** Signing secret for a webhook that is new. */
  newSecret: string;
  /** Until when the secret of the webhook before stays valid. */
  previousSecretUntil: string;
};

/** @throws AppError account_not_found */
export const changeSettings = (state: Account, command: ChangeSettings): AccountEvent[] => {
  if (state.status === 'none') throw new AppError('account_not_found', 'There is no such account.');
  const before = state.settings;
  const webhookUrl =
    command.webhookUrl === undefined ? before.webhookUrl : (command.webhookUrl ?? undefined);
  const notificationEmail =
    command.notificationEmail === undefined
      ? before.notificationEmail
      : (command.notificationEmail ?? undefined);
  if (webhookUrl === before.webhookUrl && notificationEmail === before.notificationEmail) return [];
  const personal: NonNullable<Settings> = {};
  if (notificationEmail !== undefined) personal.notificationEmail = notificationEmail;
  if (webhookUrl !== undefined) {
    personal.webhookUrl = webhookUrl;
    const isNew = webhookUrl !== before.webhookUrl;
    personal.webhookSecret = isNew ? command.newSecret : before.webhookSecret;
    if (isNew && before.webhookSecret !== undefined) {
      personal.previousSecret = before.webhookSecret;
      personal.previousSecretUntil = command.previousSecretUntil;
    } else if (before.previousSecret !== undefined) {
      personal.previousSecret = before.previousSecret;
      personal.previousSecretUntil = before.previousSecretUntil;
    }
  }
  return [
    {
      type: 'SettingsChanged',
      data: {
        accountId: state.accountId,
        webhook: webhookUrl !== undefined,
        notificationEmail: notificationEmail !== undefined,
      },
      personal,
    },
  ];
};

export type AccountCommand = RegisterAccount | CreateKey | RevokeKey | RotateKey | ChangeSettings;

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
  cached: false,
};
