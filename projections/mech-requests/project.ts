import type { AnyEvent } from '../../events/envelope.ts';
import { type MechRequestEvent, mechRequestPrefix } from '../../events/mech.ts';
import type { Projection } from '../projection.ts';
import { type MechRequestRow, mechRequestTable } from './table.ts';

type MechEventAt = AnyEvent & MechRequestEvent;

const isOwn = (event: AnyEvent): event is MechEventAt => event.stream.startsWith(mechRequestPrefix);

const statuses = {
  MechRequestClaimed: 'claimed',
  MechRequestServed: 'served',
  MechRequestRefused: 'refused',
} as const;

const apply = (
  row: MechRequestRow | undefined,
  { type, data, metadata }: MechEventAt,
): MechRequestRow => ({
  request_key: data.requestKey,
  account_id: data.accountId,
  status: statuses[type],
  claimed_at: type === 'MechRequestClaimed' || !row ? metadata.at : row.claimed_at,
});

/** The outcome of each request through the mech that costs something. */
export const mechRequests: Projection = {
  name: 'mech-requests',
  version: 1,
  streams: [mechRequestPrefix],
  tables: [mechRequestTable],
  async project(source, events) {
    const own = events.filter(isOwn);
    if (own.length === 0) return [];
    const keys = [...new Set(own.map(({ data }) => data.requestKey))];
    const rows = await source.load(mechRequestTable, 'request_key', keys);
    for (const event of own) {
      const { requestKey } = event.data;
      rows.set(requestKey, apply(rows.get(requestKey), event));
    }
    return mechRequestTable.save(rows.values());
  },
};
