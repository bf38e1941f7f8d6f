/** Mails of notifications: those that were attempted, and those that wait for their time. */
import type { Db } from '../../ground/db.ts';
import type { NotificationChannel } from '../../presenters/account.ts';
import {
  type MailAttempt,
  type MailRow,
  mailIdsOf,
  mailsOfNotifications,
  type Notified,
} from '../../projections/mails/query.ts';

export const mailJobKey = (mailId: string): string => `mail ${mailId}`;

const states = {
  sending: 'pending',
  retrying: 'pending',
  sent: 'delivered',
  failed: 'failed',
  dropped: 'cancelled',
} as const;

const presentAttempt = (attempt: MailAttempt): NotificationChannel['attempts'] =>
  attempt.state === 'sending'
    ? []
    : [
        {
          at: attempt.at,
          status: null,
          error: attempt.state === 'failed' ? attempt.error : null,
          duration_ms: Math.max(0, Date.parse(attempt.endedAt) - Date.parse(attempt.at)),
        },
      ];

/** The job that made the last attempt is still there for a moment after it. */
const isAfter = (at: Date | undefined, attempt: MailAttempt | undefined): at is Date =>
  at !== undefined && at.getTime() > Date.parse(attempt?.at ?? '');

const present = (row: MailRow, nextAt: Date | undefined): NotificationChannel => ({
  channel: 'email',
  mail: row.kind,
  state: states[row.state],
  next_attempt_at:
    row.state === 'retrying' && isAfter(nextAt, row.attempts.at(-1)) ? nextAt.toISOString() : null,
  attempts: row.attempts.flatMap(presentAttempt),
});

const pending = (nextAt: Date): NotificationChannel => ({
  channel: 'email',
  state: 'pending',
  next_attempt_at: nextAt.toISOString(),
  attempts: [],
});

/** When jobs of mails run, by mail id; those that wait and those that run. */
export const mailJobTimes = async (db: Db, mailIds: string[]): Promise<Map<string, Date>> => {
  const { rows } = await db.query<{ key: string; run_at: Date }>(
    `select key, run_at from work.jobs where key = any($1)`,
    [mailIds.map(mailJobKey)],
  );
  return new Map(rows.map(({ key, run_at: at }) => [key.slice(mailJobKey('').length), at]));
};

/** Two sets of channels as one. */
export const mergeChannels = (
  ...sets: Map<string, NotificationChannel[]>[]
): Map<string, NotificationChannel[]> => {
  const merged = new Map<string, NotificationChannel[]>();
  for (const [eventId, channels] of sets.flatMap((set) => [...set])) {
    merged.set(eventId, [...(merged.get(eventId) ?? []), ...channels]);
  }
  return merged;
};

/** The mails of notifications, by event id. Nothing where none was wanted. */
export const mailChannelsOf = async (
  db: Db,
  notified: readonly Notified[],
): Promise<Map<string, NotificationChannel[]>> => {
  const owners = mailIdsOf(notified);
  if (owners.size === 0) return new Map();
  const mails = await mailsOfNotifications(db, owners);
  const attempted = [...mails.values()].flat().map((row) => row.mail_id);
  const times = await mailJobTimes(db, [...owners.keys(), ...attempted]);
  const channels = new Map<string, NotificationChannel[]>();
  const add = (eventId: string, channel: NotificationChannel): void => {
    channels.set(eventId, [...(channels.get(eventId) ?? []), channel]);
  };
  for (const [eventId, rows] of mails) {
    for (const row of rows) {
      add(eventId, present(row, times.get(row.mail_id)));
      times.delete(row.mail_id);
    }
  }
  for (const [mailId, at] of times) {
    const eventId = owners.get(mailId);
    if (eventId !== undefined) add(eventId, pending(at));
  }
  return channels;
};
