import { createHash } from 'node:crypto';

/** Of answers with the same bytes for everybody. */
export const etagOf = (bytes: Buffer): string =>
  `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;

/** `ifNoneMatch`: a list of tags, weak ones too, or nothing. */
export const knows = (ifNoneMatch: string, etag: string): boolean => ifNoneMatch.includes(etag);
