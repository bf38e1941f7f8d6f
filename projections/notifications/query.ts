import type { Db } from '../../ground/db.ts';
import { createConditions } from '../conditions.ts';
import type { NotificationRow as StoredRow } from './table.ts';

export type NotificationRow = Omit<StoredRow, 'account_id' | 'created_at'> & { created_at: Date };

const columns = 'position, event_id, letter_id, type, status, created_at';

/** Of a letter that its owner deleted, and about something else than that. */
const hidden = `(type like 'letter.%' and type <> 'letter.deleted'
  and (select l.deleted_at from read_models.letters l where l.letter_id = told.letter_id) is not null)`;

type Filter = { accountId: string; letterId?: string; before?: bigint; limit: number };

/**
 * A page of all notifications. Letters are looked up after the limit, or the planner would read those of all
 * accounts.
 */
const readPage = async (
  db: Db,
  filter: Filter,
): Promise<(NotificationRow & { hidden: boolean })[]> => {
  const { where, parameter, text, values } = createConditions();
  where((p) => `account_id = ${p}`, filter.accountId);
  where((p) => `letter_id = ${p}::uuid`, filter.letterId);
  where((p) => `position < ${p}`, filter.before);
  const { rows } = await db.query<NotificationRow & { hidden: boolean }>(
    `select ${columns}, ${hidden} as hidden
     from (select * from read_models.notifications where ${text()}
       order by position desc limit ${parameter(filter.limit)}) told
     order by position desc`,
    values,
  );
  return rows;
};

/** Newest first. Of a letter that its owner deleted only that it was. */
export const listNotifications = async (db: Db, filter: Filter): Promise<NotificationRow[]> => {
  const shown: NotificationRow[] = [];
  let { before } = filter;
  for (;;) {
    const page = await readPage(db, { ...filter, ...(before === undefined ? {} : { before }) });
    for (const { hidden, ...row } of page) if (!hidden) shown.push(row);
    if (page.length < filter.limit || shown.length >= filter.limit) break;
    before = page.at(-1)?.position;
  }
  return shown.slice(0, filter.limit);
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
