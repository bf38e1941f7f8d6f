import {
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

/** The journey of a letter, without its owner. */
const columns = {
  letter_id: key(uuid()),
  test: fixed(boolean()),
  intent: text(),
  service: text(),
  country: text(),
  production_at: optional(time()),
  posted_at: optional(time()),
  /**
   * From when its days count: the posting, or the beginning of production if nobody reported the posting, so
   * that a letter never looks faster than it was.
   */
  counts_from: optional(time()),
  delivered_at: optional(time()),
  returned_at: optional(time()),
};

export type AttainmentRow = RowOf<typeof columns>;

export const attainmentTable = defineTable('attainment', columns, {
  indexes: ['(test, posted_at) where posted_at is not null'],
});
