/** UCANs that are signed with a key of a curve whose signatures come in twos. */
import { createECDH, createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { type KeyType, multikeyOf } from '../../identity/keys.ts';
import { cidOf } from '../../identity/ucan/cid.ts';
import { type UcanPayload, ucanVersion } from '../../identity/ucan/token.ts';

const curves = {
  ES256: {
    type: 'P-256',
    name: 'prime256v1',
    hash: 'sha256',
    bytes: 32,
    order: 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n,
  },
  ES256K: {
    type: 'secp256k1',
    name: 'secp256k1',
    hash: 'sha256',
    bytes: 32,
    order: 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n,
  },
  ES384: {
    type: 'P-384',
    name: 'secp384r1',
    hash: 'sha384',
    bytes: 48,
    order:
      0xffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973n,
  },
} as const;

type EcdsaAlg = keyof typeof curves;

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A new key, its DID, and what it signs. */
export const ecdsaIssuer = (alg: EcdsaAlg) => {
  const { type, name, hash, bytes } = curves[alg];
  const ecdh = createECDH(name);
  ecdh.generateKeys();
  const point = ecdh.getPublicKey();
  const d = Buffer.concat([Buffer.alloc(bytes), ecdh.getPrivateKey()]).subarray(-bytes);
  const coordinate = (at: number) => point.subarray(at, at + bytes).toString('base64url');
  const key: KeyObject = createPrivateKey({
    format: 'jwk',
    key: {
      kty: 'EC',
      crv: type,
      d: d.toString('base64url'),
      x: coordinate(1),
      y: coordinate(1 + bytes),
    },
  });
  const compressed = Buffer.from(ecdh.getPublicKey('hex', 'compressed'), 'hex');
  const did = `did:key:${multikeyOf({ type: type as KeyType, bytes: compressed })}`;
  const issue = (payload: Omit<UcanPayload, 'ucv' | 'iss'>): { token: string; cid: string } => {
    const whole = { ...payload, iss: did, ucv: ucanVersion };
    const input = `${encode({ alg, typ: 'JWT' })}.${encode(whole)}`;
    const signature = sign(hash, Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' });
    const token = `${input}.${signature.toString('base64url')}`;
    return { token, cid: cidOf(token) };
  };
  return { did, issue };
};

/** The same token with the other signature that anybody can make of the one it has. */
export const respelt = (alg: EcdsaAlg, token: string): { token: string; cid: string } => {
  const { order, bytes } = curves[alg];
  const end = token.lastIndexOf('.') + 1;
  const signature = Buffer.from(token.slice(end), 'base64url');
  const s = order - BigInt(`0x${signature.subarray(bytes).toString('hex')}`);
  const other = Buffer.from(s.toString(16).padStart(2 * bytes, '0'), 'hex');
  const changed = Buffer.concat([signature.subarray(0, bytes), other]).toString('base64url');
  const text = token.slice(0, end) + changed;
  return { token: text, cid: cidOf(text) };
};
