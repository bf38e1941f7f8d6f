import type { AnyEvent } from '../../events/envelope.ts';
import { type MailEvent, mailStream } from '../../events/mail.ts';
import type { Projection } from '../projection.ts';
import { type MailAttempt, type MailRow, mailTable } from './table.ts';

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

/** The outcome of every mail, without its recipient and its text. */
export const mails: Projection = {
  name: 'mails',
  version: 2,
  streams: [beginning],
  tables: [mailTable],
  async project(source, events) {
    const own = events.filter(isMailed);
    if (own.length === 0) return [];
    const ids = [...new Set(own.map(({ data }) => data.mailId))];
    const rows = await source.load(mailTable, 'mail_id', ids);
    for (const event of own) rows.set(event.data.mailId, apply(rows.get(event.data.mailId), event));
    return mailTable.save(rows.values());
  },
};
