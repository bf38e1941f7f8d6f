/**
 * Whether an account address of a blockchain is one, its checksum included.
 * Sources: CAIP-2 and CAIP-10 profiles of bip122 and tezos; BIP 173 and 350 (bech32, bech32m); EIP-55.
 */
import { createHash } from 'node:crypto';
import { keccak_256 } from '@noble/hashes/sha3';
import { EncodingError, fromBase58 } from './encoding.ts';

const sha256 = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest();

/** The bytes of base58 text; undefined for other text. */
export const readBase58 = (text: string): Buffer | undefined => {
  try {
    return fromBase58(text);
  } catch (error) {
    if (error instanceof EncodingError) return undefined;
    throw error;
  }
};

/** The bytes of base58check text before its 4-byte checksum; undefined for other text. */
const readBase58Check = (text: string): Buffer | undefined => {
  const bytes = readBase58(text);
  if (bytes === undefined || bytes.length < 5) return undefined;
  const payload = bytes.subarray(0, -4);
  const checksum = sha256(sha256(payload)).subarray(0, 4);
  return checksum.equals(bytes.subarray(-4)) ? payload : undefined;
};

const bech32Alphabet = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const generators = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];
const bech32Constant = 1;
const bech32mConstant = 0x2bc830a3;

const polymod = (values: number[]): number => {
  let checksum = 1;
  for (const value of values) {
    const top = checksum >>> 25;
    checksum = ((checksum & 0x1ffffff) << 5) ^ value;
    for (const [bit, generator] of generators.entries()) {
      if ((top >>> bit) & 1) checksum ^= generator;
    }
  }
  return checksum;
};

const codeUnits = (text: string): number[] => [...text].map((letter) => letter.charCodeAt(0));

const expandPrefix = (prefix: string): number[] => [
  ...codeUnits(prefix).map((code) => code >>> 5),
  0,
  ...codeUnits(prefix).map((code) => code & 31),
];

/** Number of bytes that 5-bit groups hold; undefined when their padding is not as it must be. */
const bytesIn = (groups: number[]): number | undefined => {
  const spareBits = (groups.length * 5) % 8;
  const last = groups.at(-1) ?? 0;
  if (spareBits > 4 || (last & ((1 << spareBits) - 1)) !== 0) return undefined;
  return Math.floor((groups.length * 5) / 8);
};

/** The prefix of a segwit address that is one; undefined otherwise. */
const segwitPrefix = (text: string): string | undefined => {
  if (text.length > 90 || (text !== text.toLowerCase() && text !== text.toUpperCase())) {
    return undefined;
  }
  const address = text.toLowerCase();
  const separator = address.lastIndexOf('1');
  const prefix = address.slice(0, Math.max(separator, 0));
  if (!/^[\x21-\x7e]+$/.test(prefix)) return undefined;
  const data = [...address.slice(separator + 1)].map((letter) => bech32Alphabet.indexOf(letter));
  if (data.length < 7 || data.includes(-1)) return undefined;
  const [version = 0] = data;
  const constant = version === 0 ? bech32Constant : bech32mConstant;
  if (polymod([...expandPrefix(prefix), ...data]) !== constant || version > 16) return undefined;
  const length = bytesIn(data.slice(1, -6));
  const fits =
    length !== undefined &&
    (version === 0 ? length === 20 || length === 32 : length >= 2 && length <= 40);
  return fits ? prefix : undefined;
};

/** Version bytes of pay-to-key-hash and pay-to-script-hash addresses, and the prefix of segwit ones. */
const chains: Record<string, { versions: number[]; prefix?: string }> = {
  // Bitcoin, its testnet 3, Litecoin, Dogecoin
  '000000000019d6689c085ae165831e93': { versions: [0x00, 0x05], prefix: 'bc' },
  '000000000933ea01ad0ee984209779ba': { versions: [0x6f, 0xc4], prefix: 'tb' },
  '12a765e31ffd4059bada1e25190f6e98': { versions: [0x30, 0x32, 0x05], prefix: 'ltc' },
  '1a91e3dace36e2be3bf030a65679fe82': { versions: [0x1e, 0x16] },
};

/** @param chain first 32 hex digits of the hash of its genesis block; of others any version is taken */
export const isBip122Address = (chain: string, address: string): boolean => {
  const known = Object.hasOwn(chains, chain) ? chains[chain] : undefined;
  const payload = readBase58Check(address);
  if (payload !== undefined) {
    const [version = -1] = payload;
    return payload.length === 21 && (known === undefined || known.versions.includes(version));
  }
  const prefix = segwitPrefix(address);
  return prefix !== undefined && (known === undefined || known.prefix === prefix);
};

const tezosPrefixes = { '06a19f': 'tz1', '06a1a1': 'tz2', '06a1a4': 'tz3' } as const;
export type TezosKind = (typeof tezosPrefixes)[keyof typeof tezosPrefixes];

/** Ed25519 (tz1), secp256k1 (tz2) or P-256 (tz3); undefined when it is no address of a key. */
export const tezosKind = (address: string): TezosKind | undefined => {
  const payload = readBase58Check(address);
  if (payload?.length !== 23) return undefined;
  const prefix = payload.toString('hex', 0, 3);
  return Object.hasOwn(tezosPrefixes, prefix)
    ? tezosPrefixes[prefix as keyof typeof tezosPrefixes]
    : undefined;
};

/** In lower case, or with its EIP-55 checksum: a letter is upper case where the hash of the address has 8 or more. */
export const isEip155Address = (address: string): boolean => {
  if (!/^0x[0-9a-fA-F]{40}$/.test(address)) return false;
  const digits = address.slice(2);
  const lower = digits.toLowerCase();
  if (digits === lower) return true;
  const hash = Buffer.from(keccak_256(lower)).toString('hex');
  const marked = [...lower].map((digit, at) =>
    Number.parseInt(hash[at] ?? '', 16) >= 8 ? digit.toUpperCase() : digit,
  );
  return digits === marked.join('');
};
