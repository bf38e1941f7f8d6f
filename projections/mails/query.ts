import { allRows, type Db } from '../../ground/db.ts';
import { uuidv5 } from '../../ground/uuid.ts';
import type { MailRow } from './table.ts';

export type { MailAttempt, MailRow } from './table.ts';

/** A notification as mails name it: the id of its event, and its type. */
export type Notified = { event_id: string; type: string };

/** The mail that a notification may make; its id is made of the id of the event. */
const kindOf: Record<string, string> = {
  'letter.posted': 'shipped',
  'letter.delivered': 'delivered',
  'letter.returned': 'returned',
  'letter.failed': 'failed',
  'letter.cancelled': 'cancelled',
  'wallet.credited': 'wallet_credited',
  'wallet.charged_back': 'wallet_charged_back',
  'order.credited': 'order_credited',
  'contract.breached': 'contract_breached',
  'webhook.disabled': 'webhook_disabled',
  'audit_webhook.disabled': 'webhook_disabled',
};

/** The ids that mails about notifications have, and the ids of their events. */
export const mailIdsOf = (notified: readonly Notified[]): Map<string, string> => {
  const owners = new Map<string, string>();
  for (const { event_id: id, type } of notified) {
    const kind = kindOf[type];
    if (kind !== undefined) owners.set(uuidv5(id, kind), id);
  }
  return owners;
};

const columns = 'mail_id, account_id, letter_id, kind, state, attempts';

/** Mails about the tracking numbers of letters, the oldest first. */
const trackingMails = async (db: Db, letterIds: string[]): Promise<MailRow[]> => {
  if (letterIds.length === 0) return [];
  return allRows<MailRow>(
    db,
    `select ${columns} from read_models.mails
     where letter_id = any($1::uuid[]) and kind in ('tracking_ready', 'tracking_late')
     order by attempts -> 0 ->> 'at', mail_id`,
    [letterIds],
  );
};

/**
 * The mails of notifications that were attempted, by the ids of the events; those about a tracking
 * number come after the confirmation of their letter. `owners`: the ids of mails and of their events.
 */
export const mailsOfNotifications = async (
  db: Db,
  owners: ReadonlyMap<string, string>,
): Promise<Map<string, MailRow[]>> => {
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
export const mailsOfAccount = (db: Db, accountId: string, limit: number): Promise<MailRow[]> =>
  allRows(
    db,
    `select ${columns} from read_models.mails where account_id = $1
     order by attempts -> -1 ->> 'at' desc, mail_id limit $2`,
    [accountId, limit],
  );

/** Mails by their ids, the oldest first. */
export const mailsById = (db: Db, mailIds: string[]): Promise<MailRow[]> =>
  allRows(
    db,
    `select ${columns} from read_models.mails where mail_id = any($1::uuid[])
     order by attempts -> 0 ->> 'at', mail_id`,
    [mailIds],
  );

/** The mails about a letter that were attempted. */
export const mailsOfLetter = (db: Db, letterId: string, limit: number): Promise<MailRow[]> =>
  allRows(
    db,
    `select ${columns} from read_models.mails where letter_id = $1::uuid
     order by attempts -> -1 ->> 'at' desc, mail_id limit $2`,
    [letterId, limit],
  );

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
