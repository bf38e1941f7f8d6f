import { type Db, oneRow } from '../../ground/db.ts';

/** For the operator: whose a logo is, and whether it was deleted. */
export const logoOwner = (
  db: Db,
  logoId: string,
): Promise<{ account_id: string; deleted: boolean } | undefined> =>
  oneRow(db, 'select account_id, deleted from read_models.logos where logo_id = $1', [logoId]);
