import { statusAfter } from '../../contract/letter-status.ts';
import type { AnyEvent } from '../../events/envelope.ts';
import { isLetterStream, letterIdIn, letterStream } from '../../events/letter.ts';
import { notificationOf } from '../../events/notifications.ts';
import { joined, type Projection, split } from '../projection.ts';

type Row = {
  position: bigint;
  eventId: string;
  accountId: string;
  letterId: string;
  type: string;
  status: string;
  at: string;
};

/** Only the first event of a letter names its account; the rows remember it for the rest. */
const accountOf = (event: AnyEvent): string => {
  if (event.type === 'LetterDrafted' || event.type === 'LetterQueued') {
    return event.data.terms.accountId;
  }
  if (event.type === 'WebhookDisabled') return event.data.accountId;
  return event.stream.startsWith('wallet-')
    ? event.stream.slice('wallet-'.length, event.stream.lastIndexOf('-'))
    : '';
};

const toRow = (event: AnyEvent): Row | undefined => {
  const type = notificationOf[event.type];
  if (type === undefined) return undefined;
  const named = 'letterId' in event.data ? String(event.data.letterId) : '';
  const letterId = isLetterStream(event.stream) ? letterIdIn(event.stream) : named;
  return {
    position: event.position,
    eventId: event.id,
    accountId: accountOf(event),
    letterId,
    type,
    status: statusAfter(event.type) ?? '',
    at: event.metadata.at,
  };
};

export const notifications: Projection = {
  name: 'notifications',
  version: 2,
  streams: [letterStream(''), 'wallet-', 'account-'],
  tables: ['notifications'],
  create: (table) => `
create table ${table('notifications')} (
  position   bigint primary key,
  event_id   uuid not null,
  account_id text collate "C" not null,
  letter_id  uuid,
  type       text collate "C" not null,
  status     text collate "C",
  created_at timestamptz not null
);
create index on ${table('notifications')} (letter_id, position);
`,
  indexes: [{ table: 'notifications', on: '(account_id, position)' }],
  async project(db, events, table) {
    const rows = events.map(toRow).filter((row) => row !== undefined);
    if (rows.length === 0) return [];
    const known = new Map(
      rows.filter((row) => row.accountId).map((row) => [row.letterId, row.accountId]),
    );
    const unknown = rows.filter((row) => !row.accountId && !known.has(row.letterId));
    if (unknown.length > 0) {
      const found = await db.query<{ letter_id: string; account_id: string }>(
        `select distinct on (letter_id) letter_id, account_id from ${table('notifications')}
         where letter_id = any($1) order by letter_id, position`,
        [unknown.map((row) => row.letterId)],
      );
      for (const row of found.rows) known.set(row.letter_id, row.account_id);
    }
    for (const row of rows) row.accountId ||= known.get(row.letterId) ?? '';
    return [
      {
        text: `insert into ${table('notifications')} (position, event_id, account_id, letter_id, type, status,
         created_at)
       select position, event_id, account_id, nullif(letter_id, '')::uuid, type, nullif(status, ''),
         created_at::timestamptz
       from unnest($1::bigint[], $2::uuid[], ${split('$3')}, ${split('$4')}, ${split('$5')},
         ${split('$6')}, ${split('$7')})
         as t (position, event_id, account_id, letter_id, type, status, created_at)`,
        values: [
          `{${rows.map((row) => row.position).join()}}`,
          `{${rows.map((row) => row.eventId).join()}}`,
          joined(rows.map((row) => row.accountId)),
          joined(rows.map((row) => row.letterId)),
          joined(rows.map((row) => row.type)),
          joined(rows.map((row) => row.status)),
          joined(rows.map((row) => row.at)),
        ],
      },
    ];
  },
};
