/** The DID document of the service, from its identity as the log has it. */
import { dayMs } from '../ground/day.ts';
import { parseDid } from './did.ts';
import type { DidDocument, Relationship, VerificationMethod } from './did-document.ts';
import { didKeyDocument } from './did-key.ts';
import { publicKeyFromMultikey } from './keys.ts';
import { kidOf } from './service-did.ts';

type Purpose = 'credential' | 'ucan' | 'log' | 'webhook';

/** A key of the service. Instants are RFC 3339 UTC. */
export type IdentityKey = {
  keyId: string;
  purpose: Purpose;
  publicKey: string;
  state: 'active' | 'retired' | 'revoked';
  validFrom: string;
  validUntil?: string;
  /** Of a revoked key: its signatures are trusted on leaves of the log below this size only. */
  trustedLogSize?: number;
};

/** The service's DID and all its keys: the data of `ServiceIdentityChanged`. */
export type ServiceIdentity = {
  did: string;
  keys: IdentityKey[];
  /** The address of the schema of its credentials, below the address that the service had. */
  credentialSchema?: string;
};

/** A retired key keeps what its old signatures need; only an active one may do something new. */
const relationshipsOf: Record<Purpose, { active: Relationship[]; retired: Relationship[] }> = {
  credential: {
    active: ['assertionMethod', 'authentication'],
    retired: ['assertionMethod'],
  },
  ucan: {
    active: ['capabilityDelegation', 'capabilityInvocation'],
    retired: ['capabilityDelegation'],
  },
  log: { active: [], retired: [] },
  webhook: { active: [], retired: [] },
};

const isRelatedBy = ({ purpose, state }: IdentityKey, relationship: Relationship): boolean =>
  state !== 'revoked' && relationshipsOf[purpose][state].includes(relationship);

/** The key that is in use for a purpose. @throws Error when there is none: there always is */
export const activeKey = ({ keys }: ServiceIdentity, purpose: Purpose): IdentityKey => {
  const key = keys.find((one) => one.purpose === purpose && one.state === 'active');
  if (key === undefined) throw new Error(`the service has no active ${purpose} key`);
  return key;
};

/** How long the previous key also signs webhooks: receivers learn the new one in that time. */
const webhookOverlapMs = 7 * dayMs;

/** As Standard Webhooks spells it, and subscriptions: `whpk_` and the 32 bytes in base64. */
export const webhookPublicKey = ({ publicKey }: Pick<IdentityKey, 'publicKey'>): string =>
  `whpk_${publicKeyFromMultikey(publicKey).bytes.toString('base64')}`;

/** The keys that sign webhooks at a moment: those that were rotated lately first, since they are known. */
export const webhookKeysAt = ({ keys }: ServiceIdentity, nowMs: number): IdentityKey[] =>
  keys.filter(
    ({ purpose, state, validUntil }) =>
      purpose === 'webhook' &&
      (state === 'active' ||
        (state === 'retired' && Date.parse(validUntil ?? '') + webhookOverlapMs > nowMs)),
  );

/** The id of a key. Where the service is a did:key, each key is under the did:key that it makes. */
export const serviceKid = (did: string, key: IdentityKey): string =>
  kidOf(did.startsWith('did:key:') ? `did:key:${key.publicKey}` : did, key);

const methodOf = (did: string, key: IdentityKey): VerificationMethod => ({
  id: serviceKid(did, key),
  type: 'Multikey',
  controller: did,
  publicKeyMultibase: key.publicKey,
  ...(key.state === 'retired' && key.validUntil !== undefined ? { expires: key.validUntil } : {}),
  ...(key.state === 'revoked' ? { revoked: key.validUntil ?? key.validFrom } : {}),
});

/**
 * The service's own document. A did:web lists every current and earlier key. A did:key has the document that
 * everybody derives from it; only `/api/identity/service-did` lists its other keys.
 */
export const serviceDidDocument = (identity: ServiceIdentity): DidDocument => {
  const { did, keys } = identity;
  if (did.startsWith('did:key:')) return didKeyDocument(parseDid(did));
  const idsFor = (relationship: Relationship): string[] =>
    keys.filter((key) => isRelatedBy(key, relationship)).map((key) => serviceKid(did, key));
  return {
    '@context': ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/multikey/v1'],
    id: did,
    alsoKnownAs: [`did:key:${activeKey(identity, 'credential').publicKey}`],
    verificationMethod: keys.map((key) => methodOf(did, key)),
    authentication: idsFor('authentication'),
    assertionMethod: idsFor('assertionMethod'),
    capabilityDelegation: idsFor('capabilityDelegation'),
    capabilityInvocation: idsFor('capabilityInvocation'),
  };
};
