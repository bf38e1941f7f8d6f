/** An account as its stream tells it: who it is, its keys, settings, audit webhooks and DID. */
import type { BoundTo } from '../../contract/bounds.ts';
import type { Scope } from '../../contract/scopes.ts';
import { type AccountEvent, accountStream } from '../../events/account.ts';
import { type PersistentMap, persistentMap } from '../../ground/persistent-map.ts';
import { limitTable } from '../../limits/table.ts';
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
  /** Of a key that was rotated under an earlier version: it is refused from then on only. */
  worksUntil: string | undefined;
  /** Of a key that rotated itself: until then it can repeat that request, and nothing else. */
  repeatableUntil: string | undefined;
  rotatedFrom: string | undefined;
  /** The key that asked for it, or `ucan:<cid>`. */
  madeBy: string | undefined;
  boundTo: BoundTo | undefined;
  /** Older than the confirmation of the account's address and not kept: it may read, and nothing else. */
  unconfirmed: boolean;
};

/** Each absent where the service's own limit holds. */
export type Quotas = Omit<Extract<AccountEvent, { type: 'QuotasSet' }>['data'], 'accountId'>;

export type Settings = Extract<AccountEvent, { type: 'SettingsChanged' }>['personal'];

export type Account = {
  /** `erased`: from the beginning of its erasure on. */
  status: 'none' | 'open' | 'erased';
  accountId: string;
  test: boolean;
  kind: 'email' | 'agent' | 'wallet';
  /** The e-mail address, the agent id, or the DID of a wallet. */
  name: string;
  requestHash: string;
  keys: PersistentMap<string, ApiKey>;
  /** When an address of its own was confirmed first. */
  confirmedAt: string | undefined;
  /** The address that the account asked for and has not confirmed yet. */
  emailChange: EmailChange | undefined;
  /** The last requests for other addresses. */
  emailChangeRequests: readonly (EmailChange & { at: string })[];
  /** Addresses of before that can take their change back, the oldest first. */
  formerEmails: readonly FormerEmail[];
  /** How often its address changed. */
  emailChanges: number;
  /** The account that took the address whose digest is the id of this stream. */
  claim: AddressClaim | undefined;
  /** How often it was recovered by a link. */
  recoveries: number;
  /** UCANs that were issued before, by a key that is not known, are void. */
  issuedEndedAt: string | undefined;
  /** The last address, other than its own, that was confirmed for notifications. */
  confirmedNotificationEmail: string | undefined;
  /** The key that set the address of notifications, or `ucan:<cid>`, where that is known. */
  notificationEmailSetBy: string | undefined;
  /** When the address of notifications was changed, the last times. */
  notificationEmailChanges: readonly string[];
  /** When the address of notifications was last set, also as it was. Each time it gets a mail that asks to confirm it. */
  notificationEmailAskedAt: string | undefined;
  /** The last test messages: by which commands, when, and to which audit webhook, if to one. */
  webhookTests: readonly WebhookTest[];
  /** Why the operator blocked it. */
  blocked: string | undefined;
  /** Its end, once it was asked for and not taken back. */
  closure: Closure | undefined;
  /** The operator's limits for it, which replace the service's limits. */
  quotas: Quotas;
  settings: NonNullable<Settings>;
  /** The last changes of the settings under an Idempotency-Key. */
  settingsRequests: readonly SettingsRequest[];
  /** Settings older than the proof of the account's address, which its owner did not keep. */
  unproven: { webhook: boolean; notificationEmail: boolean };
  /** Language of its mails; English by default. */
  language: Language | undefined;
  /** Why the status webhook is not called any more. */
  webhookDisabled: 'gone' | 'failing' | undefined;
  did: CallerDid | undefined;
  /** Audit webhooks, by their id. */
  subscriptions: PersistentMap<string, AuditSubscription>;
  /** How many events its stream has. */
  events: number;
};

/** A request that changed the settings, and its answer. */
export type SettingsRequest = {
  commandId: string;
  requestHash: string;
  at: string;
  settings: NonNullable<Settings>;
  language: Language | undefined;
  /** It gave the webhook a new secret. */
  newSecret: boolean;
};

type WebhookTest = { commandId: string; at: string; subscriptionId: string | undefined };

