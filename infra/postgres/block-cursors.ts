import type { Db } from '../../ground/db.ts';

type Address = { network: string; asset: string; payTo: string };

/** Where the chain of an address was read to; kept only after everything up to there was taken. */
export const createBlockCursor = (db: Db, { network, asset, payTo }: Address) => {
  const chain = `${network}:${asset}:${payTo}`;
  return {
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
        `insert into payments.block_cursors as at (chain, block, first_block) values ($1, $2, $2)
         on conflict (chain) do update set block = greatest(at.block, excluded.block)`,
        [chain, block],
      );
    },
  };
};

/** More than a day on chains with a block every two seconds. */
const blocksReadAgain = 50_000;

/** After a restore: the log may be older than the cursor. Taking a transfer twice changes nothing. */
export const rewindBlockCursors = async (db: Db): Promise<void> => {
  await db.query(
    'update payments.block_cursors set block = greatest(block - $1, coalesce(first_block, block))',
    [blocksReadAgain],
  );
};
