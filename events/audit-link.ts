/**
 * Events of the links that show the audit of a letter to others. Stream `audit-links-<letter_id>`.
 *
 * Persisted contract: see events/letter.ts.
 */
import { Type } from '../ground/type.ts';
import { BoundTo } from './bound-to.ts';
import type { EventDefinitions, EventUnion } from './definition.ts';

const Id = Type.String({ minLength: 1, maxLength: 64 });
export const auditLinkEvents = {
  AuditLinkCreated: {
    version: 1,
    data: Type.Exact({
      accountId: Id,
      letterId: Id,
      linkId: Id,
      /** Seconds since the epoch. */
      expiresAt: Type.Integer({ minimum: 0 }),
      boundTo: BoundTo,
      requestHash: Type.String({ minLength: 1, maxLength: 64 }),
    }),
  },
  AuditLinkRevoked: {
    version: 1,
    data: Type.Exact({ accountId: Id, letterId: Id, linkId: Id }),
  },
} as const satisfies EventDefinitions;

export type AuditLinkEvent = EventUnion<typeof auditLinkEvents>;

export const auditLinkStream = (letterId: string): string => `audit-links-${letterId}`;
