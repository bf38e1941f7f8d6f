import type { Db } from '../../contract/db.ts';
import type { AnyEvent } from '../../events/envelope.ts';
import { type MailEvent, mailStream } from '../../events/mail.ts';
import type { Projection, Statement } from '../projection.ts';
import type { MailAttempt, MailRow } from './query.ts';

type Mailed = Extract<AnyEvent, { type: MailEvent['type'] }>;

const beginning = mailStream('');

const isMailed = (event: AnyEvent): event is Mailed => event.stream.startsWith(beginning);

/** The attempts after an event, which is about the last one, or only says that there is no other. */
const attemptsAfter = (attempts: MailAttempt[], event: Mailed): MailAttempt[] => {
  const { at } = event.metadata;
  if (event.type === 'MailAttempted') return [...attempts, { at, state: 'sending' }];
  const last = attempts.at(-1) ?? { at, state: 'sending' };
  if (event.type === 'MailFailed' && last.state === 'failed') return attempts;
  const ended: MailAttempt =
    event.type === 'MailSent'
      ? { at: last.at, endedAt: at, state: 'sent' }
      : { at: last.at, endedAt: at, state: 'failed', error: event.data.code };
  return [...attempts.slice(0, -1), ended];
};

/** Why a mail that was refused is not tried again although it could be (DropMail). */
const droppedCodes = new Set(['obsolete', 'no_recipient', 'no_mail_server']);

const stateAfter = (event: Mailed): MailRow['state'] => {
  if (event.type === 'MailAttempted') return 'sending';
  if (event.type === 'MailSent') return 'sent';
  if (!event.data.final) return 'retrying';
  return droppedCodes.has(event.data.code) ? 'dropped' : 'failed';
};

const apply = (row: MailRow | undefined, event: Mailed): MailRow => ({
  mail_id: event.data.mailId,
  account_id: event.data.accountId,
  letter_id: event.data.letterId ?? null,
  kind: event.data.kind,
  state: stateAfter(event),
  attempts: attemptsAfter(row?.attempts ?? [], event),
});

const load = async (db: Db, table: string, ids: string[]): Promise<Map<string, MailRow>> => {
  const { rows } = await db.query<MailRow>(
    `select mail_id, account_id, letter_id, kind, state, attempts from ${table}
     where mail_id = any($1::uuid[])`,
    [ids],
  );
  return new Map(rows.map((row) => [row.mail_id, row]));
};

const save = (table: string, rows: MailRow[]): Statement => ({
  text: `insert into ${table} (mail_id, account_id, letter_id, kind, state, attempts)
     select mail_id, account_id, letter_id, kind, state, attempts
     from jsonb_to_recordset($1::jsonb) as t (mail_id uuid, account_id text, letter_id uuid,
       kind text, state text, attempts jsonb)
     on conflict (mail_id) do update set kind = excluded.kind, state = excluded.state,
       attempts = excluded.attempts`,
  values: [JSON.stringify(rows)],
});

/** What became of every mail. To whom it went and what it said is nowhere in it. */
export const mails: Projection = {
  name: 'mails',
  version: 1,
  streams: [beginning],
  tables: ['mails'],
  create: (table) => `
create table ${table('mails')} (
  mail_id    uuid primary key,
  account_id text collate "C" not null,
  letter_id  uuid,
  kind       text collate "C" not null,
  state      text collate "C" not null,    -- sending | sent | retrying | failed | dropped
  attempts   jsonb not null                -- [{ at, endedAt, state, error }], the oldest first
);
`,
  indexes: [{ table: 'mails', on: '(letter_id) where letter_id is not null' }],
  async project(db, events, table) {
    const own = events.filter(isMailed);
    if (own.length === 0) return [];
    const rows = await load(db, table('mails'), [...new Set(own.map(({ data }) => data.mailId))]);
    for (const event of own) rows.set(event.data.mailId, apply(rows.get(event.data.mailId), event));
    return [save(table('mails'), [...rows.values()])];
  },
};
