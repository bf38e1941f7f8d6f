import type { Db } from '../../contract/db.ts';
import { createConditions } from '../conditions.ts';
import type { NotificationRow as StoredRow } from './table.ts';

export type NotificationRow = Omit<StoredRow, 'account_id' | 'created_at'> & { created_at: Date };

const columns = 'position, event_id, letter_id, type, status, created_at';

const notOfDeleted = `(letter_id is null or type = 'letter.deleted' or type not like 'letter.%'
  or not exists (select from read_models.letters l
    where l.letter_id = told.letter_id and l.deleted_at is not null))`;

/** Newest first. Of a letter that its owner deleted only that it was. */
export const listNotifications = async (
  db: Db,
  filter: { accountId: string; letterId?: string; before?: bigint; limit: number },
): Promise<NotificationRow[]> => {
  const { where, parameter, text, values } = createConditions();
  where((p) => `account_id = ${p}`, filter.accountId);
  where((p) => `letter_id = ${p}::uuid`, filter.letterId);
  where((p) => `position < ${p}`, filter.before);
  const { rows } = await db.query<NotificationRow>(
    `select ${columns} from read_models.notifications told where ${text()} and ${notOfDeleted}
     order by position desc limit ${parameter(filter.limit)}`,
    values,
  );
  return rows;
};

export const notificationById = async (
  db: Db,
  accountId: string,
  eventId: string,
): Promise<NotificationRow | undefined> => {
  const { rows } = await db.query<NotificationRow>(
    `select ${columns} from read_models.notifications where account_id = $1 and event_id = $2::uuid`,
    [accountId, eventId],
  );
  return rows[0];
};
