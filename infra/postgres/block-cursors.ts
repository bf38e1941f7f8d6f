import type { Db } from '../../ground/db.ts';

/** Where a chain was read to; kept only after everything up to there was taken. */
export const createBlockCursor = (db: Db, chain: string) => ({
  async read(): Promise<number | undefined> {
    const { rows } = await db.query<{ block: bigint }>(
      'select block from payments.block_cursors where chain = $1',
      [chain],
    );
    return rows[0] && Number(rows[0].block);
  },
  /** Never goes back. */
  async save(block: number): Promise<void> {
    await db.query(
      `insert into payments.block_cursors as at (chain, block) values ($1, $2)
       on conflict (chain) do update set block = greatest(at.block, excluded.block)`,
      [chain, block],
    );
  },
});