export type Closure = {
  closureId: string;
  requestedAt: string;
  erasesAt: string;
  forfeitsBalance: boolean;
  requestHash: string;
  /** From then on nothing takes it back. */
  begunAt?: string;
  erasedAt?: string;
  /** The address that gets the certificate, while it is known. */
  address?: string | undefined;
  /** The account's name, for its books. */
  name?: string;
};

type EmailChange = { changeId: string; email: string; madeBy: string; expiresAt: string };

export type FormerEmail = { changeId: string; email: string; stoppableUntil: string };

type AddressClaim = { holderId: string; changeId: string };

/** The DID that acts for an account; `seed` is its private key where the service keeps it. */
export type CallerDid = {
  did: string;
  custody: 'service' | 'self';
  seed: string | undefined;
  /** When the account got it. */
  since: string;
  /** Older than the proof of the account's address, and not kept. */
  unproven: boolean;
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
  /** Older than the proof of the account's address, and not kept. */
  unproven: boolean;
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
  emailChange: undefined,
  emailChangeRequests: [],
  formerEmails: [],
  emailChanges: 0,
  claim: undefined,
  recoveries: 0,
  issuedEndedAt: undefined,
  confirmedNotificationEmail: undefined,
  notificationEmailSetBy: undefined,
  notificationEmailChanges: [],
  notificationEmailAskedAt: undefined,
  webhookTests: [],
  blocked: undefined,
  closure: undefined,
  quotas: {},
  settings: {},
  settingsRequests: [],
  unproven: { webhook: false, notificationEmail: false },
  language: undefined,
  webhookDisabled: undefined,
  did: undefined,
  subscriptions: persistentMap(),
  events: 0,
});

/** How many changes of the notification address are remembered. */
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
    keyId,
    scope,
    test,
    prefix,
    requestHash,
    expiresAt,
    rotatedFrom,
    madeBy,
    boundTo,
    label: personal?.label ?? '',
    createdAt: at,
    revokedAt: undefined,
    revoked: false,
    worksUntil: undefined,
    repeatableUntil: undefined,
    // A key that may not spend makes none that may.
    unconfirmed: [rotatedFrom, madeBy, ...(boundTo?.keys ?? [])].some(
      (id) => state.keys.get(id ?? '')?.unconfirmed === true,
    ),
  };
  return { ...state, keys: state.keys.with(keyId, key) };
};

/** Whether a key is refused at a moment. */
export const isOver = ({ revoked, worksUntil }: ApiKey, at: string): boolean =>
  revoked !== false && (worksUntil === undefined || worksUntil <= at);

/** Whether a key can still do something, be it only to repeat its rotation. */
export const isGone = (key: ApiKey, at: string): boolean =>
  isOver(key, at) && (key.repeatableUntil === undefined || key.repeatableUntil <= at);

const withoutKey = (state: Account, { data }: EventOf<'KeyRevoked'>, at: string): Account => {
  const key = state.keys.get(data.keyId);
  if (!key || isGone(key, at)) return state;
  const { reason: revoked, worksUntil, repeatableUntil } = data;
  const ended = { ...key, revoked, revokedAt: at, worksUntil, repeatableUntil };
  return { ...state, keys: state.keys.with(key.keyId, ended) };
};

/** Nobody has proved yet that the account's e-mail address is theirs. */
const isUnproven = ({ kind, confirmedAt }: Account): boolean =>
  kind === 'email' && confirmedAt === undefined;

/** The owner keeps the settings of before that are left. */
const withSettledSettings = (state: Account): Account => {
  let { subscriptions } = state;
  for (const one of [...subscriptions.values()]) {
    if (!one.unproven) continue;
    subscriptions = subscriptions.with(one.subscriptionId, { ...one, unproven: false });
  }
  const did = state.did && { ...state.did, unproven: false };
  return { ...state, did, subscriptions, unproven: { webhook: false, notificationEmail: false } };
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
  const settled = data.settlesSettings ? withSettledSettings(state) : state;
  const confirmedAt = state.confirmedAt ?? at;
  // A change that was asked for before the proof ends with it: the owner may not have asked.
  return { ...settled, keys, issuedEndedAt, recoveries, confirmedAt, emailChange: undefined };
};

