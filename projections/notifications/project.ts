import { statusAfter } from '../../contract/letter-status.ts';
import type { AnyEvent } from '../../events/envelope.ts';
import { isLetterStream, letterIdIn, letterStream } from '../../events/letter.ts';
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
    hidden: false,
  };
  return [row];
};

/** What the rows tell of letters whose first event came in an earlier batch. */
const knownOf = async (db: Db, table: string, letterIds: string[]) => {
  if (letterIds.length === 0) return [];
  const { rows } = await db.query<{ letter_id: string; account_id: string; deleted: boolean }>(
    `select letter_id, min(account_id) as account_id, bool_or(hidden) as deleted from ${table}
     where letter_id = any($1) group by letter_id`,
    [letterIds],
  );
  return rows;
};

const isDeletion = (event: AnyEvent): boolean =>
  event.type === 'LetterErased' && event.data.reason === 'deleted';

const isHidden = ({ type }: NotificationRow): boolean =>
  type.startsWith('letter.') && type !== 'letter.deleted';

const idsIn = (events: AnyEvent[]): string[] => [
  ...new Set(events.map(({ stream }) => letterIdIn(stream))),
];

export const notifications: Projection = {
  name: 'notifications',
  version: 4,
  streams: [letterStream(''), 'wallet-', 'account-', volumeContractPrefix],
  tables: [notificationTable],
  async project(db, events, table) {
    const rows = events.flatMap(toRow);
    const ofLetters = events.filter(({ stream }) => isLetterStream(stream));
    const news = new Set(idsIn(ofLetters.filter(({ version }) => version === 0n)));
    const olds = idsIn(ofLetters).filter((id) => !news.has(id));
    const deleted = new Set<string | null>(idsIn(ofLetters.filter(isDeletion)));
    const [known, before] = await Promise.all([
      knownOf(db, table('notifications'), olds),
      notificationTable.load(
        ...([
          db,
          table('notifications'),
          'letter_id',
          olds.filter((id) => deleted.has(id)),
        ] as const),
      ),
    ]);
    const owners = new Map<string | null, string>(
      rows.filter((row) => row.account_id).map((row) => [row.letter_id, row.account_id]),
    );
    for (const { letter_id, account_id, deleted: before } of known) {
      owners.set(letter_id, account_id);
      if (before) deleted.add(letter_id);
    }
    const written = [...before.values(), ...rows];
    for (const row of written) {
      row.account_id ||= owners.get(row.letter_id) ?? '';
      row.hidden ||= deleted.has(row.letter_id) && isHidden(row);
    }
    return notificationTable.save(written);
  },
};
