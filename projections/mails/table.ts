import { defineTable, fixed, jsonb, key, optional, type RowOf, text, uuid } from '../upsert.ts';

/** `error`: the code of why it failed. */
export type MailAttempt = { at: string } & (
  | { state: 'sending' }
  | { state: 'sent'; endedAt: string }
  | { state: 'failed'; endedAt: string; error: string }
);

const columns = {
  mail_id: key(uuid()),
  account_id: fixed(text()),
  letter_id: fixed(optional(uuid())),
  kind: text(),
  /** `failed`: not tried again; `dropped`: there is no reason for it any more. */
  state: text<'sending' | 'sent' | 'retrying' | 'failed' | 'dropped'>(),
  /** The oldest first. */
  attempts: jsonb<MailAttempt[]>(),
};

export type MailRow = RowOf<typeof columns>;

export const mailTable = defineTable('mails', columns, {
  indexes: [
    '(letter_id) where letter_id is not null',
    "(mail_id) where state = 'retrying'",
    // For the operator's list of mails.
    '(account_id)',
  ],
});
