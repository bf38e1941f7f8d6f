import { allRows, type Db, oneRow } from '../../ground/db.ts';
import { createConditions } from '../conditions.ts';
import type { NotificationRow as StoredRow } from './table.ts';

export type NotificationRow = Omit<StoredRow, 'account_id' | 'created_at' | 'hidden'> & {
  created_at: Date;
};

const columns = 'position, event_id, letter_id, type, status, created_at';

type Filter = { accountId: string; letterId?: string; before?: bigint; limit: number };

/** Newest first. Without the hidden ones, of letters that their owners deleted. */
export const listNotifications = async (db: Db, filter: Filter): Promise<NotificationRow[]> => {
  const { where, parameter, text, values } = createConditions();
  where((p) => `account_id = ${p}`, filter.accountId);
  where((p) => `letter_id = ${p}::uuid`, filter.letterId);
  where((p) => `position < ${p}`, filter.before);
  // In other words for a letter, so that its few rows are read and not the account's list.
  const shown = filter.letterId === undefined ? 'not hidden' : 'hidden::int = 0';
  return allRows<NotificationRow>(
    db,
    `select ${columns} from read_models.notifications where ${shown} and ${text()}
     order by position desc limit ${parameter(filter.limit)}`,
    values,
  );
};

/** A hidden one, of a letter that its owner deleted, is not found. */
export const notificationById = (
  db: Db,
  accountId: string,
  eventId: string,
): Promise<NotificationRow | undefined> =>
  oneRow(
    db,
    `select ${columns} from read_models.notifications
     where account_id = $1 and event_id = $2::uuid and hidden::int = 0`,
    [accountId, eventId],
  );

/** For the operator: the account of a notification, and its subject. */
export const notificationOwner = (
  db: Db,
  eventId: string,
): Promise<Pick<StoredRow, 'account_id' | 'letter_id' | 'type'> | undefined> =>
  oneRow(
    db,
    'select account_id, letter_id, type from read_models.notifications where event_id = $1::uuid',
    [eventId],
  );
