import type { Db } from '../../ground/db.ts';

/** For the operator: whose a logo is, and whether it was deleted. */
export const logoOwner = async (
  db: Db,
  logoId: string,
): Promise<{ account_id: string; deleted: boolean } | undefined> => {
  const { rows } = await db.query<{ account_id: string; deleted: boolean }>(
    'select account_id, deleted from read_models.logos where logo_id = $1',
    [logoId],
  );
  return rows[0];
};
