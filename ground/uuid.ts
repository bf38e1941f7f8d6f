import { hash } from 'node:crypto';

/** RFC 9562 UUIDv5 over the namespace's bytes and the name. */
export const uuidv5 = (namespace: string, name: string): string => {
  const bytes = Buffer.allocUnsafe(16 + Buffer.byteLength(name));
  bytes.write(namespace.replaceAll('-', ''), 0, 16, 'hex');
  bytes.write(name, 16, 'utf8');
  const digest = hash('sha1', bytes, 'buffer');
  digest[6] = ((digest[6] ?? 0) & 0x0f) | 0x50;
  digest[8] = ((digest[8] ?? 0) & 0x3f) | 0x80;
  const hex = digest.toString('hex', 0, 16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
};
