import type { GasHolds } from '../../commands/payments/payer-gas.ts';
import type { Db } from '../../ground/db.ts';
import { giveBackHolds } from './holds.ts';

type Row = { held: 'now' | 'before' | null; ahead: bigint };

/** Holds in PostgreSQL, for all processes on one database. */
export const createGasHolds = (db: Db): GasHolds => ({
  async hold({ paymentId, payerId, gas, ceiling, amountMicro, seconds }) {
    const { rows } = await db.query<Row>('select * from limits.hold_gas($1, $2, $3, $4, $5, $6)', [
      payerId,
      paymentId,
      gas,
      ceiling,
      amountMicro,
      seconds,
    ]);
    const [row] = rows;
    if (!row) throw new Error('hold_gas answers with a row');
    return { held: row.held ?? undefined, aheadMicro: row.ahead };
  },

  giveBack: (paymentId) => giveBackHolds(db, ['gas', 'payments'], paymentId),
});
