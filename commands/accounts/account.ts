import type { BoundTo, Maker } from '../../contract/bounds.ts';
import { AppError } from '../../contract/errors.ts';
import { type PersistentMap, persistentMap } from '../../contract/persistent-map.ts';
import { type Scope, scopeCovers } from '../../contract/scopes.ts';
import { type AccountEvent, accountStream } from '../../events/account.ts';
import type { Language } from '../../postal/stationery.ts';
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
  /** Of a rotated key: it is refused from then on only. */
  worksUntil: string | undefined;
  rotatedFrom: string | undefined;
  /** Who asked for it: a key, or `ucan:<cid>`. */
  madeBy: string | undefined;
  boundTo: BoundTo | undefined;
  /** Older than the confirmation of the account's address and not kept: it may read, and nothing else. */
  unconfirmed: boolean;
};

/** Each absent where the service's own limit holds. */
export type Quotas = Omit<Extract<AccountEvent, { type: 'QuotasSet' }>['data'], 'accountId'>;

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
  /** When its own address was confirmed first. */
  confirmedAt: string | undefined;
  /** How often it was recovered by a link. */
  recoveries: number;
  /** UCANs that were issued before, by a key that is not known, are void. */
  issuedEndedAt: string | undefined;
  /** The last address, other than its own, that was confirmed for notifications. */
  confirmedNotificationEmail: string | undefined;
  /** When the address of notifications was changed, the last times. */
  notificationEmailChanges: readonly string[];
  /** Why the operator blocked it. */
  blocked: string | undefined;
  /** What the operator allows it in place of the service's own limits. */
  quotas: Quotas;
  settings: NonNullable<Settings>;
  /** Of its mails; English where nobody chose one. */
  language: Language | undefined;
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
  expiresAt: string | undefined;
  boundTo: BoundTo | undefined;
  /** Why and since when it is not called any more. */
  disabled: { reason: 'gone' | 'failing'; at: string } | undefined;
};

export const initialState = (): Account => ({
  status: 'none',
  accountId: '',
  test: false,
  kind: 'email',
  name: '',
  requestHash: '',
  keys: persistentMap(),
  confirmedAt: undefined,
  recoveries: 0,
  issuedEndedAt: undefined,
  confirmedNotificationEmail: undefined,
  notificationEmailChanges: [],
  blocked: undefined,
  quotas: {},
  settings: {},
  language: undefined,
  webhookDisabled: undefined,
  did: undefined,
  subscriptions: persistentMap(),
});

/** So many changes of the notification address are remembered. */
export const notificationEmailChangesKept = 5;

type EventOf<T extends AccountEvent['type']> = Extract<AccountEvent, { type: T }>;

const withKey = (
  state: Account,
  { data, personal }: EventOf<'KeyCreated'>,
  at: string,
): Account => {
  const { keyId, scope, test, prefix, requestHash, expiresAt } = data;
  const { rotatedFrom, madeBy, boundTo } = data;
  const key: ApiKey = {
    ...{ keyId, scope, test, prefix, requestHash, expiresAt, rotatedFrom, madeBy, boundTo },
    label: personal?.label ?? '',
    createdAt: at,
    revokedAt: undefined,
    revoked: false,
    worksUntil: undefined,
    // A key that may not spend makes none that may.
    unconfirmed: [rotatedFrom, madeBy, ...(boundTo?.keys ?? [])].some(
      (id) => state.keys.get(id ?? '')?.unconfirmed === true,
    ),
  };
  return { ...state, keys: state.keys.with(keyId, key) };
};

/** Whether a key is refused at a moment. */
const isOver = ({ revoked, worksUntil }: ApiKey, at: string): boolean =>
  revoked !== false && (worksUntil === undefined || worksUntil <= at);

const withoutKey = (state: Account, { data }: EventOf<'KeyRevoked'>, at: string): Account => {
  const key = state.keys.get(data.keyId);
  if (!key || isOver(key, at)) return state;
  const { reason: revoked, worksUntil } = data;
  return {
    ...state,
    keys: state.keys.with(key.keyId, { ...key, revoked, revokedAt: at, worksUntil }),
  };
};

