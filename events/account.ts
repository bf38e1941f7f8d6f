/**
 * Events of an account and its API keys. Stream `account-<account_id>`.
 *
 * Persisted contract: see events/letter.ts.
 */
import Type from 'typebox';
import type { EventDefinitions, EventUnion } from './definition.ts';

const Id = Type.String({ minLength: 1, maxLength: 64 });
const Instant = Type.String({ minLength: 20, maxLength: 30 });
const Scope = Type.Union([Type.Literal('full'), Type.Literal('send'), Type.Literal('read')]);
const Digest = Type.String({ minLength: 22, maxLength: 44 });
const exact = { additionalProperties: false };
/** Why a webhook is given up: it answered 410, or did nothing but fail for days. */
const Disabled = Type.Union([Type.Literal('gone'), Type.Literal('failing')]);

export const accountEvents = {
  AccountRegistered: {
    version: 2,
    data: Type.Object(
      {
        accountId: Id,
        /** `wallet`: whoever pays by it (did:pkh); it has no key. */
        kind: Type.Union([Type.Literal('email'), Type.Literal('agent'), Type.Literal('wallet')]),
        test: Type.Boolean(),
        requestHash: Digest,
      },
      exact,
    ),
    /** `name` is the e-mail address or the agent id. */
    personal: Type.Object(
      { name: Type.String(), displayName: Type.Optional(Type.String()) },
      exact,
    ),
    // Version 1 knew no wallets.
    upcasters: { 1: (data) => data },
  },
  /** `secretHash` is the SHA-256 of the key, base64url; the key itself is never stored. */
  KeyCreated: {
    version: 1,
    data: Type.Object(
      {
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
      },
      exact,
    ),
    personal: Type.Object({ label: Type.String() }, exact),
  },
  KeyRevoked: {
    version: 1,
    data: Type.Object(
      {
        accountId: Id,
        keyId: Id,
        reason: Type.Union([Type.Literal('revoked'), Type.Literal('rotated')]),
      },
      exact,
    ),
  },
  /** The settings after the change; an absent one is not set. */
  SettingsChanged: {
    version: 1,
    data: Type.Object(
      { accountId: Id, webhook: Type.Boolean(), notificationEmail: Type.Boolean() },
      exact,
    ),
    personal: Type.Object(
      {
        webhookUrl: Type.Optional(Type.String()),
        notificationEmail: Type.Optional(Type.String()),
        webhookSecret: Type.Optional(Type.String()),
        /** Valid beside the new one until `previousSecretUntil`. */
        previousSecret: Type.Optional(Type.String()),
        previousSecretUntil: Type.Optional(Instant),
      },
      exact,
    ),
  },
  /** The status webhook is not called any more until it is set again. */
  WebhookDisabled: {
    version: 1,
    data: Type.Object({ accountId: Id, reason: Disabled }, exact),
  },
  /** The DID that acts for the account. `seed`: its private key, where the service keeps it. */
  DidCreated: {
    version: 1,
    data: Type.Object(
      {
        accountId: Id,
        did: Type.String({ minLength: 8, maxLength: 2_048, pattern: '^did:' }),
        custody: Type.Union([Type.Literal('service'), Type.Literal('self')]),
      },
      exact,
    ),
    personal: Type.Object({ seed: Type.Optional(Type.String()) }, exact),
  },
  /** A webhook for event credentials: of all letters or of one, of all events or of some. */
  AuditSubscribed: {
    version: 1,
    data: Type.Object(
      {
        accountId: Id,
        subscriptionId: Id,
        events: Type.Optional(Type.Array(Type.String({ maxLength: 64 }), { maxItems: 50 })),
        letterId: Type.Optional(Id),
      },
      exact,
    ),
    personal: Type.Object({ url: Type.String(), secret: Type.String() }, exact),
  },
  AuditUnsubscribed: {
    version: 1,
    data: Type.Object(
      {
        accountId: Id,
        subscriptionId: Id,
        reason: Type.Union([Type.Literal('removed'), Disabled]),
      },
      exact,
    ),
  },
} as const satisfies EventDefinitions;

export type AccountEvent = EventUnion<typeof accountEvents>;

export const accountStream = (accountId: string): string => `account-${accountId}`;
