import type { AnyEvent } from '../../events/envelope.ts';
import type { UcanEvent } from '../../events/ucan.ts';
import type { Projection } from '../projection.ts';
import { type UcanRow, ucanTable } from './table.ts';

/** The last instant that RFC 3339 can say, in seconds. */
const lastSecond = 253_402_300_799;

const instantOf = (seconds: number | null): string | null =>
  seconds === null ? null : new Date(Math.min(seconds, lastSecond) * 1_000).toISOString();

const apply = (rows: Map<string, UcanRow>, event: AnyEvent & UcanEvent): void => {
  const { at } = event.metadata;
  if (event.type === 'UcanIssued') {
    const { cid, accountId, expiresAt } = event.data;
    rows.set(cid, {
      cid,
      account_id: accountId,
      issued_at: at,
      issued_position: event.position,
      expires_at: instantOf(expiresAt),
      revoked_at: null,
    });
  } else if (event.type === 'UcanRevoked') {
    const row = rows.get(event.data.cid);
    if (row) row.revoked_at = at;
  }
};

/** The tokens that were issued here, so that their owners see which of them live. */
export const ucanRows: Projection = {
  name: 'ucans',
  version: 2,
  streams: ['ucan-'],
  tables: [ucanTable],
  async project(source, events) {
    const own = events.filter(
      (event): event is AnyEvent & Extract<UcanEvent, { data: { cid: string } }> =>
        event.type === 'UcanIssued' || event.type === 'UcanRevoked',
    );
    if (own.length === 0) return [];
    const cids = [...new Set(own.map(({ data }) => data.cid))];
    const rows = await source.load(ucanTable, 'cid', cids);
    for (const event of own) apply(rows, event);
    return ucanTable.save(rows.values());
  },
};
