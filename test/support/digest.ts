import { createHash } from 'node:crypto';

/** Stands in for the keyed digest of the service. */
export const digest = (...parts: string[]): string =>
  createHash('sha256').update(parts.join('\n')).digest('base64url');
