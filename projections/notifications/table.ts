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
  account_id: fixed(text()),
  position: fixed(bigint()),
  letter_id: fixed(optional(uuid())),
  type: fixed(text()),
  /** The letter's status after it, where it changed it. */
  status: fixed(optional(text())),
  created_at: fixed(time()),
  /** In no list: it is of a letter that its owner deleted, and does not tell that. */
  hidden: boolean(),
};

export type NotificationRow = RowOf<typeof columns>;

export const notificationTable = defineTable('notifications', columns, {
  own: ['(letter_id, position)'],
  indexes: ['(account_id, position) where not hidden'],
});
