/** Bookkeeping records of an erased account: references of credits, opened while the account's key exists. */
import { accountStream } from '../../events/account.ts';
import type { DataKeys } from '../../events/data-keys.ts';
import { open } from '../../events/sealing.ts';
import type { Db } from '../../ground/db.ts';
import { referencesOf, yearsOfBooks } from './account-data.ts';

/** As many as one append holds. The amounts and times of all others stay in the wallet's stream. */
const mostReferences = 300;

type Kept = { year: number; references: { eventId: string; reference: string }[] };

export const booksOf = async (
  { db, dataKeys }: { db: Db; dataKeys: Pick<DataKeys, 'get'> },
  accountId: string,
): Promise<Kept[]> => {
  const key = await dataKeys.get(accountStream(accountId));
  const kept: Kept[] = [];
  for (const year of await yearsOfBooks(db, accountId)) {
    const rows = await referencesOf(db, accountId, year, mostReferences);
    const references = rows.flatMap(({ eventId, sealed }) => {
      const personal = key && JSON.parse(open(sealed, key, eventId).toString('utf8'));
      const reference: unknown = personal?.reference;
      return typeof reference === 'string' ? [{ eventId, reference }] : [];
    });
    kept.push({ year, references });
  }
  return kept;
};