/** A setting that changed is as good as the account is at that time. */
const unprovenAfter = (state: Account, after: NonNullable<Settings>): Account['unproven'] => {
  const { settings: before, unproven } = state;
  const isSameWebhook =
    after.webhookUrl === before.webhookUrl && after.webhookSecret === before.webhookSecret;
  const isSameEmail = after.notificationEmail === before.notificationEmail;
  const isNew = isUnproven(state);
  return {
    webhook: isSameWebhook ? unproven.webhook : isNew && after.webhookUrl !== undefined,
    notificationEmail: isSameEmail
      ? unproven.notificationEmail
      : isNew && after.notificationEmail !== undefined,
  };
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
  // Nothing else differs where the address is only set again.
  const isAsked = isNew || (email !== undefined && data.keepsWebhook === true && !data.confirmed);
  const changes = isNew ? [...state.notificationEmailChanges, at] : state.notificationEmailChanges;
  return {
    ...state,
    settings,
    notificationEmailSetBy: isAsked ? data.madeBy : state.notificationEmailSetBy,
    notificationEmailAskedAt: isAsked ? at : state.notificationEmailAskedAt,
    unproven: unprovenAfter(state, settings),
    // Setting the webhook again, or its secret, means that it shall be called again.
    webhookDisabled: data.keepsWebhook ? state.webhookDisabled : undefined,
    notificationEmailChanges: changes.slice(-notificationEmailChangesKept),
    ...(data.confirmed && email !== undefined ? { confirmedNotificationEmail: email } : {}),
  };
};

const settingsRequestsKept = 50;

/** Remembers the request of a change. One that also chose the language has two events. */
const withChangedSettings = (
  state: Account,
  event: EventOf<'SettingsChanged' | 'LanguageChosen'>,
  at: string,
  commandId: string,
): Account => {
  const changed =
    event.type === 'LanguageChosen'
      ? { ...state, language: event.data.language }
      : withSettings(state, event, at);
  const { requestHash } = event.data;
  if (requestHash === undefined) return changed;
  const { settings, language } = changed;
  const { webhookSecret } = settings;
  const newSecret = webhookSecret !== undefined && webhookSecret !== state.settings.webhookSecret;
  const others = state.settingsRequests.filter((one) => one.commandId !== commandId);
  const request = { commandId, requestHash, at, settings, language, newSecret };
  return { ...changed, settingsRequests: [...others, request].slice(-settingsRequestsKept) };
};

/** How many requests for another address are remembered. */
export const emailChangeRequestsKept = 5;
const formerEmailsKept = 50;

const withRequestedEmail = (
  state: Account,
  { data, personal }: EventOf<'EmailChangeRequested'>,
  at: string,
): Account => {
  const { changeId, madeBy, expiresAt } = data;
  const emailChange = { changeId, madeBy, expiresAt, email: personal?.email ?? '' };
  const requests = [...state.emailChangeRequests, { ...emailChange, at }];
  return { ...state, emailChange, emailChangeRequests: requests.slice(-emailChangeRequestsKept) };
};

const withChangedEmail = (state: Account, { data, personal }: EventOf<'EmailChanged'>): Account => {
  const { changeId, stoppableUntil } = data;
  const { email = '', previous = '' } = personal ?? {};
  const former =
    stoppableUntil === undefined ? [] : [{ changeId, email: previous, stoppableUntil }];
  return {
    ...state,
    name: email,
    emailChange: undefined,
    emailChanges: state.emailChanges + 1,
    formerEmails: [...state.formerEmails, ...former].slice(-formerEmailsKept),
  };
};

const withStoppedChange = (
  state: Account,
  { data, personal }: EventOf<'EmailChangeStopped'>,
): Account => {
  const { formerEmails } = state;
  const index = formerEmails.findIndex(({ changeId }) => changeId === data.changeId);
  return {
    ...state,
    name: personal?.email ?? '',
    emailChange: undefined,
    emailChanges: state.emailChanges + 1,
    formerEmails: formerEmails.slice(0, Math.max(index, 0)),
  };
};

const withClaim = (state: Account, { data }: EventOf<'EmailAddressClaimed'>): Account => {
  const { holderId, changeId } = data;
  return { ...state, claim: { holderId, changeId } };
};

const registered = (state: Account, { data, personal }: EventOf<'AccountRegistered'>): Account => ({
  ...state,
  status: 'open',
  claim: undefined,
  name: personal?.name ?? '',
  ...data,
});

/** Where the certificate goes: an address that was confirmed. */
export const certificateAddress = ({
  kind,
  name,
  confirmedAt,
  settings,
  confirmedNotificationEmail,
}: Account): string | undefined => {
  if (kind === 'email' && confirmedAt !== undefined && name !== '') return name;
  const { notificationEmail } = settings;
  const isConfirmed =
    notificationEmail?.toLowerCase() === confirmedNotificationEmail?.toLowerCase();
  return isConfirmed ? notificationEmail : undefined;
};

