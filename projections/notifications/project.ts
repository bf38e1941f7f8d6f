import { statusAfter } from '../../contract/letter-status.ts';
import type { AnyEvent } from '../../events/envelope.ts';
import { letterStream } from '../../events/letter.ts';
import { notificationOf } from '../../events/notifications.ts';
import { letterIdOf } from '../../events/registry.ts';
import { volumeContractPrefix } from '../../events/volume-contract.ts';
import { placeOfWallet } from '../../events/wallet.ts';
import type { Db } from '../../ground/db.ts';
import type { Projection } from '../projection.ts';
import { type NotificationRow, notificationTable } from './table.ts';

/** Only the first event of a letter names its account; the rows remember it for the rest. */
const accountOf = (event: AnyEvent): string => {
  if (event.type === 'LetterDrafted' || event.type === 'LetterQueued') {
    return event.data.terms.accountId;
  }
  if (event.stream.startsWith('wallet-')) return placeOfWallet(event.stream).accountId;
  return 'accountId' in event.data ? (event.data.accountId ?? '') : '';
};

const toRow = (event: AnyEvent): NotificationRow[] => {
  const type = notificationOf[event.type];
  if (type === undefined) return [];
  const row = {
    position: event.position,
    event_id: event.id,
    account_id: accountOf(event),
    letter_id: letterIdOf(event) ?? null,
    type,
    status: statusAfter(event.type) ?? null,
    created_at: event.metadata.at,
  };
  return [row];
};

/** The accounts of letters whose first event came in an earlier batch. */
const ownersOf = async (db: Db, table: string, letterIds: (string | null)[]) => {
  const { rows } = await db.query<{ letter_id: string; account_id: string }>(
    `select distinct on (letter_id) letter_id, account_id from ${table}
     where letter_id = any($1) order by letter_id, position`,
    [letterIds],
  );
  return rows.map((row) => [row.letter_id, row.account_id] as const);
};

export const notifications: Projection = {
  name: 'notifications',
  version: 3,
  streams: [letterStream(''), 'wallet-', 'account-', volumeContractPrefix],
  tables: [notificationTable],
  async project(db, events, table) {
    const rows = events.flatMap(toRow);
    const owners = new Map<string | null, string>(
      rows.filter((row) => row.account_id).map((row) => [row.letter_id, row.account_id]),
    );
    const unknown = rows.filter((row) => !row.account_id && !owners.has(row.letter_id));
    if (unknown.length > 0) {
      const ids = unknown.map((row) => row.letter_id);
      for (const [id, owner] of await ownersOf(db, table('notifications'), ids))
        owners.set(id, owner);
    }
    for (const row of rows) row.account_id ||= owners.get(row.letter_id) ?? '';
    return notificationTable.save(rows);
  },
};
