/**
 * DID documents: their form, their limits, and the key that a signature names.
 * Sources: W3C Decentralized Identifiers 1.0 §5; W3C Controlled Identifiers 1.0 (Multikey, JsonWebKey).
 */
import { EncodingError, fromBase58, fromBase64Url } from './encoding.ts';
import {
  KeyError,
  type KeyType,
  type PublicKey,
  publicJwk,
  publicKeyFromMultikey,
  publicKeyOf,
} from './keys.ts';

const relationships = [
  'authentication',
  'assertionMethod',
  'capabilityDelegation',
  'capabilityInvocation',
  'keyAgreement',
] as const;
export type Relationship = (typeof relationships)[number];

export type VerificationMethod = {
  id: string;
  type: string;
  controller: string;
  publicKeyMultibase?: string;
  publicKeyBase58?: string;
  publicKeyJwk?: Record<string, unknown>;
  blockchainAccountId?: string;
  /** Instants after which signatures no longer count. */
  expires?: string;
  revoked?: string;
};

export type DidDocument = {
  '@context'?: unknown;
  id: string;
  alsoKnownAs?: string[];
  verificationMethod?: VerificationMethod[];
} & { [name in Relationship]?: (string | VerificationMethod)[] };

const maxDepth = 12;
const maxMethods = 100;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isDeep = (value: unknown, depth: number): boolean => {
  if (typeof value !== 'object' || value === null) return false;
  return depth === 0 || Object.values(value).some((inner) => isDeep(inner, depth - 1));
};

/** The id of a method in full; `#fragment` is short for one under the DID. */
const absolute = (did: string, id: string): string => (id.startsWith('#') ? `${did}${id}` : id);

const isUnder = (did: string, id: unknown): id is string =>
  typeof id === 'string' &&
  absolute(did, id).startsWith(`${did}#`) &&
  absolute(did, id).length > did.length + 1;

const methodFault = (did: string, method: unknown): string | undefined => {
  if (!isObject(method)) return 'a verification method is not an object';
  if (!isUnder(did, method.id)) return `the id of a verification method is not under ${did}`;
  if (typeof method.type !== 'string') return 'a verification method has no type';
  if (typeof method.controller !== 'string') return 'a verification method has no controller';
  return undefined;
};

/** The problem of a document whose `id` was checked, in a sentence; undefined if there is no problem. */
export const documentFault = (document: DidDocument): string | undefined => {
  if (isDeep(document, maxDepth)) return `the DID document is nested more than ${maxDepth} deep`;
  const { id: did, verificationMethod = [] } = document;
  const lists = [verificationMethod, ...relationships.map((name) => document[name] ?? [])];
  if (!lists.every(Array.isArray)) return 'the verification methods are not in arrays';
  if (lists.some((list) => list.length > maxMethods)) {
    return `the DID document has more than ${maxMethods} verification methods`;
  }
  const embedded = lists
    .slice(1)
    .flat()
    .filter((entry) => typeof entry !== 'string');
  const methods = [...verificationMethod, ...(embedded as VerificationMethod[])];
  for (const method of methods) {
    const fault = methodFault(did, method);
    if (fault !== undefined) return fault;
  }
  const ids = new Set(methods.map((method) => absolute(did, method.id)));
  return ids.size === methods.length ? undefined : 'two verification methods have the same id';
};

const curveTypes: Record<string, KeyType> = {
  'OKP Ed25519': 'Ed25519',
  'EC P-256': 'P-256',
  'EC P-384': 'P-384',
  'EC secp256k1': 'secp256k1',
};

const keyOfJwk = (jwk: unknown): PublicKey | undefined => {
  if (!isObject(jwk) || 'd' in jwk || jwk.use === 'enc') return undefined;
  const name = `${jwk.kty} ${jwk.crv}`;
  const type = Object.hasOwn(curveTypes, name) ? curveTypes[name] : undefined;
  if (type === undefined || typeof jwk.x !== 'string') return undefined;
  const x = fromBase64Url(jwk.x);
  if (type === 'Ed25519') return publicKeyOf(type, x);
  if (typeof jwk.y !== 'string') return undefined;
  const odd = (fromBase64Url(jwk.y).at(-1) ?? 0) & 1;
  const publicKey = publicKeyOf(type, Buffer.concat([Buffer.from([2 + odd]), x]));
  return publicJwk(publicKey).y === jwk.y ? publicKey : undefined;
};

type ReadKey = (method: VerificationMethod) => PublicKey | undefined;

const fromMultibase: ReadKey = ({ publicKeyMultibase }) =>
  typeof publicKeyMultibase === 'string' ? publicKeyFromMultikey(publicKeyMultibase) : undefined;
