import type { Db } from '../../ground/db.ts';

/** Nonces that were used, in every process. */
export const createUsedNonces = (db: Db) => ({
  /** Whether this is its first use. */
  async use(nonce: string, expiresAtMs: number): Promise<boolean> {
    const { rowCount } = await db.query(
      'insert into payments.used_nonces (nonce, expires_at) values ($1, $2) on conflict do nothing',
      [nonce, new Date(expiresAtMs)],
    );
    return rowCount === 1;
  },

  async sweep(now: number): Promise<void> {
    await db.query('delete from payments.used_nonces where expires_at < $1', [new Date(now)]);
  },
});
