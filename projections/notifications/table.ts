import {
  bigint,
  boolean,
  defineTable,
  fixed,
  key,
  optional,
  type RowOf,
  text,
  time,
  uuid,
} from '../upsert.ts';

const columns = {
  event_id: key(uuid()),
  position: fixed(bigint()),
  created_at: fixed(time()),
  letter_id: fixed(optional(uuid())),
  // Columns without an alignment come last.
  account_id: fixed(text()),
  type: fixed(text()),
  /** The letter's status after it, where it changed it. */
  status: fixed(optional(text())),
  /** In no list: it is of a letter that its owner deleted, and does not tell that. */
  hidden: boolean(),
};

export type NotificationRow = RowOf<typeof columns>;

export const notificationTable = defineTable('notifications', columns, {
  // PostgreSQL keeps equal keys once, so the position is left out: a letter has few notifications.
  own: ['(letter_id)'],
  indexes: ['(account_id, position) where not hidden'],
});
