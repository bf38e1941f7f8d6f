/** DID documents and resolutions, and the identity of the service (specification 4.8). */
import type { Static } from 'typebox';
import { Type } from '../ground/type.ts';
import type { Continuations } from '../identity/continuation.ts';
import type { DidResolution } from '../identity/resolver.ts';
import {
  activeKey,
  type ServiceIdentity,
  serviceDidDocument,
  serviceKid,
  webhookKeysAt,
  webhookPublicKey,
} from '../identity/service-document.ts';
import { Nullable, OneOf, Timestamp } from './common.ts';

export const DidDocument = Type.Object(
  {
    id: Type.String(),
    alsoKnownAs: Type.Optional(Type.Array(Type.String())),
    verificationMethod: Type.Optional(Type.Array(Type.Object({}, { additionalProperties: true }))),
  },
  {
    title: 'DidDocument',
    description: 'W3C Decentralized Identifiers 1.0.',
    additionalProperties: true,
  },
);

export const DidResolved = Type.Named('DidResolution', {
  didDocument: DidDocument,
  didResolutionMetadata: Type.Object({
    contentType: Type.String(),
    retrieved: Timestamp,
    duration_ms: Type.Integer({ minimum: 0 }),
    cached: Type.Boolean(),
    warning: Type.Optional(Type.String()),
  }),
  didDocumentMetadata: Type.Object({ deactivated: Type.Optional(Type.Boolean()) }),
});

/** `warning`: what the caller should do otherwise. */
export const presentResolution = (resolution: DidResolution, warning: string | undefined) => ({
  ...resolution,
  didResolutionMetadata: { ...resolution.didResolutionMetadata, warning },
});

const multikey = (of: string) =>
  Type.String({ description: `Ed25519 Multikey, \`z6Mk…\`: ${of}.` });

const RetiredKey = Type.Object({
  kid: Type.String(),
  purpose: OneOf(['credential', 'ucan', 'log', 'webhook']),
  publicKeyMultibase: Type.String(),
  valid_from: Timestamp,
  valid_until: Nullable(Timestamp),
  revoked: Type.Boolean({ description: 'Other people may have its private key.' }),
  trusted_log_size: Nullable(
    Type.Integer({
      description: 'For a revoked key: its signatures count only for leaves of the log below this.',
    }),
  ),
});

export const ServiceDid = Type.Named('ServiceDid', {
  did: Type.String({ description: 'The DID that issues credentials.' }),
  didDocument: DidDocument,
  did_key: Type.String({ description: 'did:key of the key that signs credentials now.' }),
  kid: Type.String({ description: 'The `kid` of new credentials.' }),
  retired_keys: Type.Array(RetiredKey),
  checkpoint_origin: Type.String({ description: 'First line of the checkpoints of the log.' }),
  log_public_key: multikey('signs checkpoints'),
  webhook_public_key: multikey('signs webhooks, v1a'),
  webhook_public_keys: Type.Array(Type.String(), {
    description:
      'The current keys that sign audit webhooks (v1a), as their subscriptions show them: whpk_ and base64. After a rotation, the previous key also signs for 7 days.',
  }),
  ucan_did: Type.String({ description: 'The DID that issues UCAN roots; always a did:key.' }),
  former_dids: Type.Optional(
    Type.Array(Type.Object({ did: Type.String(), statement: Type.String() }), {
      description:
        'The did:keys under which the service issued credentials before it moved or changed its key; absent in answers of earlier versions. Each `statement` is a JWT in which the key of that DID says under which DID (`sub`) the service goes on.',
    }),
  ),
  former_checkpoint_origins: Type.Optional(
    Type.Array(Type.Object({ origin: Type.String(), statement: Type.String() }), {
      description:
        'First lines of the checkpoints of the log before the service moved; absent in answers of earlier versions. Each `statement` is a JWT in which a key that signed them says under which `origin` the log goes on.',
    }),
  ),
});

const presentRetired = ({ did, keys }: ServiceIdentity) =>
  keys
    .filter((key) => key.state !== 'active')
    .map((key) => ({
      kid: serviceKid(did, key),
      purpose: key.purpose,
      publicKeyMultibase: key.publicKey,
      valid_from: key.validFrom,
      valid_until: key.validUntil ?? null,
      revoked: key.state === 'revoked',
      trusted_log_size: key.trustedLogSize ?? null,
    }));

export const presentServiceDid = (
  identity: ServiceIdentity,
  checkpointOrigin: string,
  nowMs: number,
  former: Continuations = { dids: [], origins: [] },
): Static<typeof ServiceDid> => {
  const credentialKey = activeKey(identity, 'credential');
  return {
    did: identity.did,
    didDocument: serviceDidDocument(identity),
    did_key: `did:key:${credentialKey.publicKey}`,
    kid: serviceKid(identity.did, credentialKey),
    retired_keys: presentRetired(identity),
    checkpoint_origin: checkpointOrigin,
    log_public_key: activeKey(identity, 'log').publicKey,
    webhook_public_key: activeKey(identity, 'webhook').publicKey,
    webhook_public_keys: webhookKeysAt(identity, nowMs).map(webhookPublicKey),
    ucan_did: `did:key:${activeKey(identity, 'ucan').publicKey}`,
    former_dids: former.dids,
    former_checkpoint_origins: former.origins,
  };
};
