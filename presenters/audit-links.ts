/** Links to the audit page, as callers see them. */
import type { Static } from 'typebox';
import { Type } from '../ground/type.ts';
import { LetterId, Timestamp } from './common.ts';

const Id = Type.String({ description: 'Id of the link in lists and for its revocation.' });

export const NewAuditLink = Type.Named('NewAuditLink', {
  id: Id,
  url: Type.String({ format: 'uri' }),
  expires_at: Timestamp,
});

export const AuditLinks = Type.Named('AuditLinks', {
  data: Type.Array(Type.Object({ id: Id, created_at: Timestamp, expires_at: Timestamp })),
});

export const RevokedAuditLink = Type.Named('RevokedAuditLink', {
  id: Id,
  revoked: Type.Literal(true),
  revoked_at: Timestamp,
});

/** Of seconds since the epoch. */
const instant = (seconds: number): string => new Date(seconds * 1_000).toISOString();

export const presentNewAuditLink = (
  url: string,
  { linkId, expiresAt }: { linkId: string; expiresAt: number },
): Static<typeof NewAuditLink> => ({ id: linkId, url, expires_at: instant(expiresAt) });

export const presentAuditLinks = (
  links: { linkId: string; createdAt: string; expiresAt: number }[],
): Static<typeof AuditLinks> => ({
  data: links.map(({ linkId, createdAt, expiresAt }) => ({
    id: linkId,
    created_at: createdAt,
    expires_at: instant(expiresAt),
  })),
});

export const ListedAuditLink = Type.Named('ListedAuditLink', {
  id: Id,
  letter_id: LetterId,
  created_at: Timestamp,
  expires_at: Timestamp,
});

/** A link of any letter of an account. */
export type AccountLink = { letterId: string; linkId: string; createdAt: Date; expiresAt: Date };

export const presentListedAuditLink = (link: AccountLink): Static<typeof ListedAuditLink> => ({
  id: link.linkId,
  letter_id: link.letterId,
  created_at: link.createdAt.toISOString(),
  expires_at: link.expiresAt.toISOString(),
});
