/** Content identifiers of tokens. Source: UCAN 0.10.0 §6.5; the multiformats tables. */
import { hash } from 'node:crypto';
import { blake3 } from '@noble/hashes/blake3';
import { EncodingError, fromBase32, toBase32 } from '../encoding.ts';

/** CIDv1, raw codec, sha2-256, 32 bytes. */
const prefix = Buffer.from([0x01, 0x55, 0x12, 0x20]);

/** The canonical CID of an encoded token: `bafkrei…`, 59 characters. */
export const cidOf = (token: string): string =>
  `b${toBase32(Buffer.concat([prefix, hash('sha256', token, 'buffer')]))}`;

/** CIDv1, raw codec, blake3, 32 bytes. */
const blake3Prefix = Buffer.from([0x01, 0x55, 0x1e, 0x20]);

/** The CID under which other implementations may name the same token: `bafkr4i…`. */
export const blake3CidOf = (token: string): string =>
  `b${toBase32(Buffer.concat([blake3Prefix, blake3(Buffer.from(token))]))}`;

/** Whether the CID is one of blake3, as above. */
export const isBlake3Cid = (cid: string): boolean => cid.startsWith('bafkr4i') && cid.length === 59;

/** Whether the CID is one of the token. */
export const isCidOf = (cid: string, token: string): boolean =>
  cid === (isBlake3Cid(cid) ? blake3CidOf(token) : cidOf(token));

/** The same bytes in base32: their bits end in the eighth letter, and the last one has two to spare. */
const canonical = /^bafkrei[a-h][a-z2-7]{50}[aeimquy4]$/;

/** Whether the CID is the canonical one, of sha2-256. */
export const isCanonicalCid = (cid: string): boolean => canonical.test(cid);

/** Reads a varint; undefined when there is none. */
const varint = (bytes: Buffer, at: number): { value: number; end: number } | undefined => {
  let value = 0;
  for (let i = 0; i < 4; i++) {
    const byte = bytes[at + i];
    if (byte === undefined) return undefined;
    value += (byte & 0x7f) * 128 ** i;
    if (byte < 0x80) return { value, end: at + i + 1 };
  }
  return undefined;
};

/** Whether the text is a CIDv1 in base32, of whatever codec and hash. */
export const isCid = (text: string): boolean => {
  if (isCanonicalCid(text)) return true;
  if (!text.startsWith('b') || text.length > 128) return false;
  let bytes: Buffer;
  try {
    bytes = fromBase32(text.slice(1));
  } catch (error) {
    if (error instanceof EncodingError) return false;
    throw error;
  }
  const version = varint(bytes, 0);
  const codec = version && varint(bytes, version.end);
  const hashName = codec && varint(bytes, codec.end);
  const length = hashName && varint(bytes, hashName.end);
  return version?.value === 1 && length !== undefined && bytes.length === length.end + length.value;
};
