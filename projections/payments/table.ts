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
};

export type PaymentRow = RowOf<typeof columns>;

export const paymentTable = defineTable('payments', columns);
