/**
 * Events of an account and its API keys. Stream `account-<account_id>`.
 *
 * Persisted contract: see events/letter.ts.
 */
import { Type } from '../ground/type.ts';
import { accountClosureEvents } from './account-closure.ts';
import { BoundTo } from './bound-to.ts';
import type { EventDefinitions, EventUnion } from './definition.ts';

const Id = Type.String({ minLength: 1, maxLength: 64 });
const Instant = Type.String({ minLength: 20, maxLength: 30 });
const Scope = Type.Literals(['full', 'send', 'read']);
const Digest = Type.String({ minLength: 22, maxLength: 44 });
/** Why a webhook is given up: it answered 410, or did nothing but fail for days. */
const Disabled = Type.Literals(['gone', 'failing']);

export const accountEvents = {
  AccountRegistered: {
    version: 2,
    data: Type.Exact({
      accountId: Id,
      /** `wallet`: an account that pays with it (did:pkh); it has no key. */
      kind: Type.Literals(['email', 'agent', 'wallet']),
      test: Type.Boolean(),
      requestHash: Digest,
    }),
    /** `name` is the e-mail address or the agent id. */
    personal: Type.Exact({ name: Type.String(), displayName: Type.Optional(Type.String()) }),
    // Version 1 knew no wallets.
    upcasters: { 1: (data) => data },
  },
  /** `secretHash` is the SHA-256 of the key, base64url; the key itself is never stored. */
  KeyCreated: {
    version: 2,
    data: Type.Exact({
      accountId: Id,
      test: Type.Boolean(),
      keyId: Id,
      secretHash: Digest,
      prefix: Type.String(),
      scope: Scope,
      expiresAt: Type.Optional(Instant),
      requestHash: Digest,
      /** The key that this one replaces. */
      rotatedFrom: Type.Optional(Id),
      /**
       * The key that asked for it, or `ucan:<cid>`. `operator`: by hand. Absent: registration, recovery.
       */
      madeBy: Type.Optional(Id),
      /** Absent: only its own revocation and expiry end it. */
      boundTo: Type.Optional(BoundTo),
    }),
    personal: Type.Exact({ label: Type.String() }),
    /** Version 1 did not record the maker of a key. */
    upcasters: { 1: (data) => data },
  },
  KeyRevoked: {
    version: 3,
    data: Type.Exact({
      accountId: Id,
      keyId: Id,
      reason: Type.Literals(['revoked', 'rotated']),
      /** Up to version 2 a rotated key worked until then. Absent: it is refused at once. */
      worksUntil: Type.Optional(Instant),
      /**
       * Until then a key that rotated itself can repeat that request, and nothing else, so that a lost
       * answer can be asked for again.
       */
      repeatableUntil: Type.Optional(Instant),
    }),
    upcasters: { 1: (data) => data, 2: (data) => data },
  },
  /**
   * Somebody who reads mail at the address, or the operator, says that it is the account's. With the
   * first confirmation of the account's own address everything that was set before ends, except what the
   * owner keeps: events of the same append say what ended.
   */
  EmailConfirmed: {
    version: 2,
    data: Type.Exact({
      accountId: Id,
      /** The address that the account was registered with, or the one of its notifications. */
      address: Type.Literals(['registered', 'notifications']),
      by: Type.Literals(['link', 'recovery', 'operator']),
      keep: Type.Array(Id, { maxItems: 200 }),
      /** Earlier UCANs whose key is unknown end, too; all others end with their key. */
      endsIssued: Type.Optional(Type.Literal(true)),
      /** Earlier settings that exist after this append were kept. Absent: nobody looked at them. */
      settlesSettings: Type.Optional(Type.Literal(true)),
    }),
    personal: Type.Exact({ email: Type.String() }),
    /** In version 1 the owner looked at the settings only where they kept a key. */
    upcasters: {
      1: (data) =>
        Array.isArray(data.keep) && data.keep.length > 0
          ? { ...data, settlesSettings: true }
          : data,
    },
  },
  /** A reader of the address wants no more mails. The address no longer belongs to the account. */
  EmailUnsubscribed: {
    version: 1,
    data: Type.Exact({ accountId: Id }),
    personal: Type.Exact({ email: Type.String() }),
  },
  /** The account asks for another address of its own, which holds once somebody reads mail at it. */
  EmailChangeRequested: {
    version: 1,
    data: Type.Exact({
      accountId: Id,
      changeId: Id,
      /** The key that asked: the request ends with it. */
      madeBy: Id,
      expiresAt: Instant,
    }),
    personal: Type.Exact({ email: Type.String() }),
  },
  /** The account has another address of its own. Its id stays the digest of the first one. */
  EmailChanged: {
    version: 1,
    data: Type.Exact({
      accountId: Id,
      changeId: Id,
      by: Type.Literals(['link', 'operator']),
      /** Until then, a link to the previous address takes the change back. Absent: nothing does. */
      stoppableUntil: Type.Optional(Instant),
    }),
    personal: Type.Exact({ email: Type.String(), previous: Type.String() }),
  },
  /** The change is taken back, and every change after it: `email` is the address of before. */
  EmailChangeStopped: {
    version: 1,
    data: Type.Exact({ accountId: Id, changeId: Id }),
    personal: Type.Exact({ email: Type.String() }),
  },
  /**
   * In the stream whose id is the digest of an address: another account, `holderId`, takes the address. It
   * counts while that account has the address, or can still get it by the change.
   */
  EmailAddressClaimed: {
    version: 1,
    data: Type.Exact({ addressId: Id, holderId: Id, changeId: Id }),
  },
  /** By the operator: it may read, and nothing else. */
  AccountBlocked: {
    version: 1,
    data: Type.Exact({ accountId: Id }),
    personal: Type.Exact({ reason: Type.String() }),
  },
  AccountUnblocked: { version: 1, data: Type.Exact({ accountId: Id }) },
  /** Somebody who signed in to the operator's console looked into the account; once per session. */
  AccountInspected: {
    version: 1,
    data: Type.Exact({
      accountId: Id,
      /** A keyed digest of the person, or `link`: a one-time link of the command line. */
      inspector: Id,
      rights: Type.Literals(['operator', 'auditor']),
    }),
  },
  /** The operator's limits for the account, which replace the service's limits; always complete. */
  QuotasSet: {
    version: 2,
    data: Type.Exact({
      accountId: Id,
      liveLettersPerDay: Type.Optional(Type.Integer({ minimum: 0 })),
      testLettersPerDay: Type.Optional(Type.Integer({ minimum: 0 })),
      draftsPerAccount: Type.Optional(Type.Integer({ minimum: 0 })),
      storedBytesPerAccount: Type.Optional(Type.Integer({ minimum: 0 })),
    }),
    /** Version 1 did not limit storage. */
    upcasters: { 1: (data) => data },
  },
  /** The settings after the change; an absent one is not set. */
  SettingsChanged: {
    version: 3,
    data: Type.Exact({
      accountId: Id,
      webhook: Type.Boolean(),
      notificationEmail: Type.Boolean(),
      /** The key that asked for the change, or `ucan:<cid>`. Absent: nobody asked, or not recorded. */
      madeBy: Type.Optional(Id),
      /** Of the request, where it had an Idempotency-Key. */
      requestHash: Type.Optional(Digest),
      /** Mail goes to the notification address without a confirmation, as in version 1. */
      confirmed: Type.Optional(Type.Literal(true)),
      /**
       * Address and secret of the webhook are as before, and a disabled one stays disabled. Absent: one of them
       * changed, or not recorded.
       */
      keepsWebhook: Type.Optional(Type.Literal(true)),
    }),
    personal: Type.Exact({
      webhookUrl: Type.Optional(Type.String()),
      notificationEmail: Type.Optional(Type.String()),
      webhookSecret: Type.Optional(Type.String()),
      /** Valid together with the new one until `previousSecretUntil`. */
      previousSecret: Type.Optional(Type.String()),
      previousSecretUntil: Type.Optional(Instant),
    }),
    /** Version 2 did not record whether the webhook was kept. */
    upcasters: { 1: (data) => ({ ...data, confirmed: true }), 2: (data) => data },
  },
  /** Of the mails about the account, and of the pages that their links lead to. */
  LanguageChosen: {
    version: 1,
    data: Type.Exact({
      accountId: Id,
      language: Type.Literals(['de', 'fr', 'en']),
      /** Of the request, where it had an Idempotency-Key. */
      requestHash: Type.Optional(Digest),
    }),
  },
  /** The status webhook is not called any more until it is set again. */
  WebhookDisabled: {
    version: 1,
    data: Type.Exact({ accountId: Id, reason: Disabled }),
  },
  /** The owner asked for a test message to the status webhook. */
  WebhookTested: {
    version: 1,
    data: Type.Exact({ accountId: Id }),
  },
  /** The DID that acts for the account. `seed`: its private key, where the service keeps it. */
  DidCreated: {
    version: 1,
    data: Type.Exact({
      accountId: Id,
      did: Type.String({ minLength: 8, maxLength: 2_048, pattern: '^did:' }),
      custody: Type.Literals(['service', 'self']),
    }),
    personal: Type.Exact({ seed: Type.Optional(Type.String()) }),
  },
  /** A webhook for event credentials: of all letters or of one, of all events or of some. */
  AuditSubscribed: {
    version: 2,
    data: Type.Exact({
      accountId: Id,
      subscriptionId: Id,
      events: Type.Optional(Type.Array(Type.String({ maxLength: 64 }), { maxItems: 50 })),
      letterId: Type.Optional(Id),
      /** Of the credential that asked for it; absent: it does not expire. */
      expiresAt: Type.Optional(Instant),
      /** Absent: it stays until it is removed. */
      boundTo: Type.Optional(BoundTo),
    }),
    personal: Type.Exact({ url: Type.String(), secret: Type.String() }),
    /** Version 1 did not tell what it ends with. */
    upcasters: { 1: (data) => data },
  },
  /** An audit webhook is not called any more until it is registered again. */
  AuditWebhookDisabled: {
    version: 1,
    data: Type.Exact({ accountId: Id, subscriptionId: Id, reason: Disabled }),
  },
  /** The owner asked for a test message to an audit webhook. */
  AuditWebhookTested: {
    version: 1,
    data: Type.Exact({ accountId: Id, subscriptionId: Id }),
  },
  AuditUnsubscribed: {
    version: 1,
    data: Type.Exact({
      accountId: Id,
      subscriptionId: Id,
      reason: Type.Union([Type.Literal('removed'), Disabled]),
    }),
  },
  ...accountClosureEvents,
} as const satisfies EventDefinitions;

export type AccountEvent = EventUnion<typeof accountEvents>;

export const accountStream = (accountId: string): string => `account-${accountId}`;
