import { uuidv5 } from '../../ground/uuid.ts';
import { bigint, defineTable, key, type RowOf, text, time, uuid } from '../upsert.ts';

/** The namespace of `makerKeyOf`. */
const namespace = '6d616b65-0000-5000-8000-6c6574746572';

/** A credential of an account in 16 bytes. @param maker the id of a key, or `ucan:<cid>` */
export const makerKeyOf = (accountId: string, maker: string): string =>
  uuidv5(namespace, `${accountId}/${maker}`);

const letterColumns = {
  // In the order in which a list of the letters of a credential is read.
  /** See `makerKeyOf`: each letter has a row and an entry in the index, so the ids would take more space than the rest. */
  maker: key(uuid()),
  created_at: key(time()),
  created_position: key(bigint()),
  letter_id: uuid(),
};

/** The credential that made each letter. */
export const letterMakerTable = defineTable('letter_makers', letterColumns);

const countColumns = {
  /** `<account_id>/<maker>` */
  id: key(text()),
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
