import type { GasHolds } from '../../commands/payments/payer-gas.ts';
import type { Db } from '../../ground/db.ts';

/** Payments that nobody finished. Returns how many rows went. */
export const sweepGasHolds = async (db: Db): Promise<number> => {
  const { rowCount } = await db.query(
    'delete from limits.gas_holds where until < clock_timestamp()',
  );
  return rowCount ?? 0;
};

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

  async giveBack(paymentId) {
    await db.query('delete from limits.gas_holds where payment_id = $1', [paymentId]);
  },
});
