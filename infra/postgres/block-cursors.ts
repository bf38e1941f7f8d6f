import type { Db } from '../../ground/db.ts';

type Address = { network: string; asset: string; payTo: string };

const nameOf = ({ network, asset, payTo }: Address): string => `${network}:${asset}:${payTo}`;

/** Where the chain of an address was read to; kept only after everything up to there was taken. */
export const createBlockCursor = (db: Db, address: Address) => {
  const chain = nameOf(address);
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

/** The addresses and tokens of former settings on this network. */
export const formerAddresses = async (db: Db, current: Address): Promise<Address[]> => {
  const { network } = current;
  const { rows } = await db.query<{ chain: string }>(
    `select chain from payments.block_cursors
     where starts_with(chain, $1) and chain <> $2 order by chain`,
    [`${network}:`, nameOf(current)],
  );
  return rows.map(({ chain }) => {
    const [asset = '', payTo = ''] = chain.slice(network.length + 1).split(':');
    return { network, asset, payTo };
  });
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
