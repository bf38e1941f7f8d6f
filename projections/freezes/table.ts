import { bigint, boolean, defineTable, key, type RowOf, text, time } from '../upsert.ts';

/** Whether a subject of an account spends. */
const columns = {
  account_id: key(text()),
  /** `account`, the id of a key, or `ucan:<cid>`. */
  subject: key(text()),
  frozen: boolean(),
  /** When that changed last. */
  since: time(),
  /** The event that changed it last, so that caches can read changes only. */
  changed_position: bigint(),
};

export type FreezeRow = RowOf<typeof columns>;

export const freezeTable = defineTable('freezes', columns, { indexes: ['(changed_position)'] });
