import {
  bigint,
  boolean,
  defineTable,
  fixed,
  key,
  type RowOf,
  text,
  time,
  uuid,
} from '../upsert.ts';

export const topUpStatuses = ['pending', 'paid', 'expired'] as const;
export type TopUpStatus = (typeof topUpStatuses)[number];

const columns = {
  topup_id: key(uuid()),
  account_id: fixed(text()),
  method: fixed(text<'usdc' | 'lightning' | 'card'>()),
  status: text<TopUpStatus>(),
  /** By which what takes the money names it: amount of the transfer, payment hash, checkout session. */
  external_id: fixed(text()),
  amount_micro: fixed(bigint()),
  requested_at: fixed(time()),
  requested_position: fixed(bigint()),
  expires_at: fixed(time()),
  /** Its money is for the letter of an order. */
  of_order: boolean(),
};

export type TopUpRow = RowOf<typeof columns>;

export const topUpTable = defineTable('top_ups', columns, {
  indexes: [
    '(method, external_id)',
    `(expires_at) where status = 'pending'`,
    '(account_id, status, requested_position) where not of_order',
    // For the export and the erasure of an account.
    '(account_id, topup_id)',
  ],
});
