import { bigint, defineTable, fixed, key, type RowOf, text, time, uuid } from '../upsert.ts';

const columns = {
  topup_id: key(uuid()),
  account_id: fixed(text()),
  method: fixed(text<'usdc' | 'lightning' | 'card'>()),
  status: text<'pending' | 'paid' | 'expired'>(),
  /** By which what takes the money names it: amount of the transfer, payment hash, checkout session. */
  external_id: fixed(text()),
  amount_micro: fixed(bigint()),
  requested_at: fixed(time()),
  expires_at: fixed(time()),
};

export type TopUpRow = RowOf<typeof columns>;

export const topUpTable = defineTable('top_ups', columns, {
  indexes: [
    '(method, external_id)',
    `(expires_at) where status = 'pending'`,
    // For the export and the erasure of an account.
    '(account_id, topup_id)',
  ],
});
