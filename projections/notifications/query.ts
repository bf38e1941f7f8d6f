import type { Db } from '../../contract/db.ts';

export type NotificationRow = {
  position: bigint;
  event_id: string;
  letter_id: string | null;
  type: string;
  status: string | null;
  created_at: Date;
};

/** Newest first. */
export const listNotifications = async (
  db: Db,
  filter: { accountId: string; letterId?: string; before?: bigint; limit: number },
): Promise<NotificationRow[]> => {
  const { rows } = await db.query<NotificationRow>(
    `select position, event_id, letter_id, type, status, created_at from read_models.notifications
     where account_id = $1 and ($2::uuid is null or letter_id = $2::uuid)
       and ($3::bigint is null or position < $3) order by position desc limit $4`,
    [filter.accountId, filter.letterId ?? null, filter.before ?? null, filter.limit],
  );
  return rows;
};

export const notificationById = async (
  db: Db,
  accountId: string,
  eventId: string,
): Promise<NotificationRow | undefined> => {
  const { rows } = await db.query<NotificationRow>(
    `select position, event_id, letter_id, type, status, created_at from read_models.notifications
     where account_id = $1 and event_id = $2::uuid`,
    [accountId, eventId],
  );
  return rows[0];
};
