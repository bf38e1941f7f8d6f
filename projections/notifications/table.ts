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
  // The key is what a list goes through. One on the position alone would lead through those of all accounts.
  account_id: key(text()),
  position: key(bigint()),
  event_id: key(uuid()),
  letter_id: fixed(optional(uuid())),
  type: fixed(text()),
  /** The letter's status after it, where it changed it. */
  status: fixed(optional(text())),
  created_at: fixed(time()),
};

export type NotificationRow = RowOf<typeof columns>;

export const notificationTable = defineTable('notifications', columns, {
  own: ['(letter_id, position)'],
});
