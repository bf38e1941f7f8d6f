import { bigint, defineTable, fixed, key, type RowOf, text, time, uuid } from '../upsert.ts';

const letterColumns = {
  // In the order in which a list of the letters of a credential is read.
  account_id: key(text()),
  /** The id of a key, or `ucan:<cid>`. */
  maker: key(text()),
  created_at: key(time()),
  created_position: key(bigint()),
  letter_id: uuid(),
};

/** The credential that made each letter. */
export const letterMakerTable = defineTable('letter_makers', letterColumns);

const countColumns = {
  /** `<account_id>/<maker>` */
  id: key(text()),
  account_id: fixed(text()),
  maker: fixed(text()),
  /** Letters that were sent at once, without a draft. */
  letters: bigint(),
  drafts: bigint(),
  keys: bigint(),
  ucans: bigint(),
  contracts: bigint(),
};

export type MadeRow = RowOf<typeof countColumns>;

/** How much each credential made. */
export const madeTable = defineTable('made_counts', countColumns, { busy: true });