const withConfirmedEmail = (
  state: Account,
  { data, personal }: EventOf<'EmailConfirmed'>,
  at: string,
): Account => {
  if (data.address === 'notifications') {
    return { ...state, confirmedNotificationEmail: personal?.email };
  }
  const first = state.confirmedAt === undefined;
  let { keys } = state;
  for (const key of [...state.keys.values()]) {
    const kept = data.keep.includes(key.keyId);
    const unconfirmed = !state.test && !kept && (first || key.unconfirmed);
    keys = keys.with(key.keyId, { ...key, unconfirmed });
  }
  const issuedEndedAt = data.endsIssued ? at : state.issuedEndedAt;
  const recoveries = state.recoveries + (data.by === 'recovery' ? 1 : 0);
  return { ...state, keys, issuedEndedAt, recoveries, confirmedAt: state.confirmedAt ?? at };
};

/** Settings after a change; of an address that is another one it is remembered when it came. */
const withSettings = (
  state: Account,
  { data, personal }: EventOf<'SettingsChanged'>,
  at: string,
): Account => {
  const settings = personal ?? {};
  const { notificationEmail: email } = settings;
  const isNew = email !== undefined && email !== state.settings.notificationEmail;
  const changes = isNew ? [...state.notificationEmailChanges, at] : state.notificationEmailChanges;
  return {
    ...state,
    settings,
    webhookDisabled: undefined,
    notificationEmailChanges: changes.slice(-notificationEmailChangesKept),
    ...(data.confirmed && email !== undefined ? { confirmedNotificationEmail: email } : {}),
  };
};

export const evolve = (state: Account, event: AccountEvent, at: string): Account => {
  switch (event.type) {
    case 'AccountRegistered':
      return { ...state, status: 'open', name: event.personal?.name ?? '', ...event.data };
    case 'KeyCreated':
      return withKey(state, event, at);
    case 'KeyRevoked':
      return withoutKey(state, event, at);
    case 'EmailConfirmed':
      return withConfirmedEmail(state, event, at);
    case 'EmailUnsubscribed':
      return { ...state, confirmedNotificationEmail: undefined };
    case 'AccountBlocked':
      return { ...state, blocked: event.personal?.reason ?? '' };
    case 'AccountUnblocked':
      return { ...state, blocked: undefined };
    case 'QuotasSet': {
      const { accountId: _, ...quotas } = event.data;
      return { ...state, quotas };
    }
    case 'SettingsChanged':
      return withSettings(state, event, at);
    case 'LanguageChosen':
      return { ...state, language: event.data.language };
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
      const { subscriptionId, events, letterId, expiresAt, boundTo } = event.data;
      const { url = '', secret = '' } = event.personal ?? {};
      const asked = { subscriptionId, events, letterId, url, secret, createdAt: at };
      const subscription = { ...asked, expiresAt, boundTo, disabled: undefined };
      return {
        ...state,
        subscriptions: state.subscriptions.with(subscriptionId, subscription),
      };
    }
    case 'AuditWebhookDisabled': {
      const { subscriptionId, reason } = event.data;
      const found = state.subscriptions.get(subscriptionId);
      if (!found) return state;
      const disabled = { ...found, disabled: { reason, at } };
      return { ...state, subscriptions: state.subscriptions.with(subscriptionId, disabled) };
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
  /** Who asked for it: a key, or `ucan:<cid>`. */
  madeBy?: string;
  /** Absent: nothing but its own revocation and expiry ends it. */
  boundTo?: BoundTo;
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
  /** Of its mails; absent: English. */
  language?: Language | undefined;
  /** The service takes no new accounts. */
  closed?: boolean;
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
    ...(key.madeBy === undefined ? {} : { madeBy: key.madeBy }),
    ...(key.boundTo === undefined ? {} : { boundTo: key.boundTo }),
  },
  personal: { label: key.label },
});

const chooseLanguage = (
  state: Account,
  accountId: string,
  language: Language | undefined,
): AccountEvent[] =>
  language === undefined || language === state.language
    ? []
    : [{ type: 'LanguageChosen', data: { accountId, language } }];

