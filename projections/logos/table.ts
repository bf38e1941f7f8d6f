import { boolean, defineTable, fixed, key, type RowOf, text } from '../upsert.ts';

const columns = {
  /** A keyed digest of account and image: of one account. */
  logo_id: key(text()),
  account_id: fixed(text()),
  deleted: boolean(),
};

export type LogoRow = RowOf<typeof columns>;

export const logoTable = defineTable('logos', columns);
