import { liveIndexes } from '../live-rows.ts';
import { bigint, defineTable, fixed, key, optional, type RowOf, text, time } from '../upsert.ts';

const columns = {
  cid: key(text()),
  account_id: fixed(text()),
  issued_at: fixed(time()),
  issued_position: fixed(bigint()),
  /** Null: never. */
  expires_at: fixed(optional(time())),
  revoked_at: optional(time()),
};

export type UcanRow = RowOf<typeof columns>;

export const ucanTable = defineTable('ucans', columns, {
  indexes: [
    ...liveIndexes('issued_position'),
    // All UCANs of an account: for its export and its erasure.
    '(account_id, cid)',
  ],
});
