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
  payment_id: key(uuid()),
  account_id: text(),
  status: text<'claimed' | 'settled' | 'reverted' | 'lapsed'>(),
  network: fixed(text()),
  amount_micro: fixed(bigint()),
  transaction: optional(text()),
  claimed_at: fixed(time()),
  /** Last: a payment that the chain forgot may be settled again. */
  settled_at: optional(time()),
};

export type PaymentRow = RowOf<typeof columns>;

export const paymentTable = defineTable('payments', columns, {
  indexes: [
    // The few payments that are not over. Background work finds them by the same condition.
    "(payment_id) where status in ('claimed', 'reverted')",
    // Background work looks for settled payments of the last hour every few seconds.
    "(settled_at) where status = 'settled'",
    // For the export and the erasure of an account.
    '(account_id, payment_id)',
  ],
});
