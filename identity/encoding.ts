/**
 * Binary to text and back: base58btc, base32 (RFC 4648, lower case) and base64url, each without padding.
 * Decoding is strict: one byte string has exactly one text, so that nothing signed can be re-spelt.
 */

export class EncodingError extends Error {
  constructor(what: string) {
    super(what);
    this.name = 'EncodingError';
  }
}

const base58Alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const base32Alphabet = 'abcdefghijklmnopqrstuvwxyz234567';
/** The conversion is quadratic: longer text is no key, hash or address. */
const maxBase58Chars = 1_024;

const digitsOf = (alphabet: string): Map<string, number> =>
  new Map([...alphabet].map((letter, digit) => [letter, digit]));
const base58Digits = digitsOf(base58Alphabet);
const base32Digits = digitsOf(base32Alphabet);

/** base58btc. */
export const toBase58 = (bytes: Uint8Array): string => {
  const digits: number[] = [];
  for (const byte of bytes) {
    let carry = byte;
    for (let i = 0; i < digits.length; i++) {
      carry += (digits[i] as number) * 256;
      digits[i] = carry % 58;
      carry = Math.floor(carry / 58);
    }
    for (; carry > 0; carry = Math.floor(carry / 58)) digits.push(carry % 58);
  }
  const zeros = bytes.findIndex((byte) => byte !== 0);
  const leading = '1'.repeat(zeros < 0 ? bytes.length : zeros);
  return (
    leading +
    digits
      .reverse()
      .map((digit) => base58Alphabet[digit])
      .join('')
  );
};

/** @throws EncodingError */
export const fromBase58 = (text: string): Buffer => {
  if (text.length > maxBase58Chars) throw new EncodingError('the base58 text is too long');
  const bytes: number[] = [];
  for (const letter of text) {
    let carry = base58Digits.get(letter);
    if (carry === undefined) throw new EncodingError('a character is not of the base58 alphabet');
    for (let i = 0; i < bytes.length; i++) {
      carry += (bytes[i] as number) * 58;
      bytes[i] = carry & 0xff;
      carry >>= 8;
    }
    for (; carry > 0; carry >>= 8) bytes.push(carry & 0xff);
  }
  const zeros = /^1*/.exec(text)?.[0].length ?? 0;
  return Buffer.concat([Buffer.alloc(zeros), Buffer.from(bytes.reverse())]);
};

export const toBase32 = (bytes: Uint8Array): string => {
  let text = '';
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = (value << 8) | byte;
    for (bits += 8; bits >= 5; bits -= 5) text += base32Alphabet[(value >>> (bits - 5)) & 31];
    value &= (1 << bits) - 1;
  }
  return bits === 0 ? text : text + base32Alphabet[(value << (5 - bits)) & 31];
};

/** @throws EncodingError */
export const fromBase32 = (text: string): Buffer => {
  const bytes: number[] = [];
  let bits = 0;
  let value = 0;
  for (const letter of text) {
    const digit = base32Digits.get(letter);
    if (digit === undefined) throw new EncodingError('a character is not of the base32 alphabet');
    value = (value << 5) | digit;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((value >>> bits) & 0xff);
    value &= (1 << bits) - 1;
  }
  const decoded = Buffer.from(bytes);
  if (toBase32(decoded) !== text) throw new EncodingError('the base32 text is not canonical');
  return decoded;
};

export const toBase64Url = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64url');

/** @throws EncodingError for padding, other characters or trailing bits */
export const fromBase64Url = (text: string): Buffer => {
  const decoded = Buffer.from(text, 'base64url');
  if (decoded.toString('base64url') !== text) {
    throw new EncodingError('the base64url text is not canonical');
  }
  return decoded;
};
