/** The links that show the audit of one letter to others: made, revoked, and until when they open it. */

import type { BoundTo } from '../../contract/bounds.ts';
import { AppError } from '../../contract/errors.ts';
import { keyReused } from '../../contract/refusals.ts';
import { type AuditLinkEvent, auditLinkStream } from '../../events/audit-link.ts';
import { type PersistentMap, persistentMap } from '../../ground/persistent-map.ts';
import { limitError } from '../../limits/limit-error.ts';
import { defaultLimits } from '../../limits/table.ts';
import type { Aggregate } from '../handling/aggregate.ts';

export type AuditLink = {
  linkId: string;
  createdAt: string;
  /** Seconds since the epoch. */
  expiresAt: number;
  boundTo: BoundTo;
  requestHash: string;
  revokedAt: string | undefined;
};

type AuditLinkBook = { links: PersistentMap<string, AuditLink> };

/** Of one letter, that open it at the same time. */
const { auditLinksPerLetter: maxLinks } = defaultLimits;

const initialState = (): AuditLinkBook => ({ links: persistentMap() });

const evolve = (state: AuditLinkBook, event: AuditLinkEvent, at: string): AuditLinkBook => {
  switch (event.type) {
    case 'AuditLinkCreated': {
      const { linkId, expiresAt, boundTo, requestHash } = event.data;
      const link = { linkId, expiresAt, boundTo, requestHash };
      return {
        links: state.links.with(linkId, { ...link, createdAt: at, revokedAt: undefined }),
      };
    }
    case 'AuditLinkRevoked': {
      const { linkId } = event.data;
      const link = state.links.get(linkId);
      return link ? { links: state.links.with(linkId, { ...link, revokedAt: at }) } : state;
    }
    default: {
      const unknown: never = event;
      return unknown;
    }
  }
};

/** Whether a link opens its letter, as far as it says itself. */
export const isOpen = ({ revokedAt, expiresAt }: AuditLink, nowSeconds: number): boolean =>
  revokedAt === undefined && expiresAt > nowSeconds;

/** The open links, if there are as many as a letter may have. Some of them may have ended with their credential. */
export const openLinksIfFull = ({ links }: AuditLinkBook, nowSeconds: number): AuditLink[] => {
  const open = [...links.values()].filter((link) => isOpen(link, nowSeconds));
  return open.length >= maxLinks ? open : [];
};

type CreateAuditLink = {
  type: 'CreateAuditLink';
  data: Extract<AuditLinkEvent, { type: 'AuditLinkCreated' }>['data'];
  nowSeconds: number;
  /** Links that ended with the credential that made them. They do not count. */
  endedIds: ReadonlySet<string>;
};

/** @throws AppError audit_link_limit_reached, idempotency_key_reused */
export const createAuditLink = (
  state: AuditLinkBook,
  { data, nowSeconds, endedIds }: CreateAuditLink,
): AuditLinkEvent[] => {
  const before = state.links.get(data.linkId);
  if (before) {
    if (before.requestHash === data.requestHash) return [];
    throw keyReused();
  }
  const open = openLinksIfFull(state, nowSeconds).filter(({ linkId }) => !endedIds.has(linkId));
  if (open.length >= maxLinks) {
    throw limitError(
      'auditLinksPerLetter',
      `The letter already has ${maxLinks} audit links. Revoke one first.`,
    );
  }
  return [{ type: 'AuditLinkCreated', data }];
};

type RevokeAuditLink = {
  type: 'RevokeAuditLink';
  accountId: string;
  letterId: string;
  linkId: string;
};

/** @throws AppError audit_link_not_found */
export const revokeAuditLink = (
  state: AuditLinkBook,
  { accountId, letterId, linkId }: RevokeAuditLink,
): AuditLinkEvent[] => {
  const link = state.links.get(linkId);
  if (!link) {
    throw new AppError(
      'audit_link_not_found',
      'The letter has no audit link with this id. List its links to see their ids.',
    );
  }
  return link.revokedAt === undefined
    ? [{ type: 'AuditLinkRevoked', data: { accountId, letterId, linkId } }]
    : [];
};

export const auditLinkAggregate: Aggregate<AuditLinkBook, AuditLinkEvent> = {
  stream: auditLinkStream,
  initialState,
  evolve,
};
