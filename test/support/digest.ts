import { createHash } from 'node:crypto';

/** In the place of the service's keyed digest. */
export const digest = (...parts: string[]): string =>
  createHash('sha256').update(parts.join('\n')).digest('base64url');
