import type { Db } from '../../ground/db.ts';

/** How much a credential made of each kind. */
export type Made = Record<'letters' | 'drafts' | 'keys' | 'ucans' | 'contracts', number>;

const nothing: Made = { letters: 0, drafts: 0, keys: 0, ucans: 0, contracts: 0 };

/** One row for each credential, found by its key. @param makers ids of keys, and `ucan:<cid>` */
export const madeBy = async (
  db: Db,
  accountId: string,
  makers: readonly string[],
): Promise<(maker: string) => Made> => {
  const { rows } = await db.query<Record<keyof Made, bigint> & { id: string }>(
    `select id, letters, drafts, keys, ucans, contracts from read_models.made_counts
     where id = any($1)`,
    [makers.map((maker) => `${accountId}/${maker}`)],
  );
  const found = new Map(
    rows.map(({ id, letters, drafts, keys, ucans, contracts }) => [
      id,
      {
        letters: Number(letters),
        drafts: Number(drafts),
        keys: Number(keys),
        ucans: Number(ucans),
        contracts: Number(contracts),
      },
    ]),
  );
  return (maker) => found.get(`${accountId}/${maker}`) ?? nothing;
};
