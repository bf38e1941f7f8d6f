import { createHash } from 'node:crypto';

/** Of what is the same bytes for everybody. */
export const etagOf = (bytes: Buffer): string =>
  `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
