/**
 * Public keys as `Multikey` names them, and Ed25519 signing keys.
 * Sources: the multicodec table; did:key v0.9; W3C Controlled Identifiers 1.0, "Multikey".
 */
import {
  createPrivateKey,
  createPublicKey,
  ECDH,
  type KeyObject,
  sign as signBytes,
  verify as verifyBytes,
} from 'node:crypto';
import { isEd25519Point, isX25519Key } from './ed25519-point.ts';
import { EncodingError, fromBase58, toBase58, toBase64Url } from './encoding.ts';

export type KeyType = 'Ed25519' | 'secp256k1' | 'P-256' | 'P-384' | 'X25519';
type SignatureAlg = 'EdDSA' | 'ES256K' | 'ES256' | 'ES384';

/** `bytes`: the raw key, points compressed. */
export type PublicKey = { type: KeyType; bytes: Buffer; key: KeyObject };

export type SigningKey = {
  publicKey: PublicKey;
  /** `z6Mk…` */
  multikey: string;
  /** `did:key:z6Mk…` */
  did: string;
  sign(data: string | Uint8Array): Buffer;
  /** The same on another thread. */
  signInPool(data: Uint8Array): Promise<Buffer>;
};

export class KeyError extends Error {
  readonly code: 'invalidPublicKey' | 'invalidPublicKeyLength' | 'unsupportedPublicKeyType';
  constructor(code: KeyError['code'], message: string) {
    super(message);
    this.name = 'KeyError';
    this.code = code;
  }
}

type Kind = {
  /** The multicodec, as the varint that stands before the key. */
  codec: number[];
  /** Length of the raw key in bytes. */
  bytes: number;
  /** OpenSSL's name of an elliptic curve whose points have two coordinates. */
  curve?: string;
  alg?: SignatureAlg;
  hash?: string;
};

const kinds: Record<KeyType, Kind> = {
  Ed25519: { codec: [0xed, 0x01], bytes: 32, alg: 'EdDSA' },
  secp256k1: { codec: [0xe7, 0x01], bytes: 33, curve: 'secp256k1', alg: 'ES256K', hash: 'sha256' },
  'P-256': { codec: [0x80, 0x24], bytes: 33, curve: 'prime256v1', alg: 'ES256', hash: 'sha256' },
  'P-384': { codec: [0x81, 0x24], bytes: 49, curve: 'secp384r1', alg: 'ES384', hash: 'sha384' },
  X25519: { codec: [0xec, 0x01], bytes: 32 },
};

/** JWS algorithm of a key type. X25519 does not sign. */
export const algOf = (type: KeyType): SignatureAlg | undefined => kinds[type].alg;

/** The key as a JWK. */
const jwkOf = (type: KeyType, bytes: Buffer): Record<string, string> => {
  const { curve } = kinds[type];
  if (curve === undefined) return { kty: 'OKP', crv: type, x: toBase64Url(bytes) };
  const point = ECDH.convertKey(bytes, curve, undefined, undefined, 'uncompressed') as Buffer;
  const half = (point.length - 1) / 2;
  return {
    kty: 'EC',
    crv: type,
    x: toBase64Url(point.subarray(1, 1 + half)),
    y: toBase64Url(point.subarray(1 + half)),
  };
};

/** @throws KeyError invalidPublicKeyLength, invalidPublicKey (not a usable point of the curve) */
export const publicKeyOf = (type: KeyType, bytes: Uint8Array): PublicKey => {
  const raw = Buffer.from(bytes);
  const publicKey = fromRaw(type, raw);
  if (type === 'Ed25519' && !isEd25519Point(raw)) {
    throw new KeyError('invalidPublicKey', 'the bytes are not a usable point of Ed25519');
  }
  if (type === 'X25519' && !isX25519Key(raw)) {
    throw new KeyError('invalidPublicKey', 'the bytes are a key of X25519 that agrees on nothing');
  }
  return publicKey;
};

