/**
 * Events of the service's own identity. Stream `service-identity`.
 *
 * Persisted contract: see events/letter.ts.
 */
import type { Static } from 'typebox';
import { Type } from '../ground/type.ts';
import type { EventDefinitions, EventUnion } from './definition.ts';

const Instant = Type.String({ minLength: 20, maxLength: 30 });
const Id = Type.String({ minLength: 1, maxLength: 64 });
/** The purpose of a key. Each purpose has keys of its own, so that no signature can be taken for another. */
export const KeyPurpose = Type.Literals(['credential', 'ucan', 'log', 'webhook']);

/** The public part of a key of the service. Its private part is never in an event. */
export const ServiceKey = Type.Exact({
  /** Never used for another key. */
  keyId: Id,
  purpose: KeyPurpose,
  /** Ed25519 as a Multikey, `z6Mk…`. */
  publicKey: Type.String({ pattern: '^z6Mk[1-9A-HJ-NP-Za-km-z]{40,48}$' }),
  state: Type.Literals(['active', 'retired', 'revoked']),
  validFrom: Instant,
  /** When another key took its place, or when it was revoked. */
  validUntil: Type.Optional(Instant),
  /** Of a revoked key: its signatures are trusted only on leaves of the log below this size. */
  trustedLogSize: Type.Optional(Type.Integer({ minimum: 0 })),
});

export const serviceIdentityEvents = {
  /**
   * The service's DID and all its keys, after the change; one key of each purpose is active. It holds from
   * its own place in the log on; the first one also for the events before it.
   */
  ServiceIdentityChanged: {
    version: 2,
    upcasters: { 1: (data) => data },
    data: Type.Exact({
      did: Type.String({ minLength: 8, maxLength: 2_048, pattern: '^did:(web|key):' }),
      reason: Type.Literals(['established', 'rotated', 'revoked', 'moved']),
      keys: Type.Array(ServiceKey, { minItems: 4, maxItems: 1_000 }),
      /** Where the schema of credentials that are issued from now on is served; absent: they name its URN. */
      credentialSchema: Type.Optional(
        Type.String({ maxLength: 2_048, pattern: '^https?://[^\\s]+$' }),
      ),
    }),
  },
} as const satisfies EventDefinitions;

export type ServiceIdentityEvent = EventUnion<typeof serviceIdentityEvents>;
export type ServiceIdentity = ServiceIdentityEvent['data'];
export type ServiceKey = Static<typeof ServiceKey>;
export type KeyPurpose = Static<typeof KeyPurpose>;

export const serviceIdentityStream = 'service-identity';
