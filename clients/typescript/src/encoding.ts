/** Bytes and texts, with what browsers have as well. */

type Bytes = Uint8Array<ArrayBuffer>;

export const utf8 = (text: string): Bytes => new TextEncoder().encode(text) as Bytes;

const pattern = /^[A-Za-z0-9+/]*={0,2}$/;

/** The bytes of base64; undefined for other text. */
export const fromBase64 = (text: string): Bytes | undefined => {
  if (!pattern.test(text)) return undefined;
  try {
    return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  } catch {
    return undefined;
  }
};

export const toBase64 = (bytes: Uint8Array): string => {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
};

/** The bytes of canonical base64url without padding; undefined for other text. */
export const fromBase64Url = (text: string): Bytes | undefined => {
  if (/[+/=]/.test(text)) return undefined;
  const standard = text.replaceAll('-', '+').replaceAll('_', '/');
  const bytes = fromBase64(standard);
  return bytes && toBase64(bytes).replace(/=+$/, '') === standard ? bytes : undefined;
};

const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** The Ed25519 key in a Multikey (`z6Mk…`); undefined for every other. */
export const ed25519Of = (multikey: unknown): Bytes | undefined => {
  if (typeof multikey !== 'string' || !/^z[1-9A-HJ-NP-Za-km-z]{40,60}$/.test(multikey)) {
    return undefined;
  }
  let value = 0n;
  for (const letter of multikey.slice(1)) value = value * 58n + BigInt(alphabet.indexOf(letter));
  const hex = value.toString(16).padStart(68, '0');
  const bytes = Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  return bytes.length === 34 && bytes[0] === 0xed && bytes[1] === 0x01 ? bytes.slice(2) : undefined;
};

/** A random UUID, also on pages without https. */
export const uuid = (): string => {
  if (typeof crypto.randomUUID === 'function') return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
};
