import type { BoundTo } from '../../contract/bounds.ts';
import { liveIndexes } from '../live-rows.ts';
import {
  bigint,
  defineTable,
  fixed,
  json,
  key,
  optional,
  type RowOf,
  text,
  time,
  uuid,
} from '../upsert.ts';

const columns = {
  /** Letter and link: ids of links are unique within their letter only. */
  id: key(text()),
  account_id: fixed(text()),
  letter_id: fixed(uuid()),
  link_id: fixed(text()),
  created_at: fixed(time()),
  created_position: fixed(bigint()),
  expires_at: fixed(time()),
  /** The bounds of the link. */
  bound_to: fixed(json<BoundTo>()),
  revoked_at: optional(time()),
};

export type AuditLinkRow = RowOf<typeof columns>;

export const auditLinkTable = defineTable('audit_links', columns, {
  indexes: liveIndexes('created_position'),
});
