import type { AnyEvent } from '../../events/envelope.ts';
import { placeOfWallet } from '../../events/wallet.ts';
import type { Projection } from '../projection.ts';
import { type FreezeRow, freezeTable } from './table.ts';

/** The last event of a batch about a subject says how it stands. */
const rowOf = (event: AnyEvent): FreezeRow[] => {
  if (event.type !== 'SpendingFrozen' && event.type !== 'SpendingUnfrozen') return [];
  return [
    {
      account_id: placeOfWallet(event.stream).accountId,
      subject: event.data.subject,
      frozen: event.type === 'SpendingFrozen',
      since: event.metadata.at,
      changed_position: event.position,
    },
  ];
};

/** Freezes, for the credentials that a process knows. The wallet itself decides about money. */
export const freezes: Projection = {
  name: 'freezes',
  version: 1,
  streams: ['wallet-'],
  tables: [freezeTable],
  async project(_, events) {
    const rows = new Map<string, FreezeRow>();
    for (const row of events.flatMap(rowOf)) rows.set(`${row.account_id} ${row.subject}`, row);
    return rows.size === 0 ? [] : freezeTable.save(rows.values());
  },
};
