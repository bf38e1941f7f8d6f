import {
  bigint,
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
  position: key(bigint()),
  event_id: fixed(uuid()),
  account_id: fixed(text()),
  letter_id: fixed(optional(uuid())),
  type: fixed(text()),
  /** The letter's status after it, where it changed it. */
  status: fixed(optional(text())),
  created_at: fixed(time()),
};

export type NotificationRow = RowOf<typeof columns>;

export const notificationTable = defineTable('notifications', columns, {
  own: ['(letter_id, position)'],
  indexes: ['(account_id, position)'],
});
