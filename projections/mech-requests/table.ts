import { defineTable, fixed, key, type RowOf, text, time, uuid } from '../upsert.ts';

const columns = {
  request_key: key(uuid()),
  account_id: fixed(text()),
  status: text<'claimed' | 'served' | 'refused'>(),
  claimed_at: time(),
};

export type MechRequestRow = RowOf<typeof columns>;

export const mechRequestTable = defineTable('mech_requests', columns, {
  indexes: ["(claimed_at) where status = 'claimed'"],
});