/** @throws AppError email_registered, agent_registered, registration_closed */
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
  if (command.closed) {
    throw new AppError(
      'registration_closed',
      'This service takes no registrations; ask its operator for an account.',
    );
  }
  return [
    {
      type: 'AccountRegistered',
      data: { accountId, kind, test, requestHash },
      personal: { name, ...(displayName === undefined ? {} : { displayName }) },
    },
    keyCreated(command, key, requestHash),
    ...chooseLanguage(initialState(), accountId, command.language),
  ];
};

const hasEnded = (key: ApiKey | undefined, at: string): boolean =>
  key === undefined || isOver(key, at) || (key.expiresAt !== undefined && key.expiresAt <= at);

/** A key that was replaced makes nothing any more, though it still works for a while. */
const isAlive = (state: Account, key: ApiKey, at: string): boolean =>
  !key.revoked &&
  !hasEnded(key, at) &&
  (key.boundTo?.keys ?? []).every((keyId) => !hasEnded(state.keys.get(keyId), at));

/**
 * Neither revoked nor replaced, nor ended with what they are bound to. What its UCANs came to, the account
 * does not know: a key may have ended with one of them.
 */
export const activeKeys = (state: Account, at: string): ApiKey[] =>
  [...state.keys.values()].filter((key) => isAlive(state, key, at));

/** Nothing ends such a key but whoever revokes it. */
const isPermanent = ({ expiresAt, boundTo }: ApiKey): boolean =>
  expiresAt === undefined && boundTo === undefined;

/**
 * A credential is looked up a moment before it is used: what it would make now must not come after its
 * end. `keyIds`: the key that asks, and what it is bound to.
 * @throws AppError invalid_api_key
 */
const assertAlive = (state: Account, keyIds: readonly string[], at: string): void => {
  for (const keyId of keyIds) {
    const key = state.keys.get(keyId);
    if (key && !isAlive(state, key, at)) {
      throw new AppError(
        'invalid_api_key',
        'The key was revoked or replaced, or has expired; use another one.',
      );
    }
  }
};

export type CreateKey = {
  type: 'CreateKey';
  key: NewKey;
  /** Scope of the key that asks; the new one is never wider. */
  makerScope: Scope;
  requestHash: string;
  maxKeys: number;
  at: string;
};

/** @throws AppError account_not_found, scope_insufficient, key_limit_reached, invalid_api_key */
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
  assertAlive(state, [key.madeBy ?? '', ...(key.boundTo?.keys ?? [])], at);
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

export type RevokeKey = {
  type: 'RevokeKey';
  keyId: string;
  /** Also ends whatever it made, by rotation too, and what that made. Its UCANs end with it anyway. */
  withIssued?: boolean;
  /** The key that asks: it is not ended for having been made by the other. */
  asking?: string;
  at: string;
};

/** A key and those that it replaced. */
const lineageOf = (state: Account, key: ApiKey): ApiKey[] => {
  const before = key.rotatedFrom === undefined ? undefined : state.keys.get(key.rotatedFrom);
  return before ? [key, ...lineageOf(state, before)] : [key];
};

/**
 * The keys that some keys made or were rotated to, and those that came of them: whoever had a key that
 * leaked may have rotated it, or others with it. Without the key that asks, and what came of it alone.
 */
const comeOf = (state: Account, makers: ApiKey[], asking: string | undefined): ApiKey[] => {
  const known = new Map(makers.map((key) => [key.keyId, key]));
  const isMade = ({ keyId, rotatedFrom = '', madeBy = '' }: ApiKey): boolean =>
    keyId !== asking && !known.has(keyId) && (known.has(rotatedFrom) || known.has(madeBy));
  for (;;) {
    const made = [...state.keys.values()].filter(isMade);
    if (made.length === 0) return [...known.values()].slice(makers.length);
    for (const key of made) known.set(key.keyId, key);
  }
};

/** Ends keys, and with them the UCANs that they issued; those that are over are left as they are. */
export const endKeys = (state: Account, keys: ApiKey[], at: string): AccountEvent[] =>
  keys
    .filter((key) => !isOver(key, at))
    .map(({ keyId }) => ({
      type: 'KeyRevoked',
      data: { accountId: state.accountId, keyId, reason: 'revoked' },
    }));

