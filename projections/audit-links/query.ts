import type { BoundTo } from '../../contract/bounds.ts';
import type { Db } from '../../ground/db.ts';
import { lastPosition } from '../conditions.ts';
import { liveRows } from '../live-rows.ts';

export type OpenAuditLink = {
  letterId: string;
  linkId: string;
  createdAt: Date;
  createdPosition: bigint;
  expiresAt: Date;
  boundTo: BoundTo;
};

type Row = {
  letter_id: string;
  link_id: string;
  created_at: Date;
  created_position: bigint;
  expires_at: Date;
  bound_to: string;
};

const live = liveRows({
  table: 'audit_links',
  columns: 'letter_id, link_id, created_at, created_position, expires_at, bound_to',
  position: 'created_position',
});

/** Neither revoked themselves nor expired at `now`, newest first. The letter may be erased. */
export const openAuditLinks = async (
  db: Db,
  accountId: string,
  { now, before, limit }: { now: string; before: bigint | undefined; limit: number },
): Promise<OpenAuditLink[]> => {
  const values = [accountId, now, before ?? lastPosition, limit];
  const { rows } = await db.query<Row>(live, values);
  return rows.map((row) => ({
    letterId: row.letter_id,
    linkId: row.link_id,
    createdAt: row.created_at,
    createdPosition: row.created_position,
    expiresAt: row.expires_at,
    boundTo: JSON.parse(row.bound_to) as BoundTo,
  }));
};