/** OpenSSL checks points of the curves that have two coordinates, none of Ed25519. */
const fromRaw = (type: KeyType, raw: Buffer): PublicKey => {
  const expected = kinds[type].bytes;
  if (raw.length !== expected) {
    throw new KeyError(
      'invalidPublicKeyLength',
      `a ${type} public key has ${expected} bytes, this one has ${raw.length}`,
    );
  }
  try {
    const key = createPublicKey({ key: jwkOf(type, raw), format: 'jwk' });
    return { type, bytes: raw, key };
  } catch {
    throw new KeyError('invalidPublicKey', `the bytes are not a point of ${type}`);
  }
};

/** Keys that were read before: checking a point takes longer than checking a signature. */
const readBefore = new Map<string, PublicKey>();
const maxReadBefore = 4_096;

/** @throws KeyError, EncodingError */
export const publicKeyFromMultikey = (multikey: string): PublicKey => {
  const known = readBefore.get(multikey);
  if (known) return known;
  const publicKey = readMultikey(multikey);
  if (readBefore.size >= maxReadBefore) readBefore.clear();
  readBefore.set(multikey, publicKey);
  return publicKey;
};

const readMultikey = (multikey: string): PublicKey => {
  if (!multikey.startsWith('z'))
    throw new EncodingError('a Multikey is base58btc and starts with z');
  const bytes = fromBase58(multikey.slice(1));
  for (const [type, { codec }] of Object.entries(kinds)) {
    if (codec.every((byte, index) => bytes[index] === byte)) {
      return publicKeyOf(type as KeyType, bytes.subarray(codec.length));
    }
  }
  throw new KeyError('unsupportedPublicKeyType', 'the multicodec of the key is not supported');
};

/** `z…`: base58btc of multicodec and key. */
export const multikeyOf = ({ type, bytes }: Pick<PublicKey, 'type' | 'bytes'>): string =>
  `z${toBase58(Buffer.concat([Buffer.from(kinds[type].codec), bytes]))}`;

/** Public part of the key as a JWK (RFC 7517, RFC 8037). */
export const publicJwk = ({ type, bytes }: PublicKey): Record<string, string> => jwkOf(type, bytes);

/** Whether `signature` is one of `data` by the key. An algorithm of another kind of key never is. */
export const verifySignature = (
  { type, key }: PublicKey,
  alg: string,
  data: string | Uint8Array,
  signature: Uint8Array,
): boolean => {
  const kind = kinds[type];
  if (kind.alg === undefined || kind.alg !== alg) return false;
  const bytes = typeof data === 'string' ? Buffer.from(data) : data;
  try {
    return kind.hash === undefined
      ? verifyBytes(null, bytes, key, signature)
      : verifyBytes(kind.hash, bytes, { key, dsaEncoding: 'ieee-p1363' }, signature);
  } catch {
    return false;
  }
};

/** PKCS #8 of an Ed25519 private key, up to the seed (RFC 8410 §7). */
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex');

/** A signing key from its 32-byte seed. Ed25519 is deterministic: the same data, the same signature. */
export const ed25519FromSeed = (seed: Uint8Array): SigningKey => {
  if (seed.length !== 32) throw new RangeError('the seed of an Ed25519 key has 32 bytes');
  const key = createPrivateKey({
    key: Buffer.concat([pkcs8Prefix, seed]),
    format: 'der',
    type: 'pkcs8',
  });
  const { x } = createPublicKey(key).export({ format: 'jwk' });
  const publicKey = fromRaw('Ed25519', Buffer.from(String(x), 'base64url'));
  const multikey = multikeyOf(publicKey);
  return {
    publicKey,
    multikey,
    did: `did:key:${multikey}`,
    sign: (data) => signBytes(null, typeof data === 'string' ? Buffer.from(data) : data, key),
    signInPool: (data) =>
      new Promise((resolve, reject) => {
        signBytes(null, data, key, (error, signature) =>
          error ? reject(error) : resolve(signature),
        );
      }),
  };
};