const fromJwk: ReadKey = ({ publicKeyJwk }) => keyOfJwk(publicKeyJwk);
const fromRawBase58: ReadKey = ({ publicKeyBase58 }) =>
  typeof publicKeyBase58 === 'string'
    ? publicKeyOf('Ed25519', fromBase58(publicKeyBase58))
    : undefined;
const ofEd25519 =
  (read: ReadKey): ReadKey =>
  (method) => {
    const publicKey = read(method);
    return publicKey?.type === 'Ed25519' ? publicKey : undefined;
  };

/** How the types of verification methods carry their key. */
const readers: Record<string, ReadKey> = {
  Multikey: fromMultibase,
  JsonWebKey: fromJwk,
  JsonWebKey2020: fromJwk,
  Ed25519VerificationKey2018: ofEd25519((method) =>
    method.publicKeyBase58 === undefined ? fromJwk(method) : fromRawBase58(method),
  ),
  Ed25519VerificationKey2020: ofEd25519(fromMultibase),
};

type KeyRefusal =
  | 'not_listed'
  | 'ambiguous'
  | 'wrong_relationship'
  | 'controlled_by_another'
  | 'unsupported_type'
  | 'invalid_key'
  | 'revoked'
  | 'expired';

type FoundKey =
  | { publicKey: PublicKey; method: VerificationMethod }
  | { publicKey?: undefined; reason: KeyRefusal; detail: string };

const refusals: Record<KeyRefusal, string> = {
  not_listed: 'the DID document lists no such key',
  ambiguous: 'the token names no key and the DID document has more than one for this',
  wrong_relationship: 'the DID document lists the key, but not for this purpose',
  controlled_by_another: 'the key is controlled by another DID',
  unsupported_type: 'keys of this type are not supported',
  invalid_key: 'the key in the DID document is not a valid public key',
  revoked: 'the key was revoked',
  expired: 'the key had expired at the time of signing',
};

const refused = (reason: KeyRefusal): FoundKey => ({ reason, detail: refusals[reason] });

const readKey = (method: VerificationMethod): FoundKey => {
  const read = Object.hasOwn(readers, method.type) ? readers[method.type] : undefined;
  if (read === undefined) return refused('unsupported_type');
  try {
    const publicKey = read(method);
    return publicKey === undefined ? refused('invalid_key') : { publicKey, method };
  } catch (error) {
    if (!(error instanceof KeyError || error instanceof EncodingError)) throw error;
    const unsupported = error instanceof KeyError && error.code === 'unsupportedPublicKeyType';
    return refused(unsupported ? 'unsupported_type' : 'invalid_key');
  }
};

/** A revocation always counts, `expires` at the time of signing. An invalid instant ends the key, too. */
const validityRefusal = (method: VerificationMethod, signedAtMs: number | undefined) => {
  if (method.revoked !== undefined) return 'revoked' as const;
  if (method.expires === undefined || signedAtMs === undefined) return undefined;
  return signedAtMs <= Date.parse(method.expires) ? undefined : ('expired' as const);
};

/** The methods of a relationship, references followed; those of other DIDs are left out. */
const methodsFor = (document: DidDocument, relationship: Relationship): VerificationMethod[] => {
  const { id: did, verificationMethod = [] } = document;
  const methods = (document[relationship] ?? []).flatMap((entry) => {
    if (typeof entry !== 'string') return [entry];
    const id = absolute(did, entry);
    return verificationMethod.filter((method) => absolute(did, method.id) === id);
  });
  return [...new Set(methods)];
};

/**
 * The public key under which a signature has to be judged.
 * @param kid `did:…#key` or `#key`; undefined where the token names none: then the only one there is
 * @param signedAtMs when it was signed (`nbf`, `iat`); a key with `expires` before that is refused
 * @returns the key with its method, or why there is none
 */
export const findVerificationKey = (
  document: DidDocument,
  kid: string | undefined,
  relationship: Relationship,
  signedAtMs?: number,
): FoundKey => {
  const { id: did, verificationMethod = [] } = document;
  const candidates = methodsFor(document, relationship);
  const matches =
    kid === undefined
      ? candidates
      : candidates.filter((method) => absolute(did, method.id) === absolute(did, kid));
  if (matches.length > 1) return refused('ambiguous');
  const [method] = matches;
  if (method === undefined) {
    const listed = verificationMethod.find(
      ({ id }) => kid !== undefined && absolute(did, id) === absolute(did, kid),
    );
    if (listed === undefined) return refused('not_listed');
    return refused(listed.revoked === undefined ? 'wrong_relationship' : 'revoked');
  }
  if (method.controller !== did) return refused('controlled_by_another');
  const invalid = validityRefusal(method, signedAtMs);
  return invalid === undefined ? readKey(method) : refused(invalid);
};
