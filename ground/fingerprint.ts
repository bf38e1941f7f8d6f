import { hash } from 'node:crypto';

/** A file that came as bytes counts as its base64. */
const asText = (value: unknown): unknown =>
  value instanceof Uint8Array
    ? Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64')
    : value;

/** Buffers turn themselves into lists of numbers before a replacer sees them. */
const withoutBytes = (body: unknown): unknown => {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const members = Object.entries(body);
  if (!members.some(([, value]) => value instanceof Uint8Array)) return body;
  return Object.fromEntries(members.map(([name, value]) => [name, asText(value)]));
};

/** JSON with the keys of every object sorted, so that equal values have equal texts. */
const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
    const sorted = Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(sorted);
  }) ?? 'null';

/**
 * Fingerprint of a request. Two requests with one `Idempotency-Key` are the same if operation, parameters and
 * body are, in any order of keys. A file in the body counts the same as bytes and in base64. SHA-256,
 * base64url, 43 characters.
 */
export const requestFingerprint = (operationName: string, body: unknown, params: unknown): string =>
  hash(
    'sha256',
    canonicalJson([operationName, withoutBytes(body) ?? null, params ?? null]),
    'base64url',
  );
