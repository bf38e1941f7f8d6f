import Type from 'typebox';
import { AppError } from '../contract/errors.ts';
import { type AnyOperation, operation } from '../contract/operation.ts';
import { DidError, parseDid } from '../identity/did.ts';
import type { DidDocument as Document } from '../identity/did-document.ts';
import { didWebUrl } from '../identity/did-web.ts';
import type { Resolver } from '../identity/resolver.ts';
import {
  activeKey,
  type ServiceIdentity,
  serviceDidDocument,
  serviceKid,
} from '../identity/service-document.ts';
import { Nullable, OneOf, Timestamp } from '../presenters/common.ts';
import { DidDocument, resolveDidOperation } from './resolve-did.ts';

export type DidPorts = {
  /** The service's identity in force. */
  identity: () => ServiceIdentity;
  resolver: Resolver;
  /** Name of the log, the first line of its checkpoints. */
  checkpointOrigin: string;
};

const multikey = (of: string) =>
  Type.String({ description: `Ed25519 Multikey, \`z6Mk…\`: ${of}.` });

const RetiredKey = Type.Object({
  kid: Type.String(),
  purpose: OneOf(['credential', 'ucan', 'log', 'webhook']),
  publicKeyMultibase: Type.String(),
  valid_from: Timestamp,
  valid_until: Nullable(Timestamp),
  revoked: Type.Boolean({ description: 'Its private part may be in other hands.' }),
  trusted_log_size: Nullable(
    Type.Integer({
      description: 'Of a revoked key: what it signed counts for leaves of the log below this only.',
    }),
  ),
});

const ServiceDid = Type.Object(
  {
    did: Type.String({ description: 'Issues the credentials.' }),
    didDocument: DidDocument,
    did_key: Type.String({ description: 'did:key of the key that signs credentials now.' }),
    kid: Type.String({ description: 'The `kid` of credentials signed now.' }),
    retired_keys: Type.Array(RetiredKey),
    checkpoint_origin: Type.String({ description: 'First line of the checkpoints of the log.' }),
    log_public_key: multikey('signs checkpoints'),
    webhook_public_key: multikey('signs webhooks, v1a'),
    ucan_did: Type.String({ description: 'Issues UCAN roots; always a did:key.' }),
  },
  { title: 'ServiceDid' },
);

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

/** Where the document of a did:web lies; undefined for other DIDs and for hosts without a domain. */
export const documentUrlOf = (did: string): string | undefined => {
  try {
    return didWebUrl(parseDid(did));
  } catch (error) {
    if (error instanceof DidError) return undefined;
    throw error;
  }
};

const documentAt = (identity: ServiceIdentity, isHere: (path: string) => boolean): Document => {
  const { did } = identity;
  const url = documentUrlOf(did);
  if (url !== undefined && isHere(new URL(url).pathname)) return serviceDidDocument(identity);
  const where =
    url === undefined
      ? 'GET /api/identity/service-did has its document; with an https BASE_URL it is a did:web'
      : `its document is at ${url}`;
  throw new AppError('did_not_found', `The DID of this service is ${did}; ${where}.`);
};

const wellKnown = '/.well-known/did.json';

/** The document where a did:web leads to: every site may read it, whatever CORS the service has else. */
const didJsonOperation = (
  { identity }: DidPorts,
  about: { name: string; path: string; summary: string; isHere: (path: string) => boolean },
): AnyOperation =>
  operation({
    name: about.name,
    method: 'GET',
    path: about.path,
    tag: 'Identity',
    summary: about.summary,
    access: 'public',
    input: {},
    responses: { 200: { description: 'DID document', schema: DidDocument } },
    errors: ['did_not_found'],
    handle: () => ({
      body: documentAt(identity(), about.isHere),
      headers: { 'Access-Control-Allow-Origin': '*', 'Cache-Control': 'public, max-age=60' },
    }),
  });

export const didOperations = (ports: DidPorts): AnyOperation[] => [
  resolveDidOperation(ports.resolver),
  operation({
    name: 'service_did',
    method: 'GET',
    path: '/api/identity/service-did',
    tag: 'Identity',
    summary: "The service's DID, its document and its keys",
    description:
      'The root of trust: which keys sign credentials, checkpoints, webhooks and UCAN roots, and which once did.',
    access: 'public',
    input: {},
    responses: { 200: { description: 'DID, document and keys', schema: ServiceDid } },
    errors: [],
    handle() {
      const identity = ports.identity();
      const credentialKey = activeKey(identity, 'credential');
      return {
        body: {
          did: identity.did,
          didDocument: serviceDidDocument(identity),
          did_key: `did:key:${credentialKey.publicKey}`,
          kid: serviceKid(identity.did, credentialKey),
          retired_keys: presentRetired(identity),
          checkpoint_origin: ports.checkpointOrigin,
          log_public_key: activeKey(identity, 'log').publicKey,
          webhook_public_key: activeKey(identity, 'webhook').publicKey,
          ucan_did: `did:key:${activeKey(identity, 'ucan').publicKey}`,
        },
      };
    },
  }),
  didJsonOperation(ports, {
    name: 'did_json',
    path: wellKnown,
    summary: "Document of the service's did:web",
    isHere: (path) => path === wellKnown,
  }),
  didJsonOperation(ports, {
    name: 'did_json_under_path',
    path: '/did.json',
    summary: "Document of the service's did:web, where BASE_URL has a path",
    isHere: (path) => path !== wellKnown,
  }),
];
