import { statusAfter } from '../../contract/letter-status.ts';
import type { AnyEvent } from '../../events/envelope.ts';
import { isLetterStream, letterIdIn, letterStream } from '../../events/letter.ts';
import { notificationOf } from '../../events/notifications.ts';
import { orderPrefix } from '../../events/order.ts';
import { letterIdOf } from '../../events/registry.ts';
import { volumeContractPrefix } from '../../events/volume-contract.ts';
import { placeOfWallet } from '../../events/wallet.ts';
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
  const type = notificationOf(event);
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

const isDeletion = (event: AnyEvent): boolean =>
  event.type === 'LetterErased' && event.data.reason === 'deleted';

const isHidden = ({ type }: NotificationRow): boolean =>
  type.startsWith('approval.') || (type.startsWith('letter.') && type !== 'letter.deleted');

const idsIn = (events: AnyEvent[]): string[] => [
  ...new Set(events.map(({ stream }) => letterIdIn(stream))),
];

export const notifications: Projection = {
  name: 'notifications',
  version: 8,
  streams: [letterStream(''), 'wallet-', 'account-', volumeContractPrefix, orderPrefix],
  // `order-` is how others name streams, too.
  types: { [orderPrefix]: ['OrderCredited', 'OrderExpired'] },
  tables: [notificationTable],
  async project(source, events) {
    const rows = events.flatMap(toRow);
    const ofLetters = events.filter(({ stream }) => isLetterStream(stream));
    const news = new Set(idsIn(ofLetters.filter(({ version }) => version === 0n)));
    const olds = idsIn(ofLetters).filter((id) => !news.has(id));
    const deleted = new Set<string | null>(idsIn(ofLetters.filter(isDeletion)));
    const [known, before] = await Promise.all([
      // A row of each letter records its account, and a hidden one its deletion.
      source.load(notificationTable, 'letter_id', olds, { first: 'hidden desc' }),
      source.load(
        notificationTable,
        'letter_id',
        olds.filter((id) => deleted.has(id)),
      ),
    ]);
    const owners = new Map<string | null, string>(
      rows.filter((row) => row.account_id).map((row) => [row.letter_id, row.account_id]),
    );
    for (const { letter_id, account_id, hidden } of known.values()) {
      owners.set(letter_id, account_id);
      if (hidden) deleted.add(letter_id);
    }
    const written = [...before.values(), ...rows];
    for (const row of written) {
      row.account_id ||= owners.get(row.letter_id) ?? '';
      row.hidden ||= deleted.has(row.letter_id) && isHidden(row);
    }
    return [...notificationTable.save(before.values()), ...notificationTable.add(rows)];
  },
};
