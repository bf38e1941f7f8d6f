import type { Db } from '../../ground/db.ts';
import { uuidv5 } from '../../ground/uuid.ts';
import type { MailRow } from './table.ts';

export type { MailAttempt, MailRow } from './table.ts';

/** The kinds of mail whose ids are made of the id of the event that a notification is about. */
const eventKinds = [
  'shipped',
  'delivered',
  'returned',
  'failed',
  'cancelled',
  'wallet_credited',
  'webhook_disabled',
] as const;

/** The ids that mails about notified events have, and the events. */
export const mailIdsOf = (eventIds: string[]): Map<string, string> =>
  new Map(eventIds.flatMap((id) => eventKinds.map((kind) => [uuidv5(id, kind), id] as const)));

const columns = 'mail_id, account_id, letter_id, kind, state, attempts';

/** Mails about the tracking numbers of letters, the oldest first. */
const trackingMails = async (db: Db, letterIds: string[]): Promise<MailRow[]> => {
  if (letterIds.length === 0) return [];
  const { rows } = await db.query<MailRow>(
    `select ${columns} from read_models.mails
     where letter_id = any($1::uuid[]) and kind in ('tracking_ready', 'tracking_late')
     order by attempts -> 0 ->> 'at', mail_id`,
    [letterIds],
  );
  return rows;
};

/**
 * The mails of notifications that were attempted, by the ids of the events; those about a tracking
 * number come after the confirmation of their letter.
 */
export const mailsOfNotifications = async (
  db: Db,
  eventIds: string[],
): Promise<Map<string, MailRow[]>> => {
  const owners = mailIdsOf(eventIds);
  const { rows } = await db.query<MailRow>(
    `select ${columns} from read_models.mails where mail_id = any($1::uuid[])`,
    [[...owners.keys()]],
  );
  const found = new Map<string, MailRow[]>();
  const posted = new Map<string, string>();
  for (const row of rows) {
    const eventId = owners.get(row.mail_id) ?? '';
    found.set(eventId, [...(found.get(eventId) ?? []), row]);
    if (row.letter_id && row.kind.startsWith('shipped')) posted.set(row.letter_id, eventId);
  }
  for (const row of await trackingMails(db, [...posted.keys()])) {
    found.get(posted.get(row.letter_id ?? '') ?? '')?.push(row);
  }
  return found;
};

/** The mails of an account that were attempted, the newest first. */
export const mailsOfAccount = async (
  db: Db,
  accountId: string,
  limit: number,
): Promise<MailRow[]> => {
  const { rows } = await db.query<MailRow>(
    `select ${columns} from read_models.mails where account_id = $1
     order by attempts -> -1 ->> 'at' desc, mail_id limit $2`,
    [accountId, limit],
  );
  return rows;
};

/** Mails by their ids, the oldest first. */
export const mailsById = async (db: Db, mailIds: string[]): Promise<MailRow[]> => {
  const { rows } = await db.query<MailRow>(
    `select ${columns} from read_models.mails where mail_id = any($1::uuid[])
     order by attempts -> 0 ->> 'at', mail_id`,
    [mailIds],
  );
  return rows;
};

/** The mails about a letter that were attempted. */
export const mailsOfLetter = async (
  db: Db,
  letterId: string,
  limit: number,
): Promise<MailRow[]> => {
  const { rows } = await db.query<MailRow>(
    `select ${columns} from read_models.mails where letter_id = $1::uuid
     order by attempts -> -1 ->> 'at' desc, mail_id limit $2`,
    [letterId, limit],
  );
  return rows;
};

/** Mails that the mail server did not take yet, and since when the first of them is tried. */
export const mailsThatWait = async (db: Db): Promise<{ count: number; since: Date | null }> => {
  // A mail that the operator sends again may have been taken before: its last attempts count.
  const { rows } = await db.query<{ count: number; since: Date | null }>(
    `select count(*)::int as count, min(tried.since) as since
     from read_models.mails, lateral (
       select min((attempt ->> 'at')::timestamptz) as since
       from jsonb_array_elements(attempts) with ordinality as made (attempt, number)
       where number > coalesce(
         (select max(nr) from jsonb_array_elements(attempts) with ordinality as taken (one, nr)
          where one ->> 'state' = 'sent'), 0)
     ) as tried
     where state = 'retrying'`,
  );
  return rows[0] ?? { count: 0, since: null };
};