/**
 * An account that has a full key keeps one that never expires.
 * @throws AppError key_not_found, last_full_key
 */
export const revokeKey = (state: Account, command: RevokeKey): AccountEvent[] => {
  const { withIssued, asking, at } = command;
  const key = keyOf(state, command.keyId);
  if (isOver(key, at) && !withIssued) return [];
  const ended = [key, ...(withIssued ? comeOf(state, lineageOf(state, key), asking) : [])];
  const staying = activeKeys(state, at).filter((one) => !ended.includes(one));
  const endsFull = ended.some((one) => one.scope === 'full' && !one.revoked);
  if (endsFull && !staying.some((one) => one.scope === 'full' && isPermanent(one))) {
    throw new AppError(
      'last_full_key',
      'This is the last full key of the account that does not expire; create another one first, or rotate this one.',
    );
  }
  return endKeys(state, ended, at);
};

export type RotateKey = {
  type: 'RotateKey';
  keyId: string;
  key: NewKey;
  requestHash: string;
  /** Who asks. */
  maker: Maker;
  /** Until when the old key works; absent: it is refused at once. */
  worksUntil?: string | undefined;
  at: string;
};

const earlier = (one: string, other: string | undefined): string =>
  other !== undefined && other < one ? other : one;

/** Whoever rotates a key gets its secret: one that ends may not take one that outlives it. */
const assertMayRotate = (key: ApiKey, maker: Maker): void => {
  if (maker.bounds === undefined || maker.keyId === key.keyId) return;
  if (key.boundTo?.keys.includes(maker.keyId)) return;
  throw new AppError(
    'scope_insufficient',
    'A key that ends by itself can rotate itself and the keys that it made; rotate this one with itself or with a key that does not end.',
  );
};

/**
 * The new key has the label, scope, expiry and bounds of the old one, and was made by the key that asked.
 * @throws AppError key_not_found, key_revoked, scope_insufficient, invalid_api_key
 */
export const rotateKey = (state: Account, command: RotateKey): AccountEvent[] => {
  const { requestHash } = command;
  const old = keyOf(state, command.keyId);
  if (state.keys.has(command.key.keyId)) return [];
  if (old.revoked) {
    throw new AppError(
      'key_revoked',
      'This key is revoked or replaced already; use the key that took its place, or create a new one.',
    );
  }
  assertMayRotate(old, command.maker);
  assertAlive(state, [command.maker.keyId, ...(old.boundTo?.keys ?? [])], command.at);
  const { label, scope, expiresAt, boundTo } = old;
  const madeBy = command.maker.keyId === old.keyId ? old.madeBy : command.maker.keyId;
  const worksUntil = command.worksUntil && earlier(command.worksUntil, expiresAt);
  const key = { ...command.key, label, scope, expiresAt, madeBy, boundTo };
  return [
    keyCreated(state, key, requestHash, old.keyId),
    {
      type: 'KeyRevoked',
      data: {
        accountId: state.accountId,
        keyId: old.keyId,
        reason: 'rotated',
        ...(worksUntil === undefined ? {} : { worksUntil }),
      },
    },
  ];
};

export type ChangeSettings = {
  type: 'ChangeSettings';
  /** Absent: as it is. Null: removed. */
  webhookUrl?: string | null;
  notificationEmail?: string | null;
  language?: Language | undefined;
  /** A new secret for the webhook as it is. */
  rotateSecret?: boolean;
  /** Signing secret for a webhook that is new, or whose secret is. */
  newSecret: string;
  /** Until when the secret before stays valid. */
  previousSecretUntil: string;
  at: string;
};

const dayMs = 86_400_000;

