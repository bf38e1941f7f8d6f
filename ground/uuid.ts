import { hash } from 'node:crypto';

/** The input of a hash: reused, because every send derives several ids. */
const input = Buffer.allocUnsafeSlow(1024);

/** RFC 9562 UUIDv5 over the namespace's bytes and the name. */
export const uuidv5 = (namespace: string, name: string): string => {
  const length = 16 + Buffer.byteLength(name);
  const bytes = length <= input.length ? input : Buffer.allocUnsafe(length);
  bytes.write(namespace.replaceAll('-', ''), 0, 16, 'hex');
  bytes.write(name, 16, 'utf8');
  const hex = hash('sha1', bytes.subarray(0, length), 'hex');
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
};
