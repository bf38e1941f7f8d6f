import { hash } from 'node:crypto';

/** JSON with the keys of every object sorted, so that equal values have equal texts. */
const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
    const sorted = Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(sorted);
  }) ?? 'null';

/**
 * What makes two requests with one `Idempotency-Key` the same: operation, parameters and body,
 * whatever the order of their keys. SHA-256, base64url, 43 characters.
 */
export const requestFingerprint = (operationName: string, body: unknown, params: unknown): string =>
  hash('sha256', canonicalJson([operationName, body ?? null, params ?? null]), 'base64url');
