import { type AuditLinkEvent, auditLinkStream } from '../../events/audit-link.ts';
import type { AnyEvent } from '../../events/envelope.ts';
import type { Projection } from '../projection.ts';
import { type AuditLinkRow, auditLinkTable } from './table.ts';

type LinkEvent = AnyEvent & AuditLinkEvent;

const isLinkEvent = (event: AnyEvent): event is LinkEvent =>
  event.type === 'AuditLinkCreated' || event.type === 'AuditLinkRevoked';

const keyOf = ({ data }: LinkEvent): string => `${data.letterId}/${data.linkId}`;

const apply = (rows: Map<string, AuditLinkRow>, event: LinkEvent): void => {
  const { at } = event.metadata;
  const id = keyOf(event);
  if (event.type === 'AuditLinkCreated') {
    const { accountId, letterId, linkId, expiresAt, boundTo } = event.data;
    rows.set(id, {
      id,
      account_id: accountId,
      letter_id: letterId,
      link_id: linkId,
      created_at: at,
      created_position: event.position,
      expires_at: new Date(expiresAt * 1_000).toISOString(),
      bound_to: boundTo,
      revoked_at: null,
    });
  } else {
    const row = rows.get(id);
    if (row) row.revoked_at = at;
  }
};

/** The audit links of accounts, so that owners see who can read the history of their letters. */
export const auditLinkRows: Projection = {
  name: 'audit-links',
  version: 2,
  streams: [auditLinkStream('')],
  tables: [auditLinkTable],
  async project(source, events) {
    const own = events.filter(isLinkEvent);
    if (own.length === 0) return [];
    const ids = [...new Set(own.map(keyOf))];
    const rows = await source.load(auditLinkTable, 'id', ids);
    for (const event of own) apply(rows, event);
    return auditLinkTable.save(rows.values());
  },
};