const withClosure = (
  state: Account,
  {
    type,
    data,
  }: EventOf<
    'AccountClosureRequested' | 'AccountClosureWithdrawn' | 'AccountErasureBegun' | 'AccountErased'
  >,
  at: string,
): Account => {
  const { closure } = state;
  if (type === 'AccountClosureWithdrawn') return { ...state, closure: undefined };
  if (type === 'AccountClosureRequested') {
    const { closureId, erasesAt, forfeitsBalance, requestHash } = data;
    const requestedAt = closure?.requestedAt ?? at;
    return {
      ...state,
      closure: { closureId, erasesAt, forfeitsBalance, requestHash, requestedAt },
    };
  }
  if (closure === undefined) throw new Error(`${type} without a request`);
  if (type === 'AccountErased') return { ...state, closure: { ...closure, erasedAt: at } };
  return {
    ...state,
    status: 'erased',
    closure: { ...closure, begunAt: at, address: certificateAddress(state), name: state.name },
    // From here on the erased data no longer leads to the account.
    name: '',
    did: undefined,
    emailChange: undefined,
    formerEmails: [],
    confirmedNotificationEmail: undefined,
  };
};

const withDid = (
  state: Account,
  { data: { did, custody }, personal }: EventOf<'DidCreated'>,
  at: string,
): Account => ({
  ...state,
  did: { did, custody, seed: personal?.seed, since: at, unproven: isUnproven(state) },
});

const withWebhookTest = (state: Account, test: WebhookTest): Account => ({
  ...state,
  webhookTests: [...state.webhookTests, test].slice(-limitTable.webhookTestsPerHour.usual),
});

const changed = (state: Account, event: AccountEvent, at: string, commandId: string): Account => {
  switch (event.type) {
    case 'AccountRegistered':
      return registered(state, event);
    case 'EmailChangeRequested':
      return withRequestedEmail(state, event, at);
    case 'EmailChanged':
      return withChangedEmail(state, event);
    case 'EmailChangeStopped':
      return withStoppedChange(state, event);
    case 'EmailAddressClaimed':
      return withClaim(state, event);
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
    case 'AccountInspected':
      return state;
    case 'QuotasSet': {
      const { accountId: _, ...quotas } = event.data;
      return { ...state, quotas };
    }
    case 'SettingsChanged':
    case 'LanguageChosen':
      return withChangedSettings(state, event, at, commandId);
    case 'WebhookDisabled':
      return { ...state, webhookDisabled: event.data.reason };
    case 'WebhookTested':
      return withWebhookTest(state, { commandId, at, subscriptionId: undefined });
    case 'AuditWebhookTested': {
      const { subscriptionId } = event.data;
      return withWebhookTest(state, { commandId, at, subscriptionId });
    }
    case 'DidCreated':
      return withDid(state, event, at);
    case 'AuditSubscribed': {
      const { subscriptionId, events, letterId, expiresAt, boundTo } = event.data;
      const { url = '', secret = '' } = event.personal ?? {};
      const asked = { subscriptionId, events, letterId, url, secret, createdAt: at };
      const unproven = isUnproven(state);
      const subscription = { ...asked, expiresAt, boundTo, unproven, disabled: undefined };
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
    case 'AccountClosureRequested':
    case 'AccountClosureWithdrawn':
    case 'AccountErasureBegun':
    case 'AccountErased':
      return withClosure(state, event, at);
    default: {
      const unknown: never = event;
      return unknown;
    }
  }
};

export const evolve = (
  state: Account,
  event: AccountEvent,
  at: string,
  commandId = '',
): Account => ({ ...changed(state, event, at, commandId), events: state.events + 1 });

/** An account with fewer events is read again each time: that takes no longer than to read what is new. */
const fewEvents = 100;

export const accountAggregate: Aggregate<Account, AccountEvent> = {
  stream: accountStream,
  initialState,
  evolve,
  derivesIds: true,
  // Estimates: the settings that requests left, a key, an audit webhook. An account that is being erased is not kept.
  cachedBytes: ({ status, events, keys, subscriptions }) =>
    status !== 'open' || events < fewEvents
      ? undefined
      : 40_000 + 1_200 * keys.size + 1_500 * subscriptions.size,
};