/** Each new address gets a mail of ours: nobody shall have us write to strangers. @throws AppError */
const assertFewChanges = (state: Account, at: string): void => {
  const changes = state.notificationEmailChanges;
  const againMs = Date.parse(changes[0] ?? '') + dayMs - Date.parse(at);
  if (changes.length < notificationEmailChangesKept || againMs <= 0) return;
  throw new AppError(
    'quota_exceeded',
    `notification_email can be changed ${notificationEmailChangesKept} times in 24 hours; try again later.`,
    { headers: { 'Retry-After': String(Math.ceil(againMs / 1_000)) } },
  );
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

/** @throws AppError account_not_found, quota_exceeded, webhook_not_set (there is no secret to rotate) */
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
  const chosen = chooseLanguage(state, state.accountId, command.language);
  if (!changed) return chosen;
  if (notificationEmail !== undefined && notificationEmail !== before.notificationEmail) {
    assertFewChanges(state, command.at);
  }
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
    ? [
        ...chosen,
        settingsChanged,
        { type: 'WebhookDisabled', data: { accountId, reason: webhookDisabled } },
      ]
    : [...chosen, settingsChanged];
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
  expiresAt?: string;
  boundTo?: BoundTo;
  maxSubscriptions: number;
};

type Subscribed = Pick<SubscribeAudit, 'url' | 'events' | 'letterId'>;

const isSameUrl = (a: string, b: string): boolean => new URL(a).href === new URL(b).href;

/** The same address, however it is spelled, events and letter. */
const isSameWebhook = (a: Subscribed, b: Subscribed): boolean => {
  const eventsOf = ({ events }: Subscribed) => JSON.stringify(events?.toSorted() ?? null);
  return isSameUrl(a.url, b.url) && a.letterId === b.letterId && eventsOf(a) === eventsOf(b);
};

/** The audit webhook that a request has made or that was there before it. */
export const sameSubscription = (
  state: Account,
  wanted: Subscribed,
): AuditSubscription | undefined =>
  [...state.subscriptions.values()].find((one) => isSameWebhook(one, wanted));

/** It is called, and nobody who asks now could make it last longer. */
const serves = (found: AuditSubscription, { expiresAt, boundTo }: SubscribeAudit): boolean =>
  found.disabled === undefined &&
  ((found.expiresAt === undefined && found.boundTo === undefined) ||
    JSON.stringify([found.expiresAt, found.boundTo]) === JSON.stringify([expiresAt, boundTo]));

/**
 * The same webhook again is the one there is; where that is disabled, or ends before the one asked for, a
 * new one takes its place.
 * @throws AppError account_not_found, subscription_limit_reached
 */
export const subscribeAudit = (state: Account, command: SubscribeAudit): AccountEvent[] => {
  const { subscriptionId, url, secret, events, letterId, maxSubscriptions } = command;
  const { expiresAt, boundTo } = command;
  if (state.status === 'none') throw new AppError('account_not_found', 'There is no such account.');
  if (state.subscriptions.has(subscriptionId)) return [];
  const found = sameSubscription(state, command);
  if (found && serves(found, command)) return [];
  const replaced: AccountEvent[] = found
    ? unsubscribeAudit(state, {
        type: 'UnsubscribeAudit',
        subscriptionId: found.subscriptionId,
        reason: 'removed',
      })
    : [];
  if (state.subscriptions.size - replaced.length >= maxSubscriptions) {
    throw new AppError(
      'subscription_limit_reached',
      `The account has ${maxSubscriptions} audit webhooks already; remove one first.`,
    );
  }
  return [
    ...replaced,
    {
      type: 'AuditSubscribed',
      data: {
        accountId: state.accountId,
        subscriptionId,
        ...(events === undefined ? {} : { events }),
        ...(letterId === undefined ? {} : { letterId }),
        ...(expiresAt === undefined ? {} : { expiresAt }),
        ...(boundTo === undefined ? {} : { boundTo }),
      },
      personal: { url, secret },
    },
  ];
};

export type DisableAuditWebhook = {
  type: 'DisableAuditWebhook';
  subscriptionId: string;
  reason: 'gone' | 'failing';
};

/** No event where it is gone, or disabled already. */
export const disableAuditWebhook = (
  state: Account,
  { subscriptionId, reason }: DisableAuditWebhook,
): AccountEvent[] => {
  const found = state.subscriptions.get(subscriptionId);
  if (!found || found.disabled) return [];
  const { accountId } = state;
  return [{ type: 'AuditWebhookDisabled', data: { accountId, subscriptionId, reason } }];
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
        ? command.url !== undefined && isSameUrl(url, command.url)
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
  | UnsubscribeAudit
  | DisableAuditWebhook;

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
    case 'DisableAuditWebhook':
      return disableAuditWebhook(state, command);
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
