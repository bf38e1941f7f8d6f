import type { Db } from '../../ground/db.ts';
import { defaultLimits } from '../../limits/table.ts';
import type { NotificationChannel } from '../../presenters/account.ts';

type Row = {
  event_id: string;
  state: 'due' | 'waiting' | 'delivered' | 'failed' | 'cancelled';
  next_at: Date;
  attempts: { at: string; status: number | null; error: string | null; duration_ms: number }[];
};

const present = ({ state, next_at, attempts }: Row): NotificationChannel => ({
  channel: 'webhook',
  state: state === 'due' || state === 'waiting' ? 'pending' : state,
  // One that waits for an earlier one of its letter has no time of its own.
  next_attempt_at: state === 'due' ? next_at.toISOString() : null,
  attempts: attempts.map((attempt) => ({ ...attempt, at: new Date(attempt.at).toISOString() })),
});

/** The latest attempts of a message `m` as a column of JSON, the oldest first. Replays add some without end. */
export const latestAttempts = `coalesce((
  select json_agg(json_build_object('at', a.at, 'status', a.status, 'error', a.error,
    'duration_ms', a.duration_ms) order by a.attempt_id)
  from (select * from deliveries.attempts where message_id = m.message_id
    order by attempt_id desc limit ${defaultLimits.attemptsPerDelivery}) a), '[]') as attempts`;

/** How notifications were delivered to the status webhook of an account, by event id. */
export const webhookChannels = async (
  db: Db,
  accountId: string,
  eventIds: string[],
): Promise<Map<string, NotificationChannel[]>> => {
  if (eventIds.length === 0) return new Map();
  const { rows } = await db.query<Row>(
    `select m.event_id, m.state, m.next_at, ${latestAttempts}
     from deliveries.messages m
     where m.kind = 'status' and m.endpoint_id = $1 and m.event_id = any($2::uuid[])`,
    [accountId, eventIds],
  );
  return new Map(rows.map((row) => [row.event_id, [present(row)]]));
};
