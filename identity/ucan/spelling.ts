/**
 * A token whose key signs with ECDSA can be written in two ways: of a signature (r, s) anybody can make
 * (r, n − s), which is as valid. The two have different CIDs and say the same, so what is decided by CID
 * (revoked, used up, counted) is decided for both. Both are taken: WebCrypto signs with either.
 * Ed25519 has no second form. Source: SEC 1 §4.1; orders of the curves from SEC 2.
 */
import { toBase64Url } from '../encoding.ts';
import { cidOf } from './cid.ts';
import type { Ucan } from './token.ts';

const orders: Record<string, bigint> = {
  ES256: 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n,
  ES256K: 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n,
  ES384:
    0xffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973n,
};

/** CIDs under which the token is known: its own, then that of its other spelling. */
export const cidsOf = ({ alg, cid, jwt }: Ucan): string[] => {
  const order = Object.hasOwn(orders, alg) ? orders[alg] : undefined;
  const half = jwt.signature.length / 2;
  if (order === undefined || half !== (alg === 'ES384' ? 48 : 32)) return [cid];
  const s = order - BigInt(`0x${jwt.signature.subarray(half).toString('hex')}`);
  if (s <= 0n) return [cid];
  const other = Buffer.from(s.toString(16).padStart(2 * half, '0'), 'hex');
  const signature = Buffer.concat([jwt.signature.subarray(0, half), other]);
  return [cid, cidOf(`${jwt.signingInput}.${toBase64Url(signature)}`)];
};

/** The one CID under which uses of the token are counted, however it is spelt. */
export const countedCidOf = (ucan: Ucan): string => {
  const [cid = ucan.cid, other = cid] = cidsOf(ucan);
  return other < cid ? other : cid;
};
