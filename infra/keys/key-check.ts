/** A value that the active root sealed: by it a wrong key is noticed before anything is read or written. */
import { open, seal } from '../../events/sealing.ts';
import { deriveKey } from './derive.ts';
import { keyOf, type RootMaterial } from './keyring.ts';

/** Authenticated with the check value; its content says nothing. */
const context = 'master-key-check';

/** A value that a key of this database sealed, and what is derived from it for that. */
type Sealed = { sealed: string; purpose: string; context: string };

/** A database, or a connection to one. */
type SealedIn = { query(text: string): Promise<{ rows: unknown[] }> };

/** The check value; of a database of an earlier version, a data key. */
export const findSealed = async (db: SealedIn): Promise<Sealed | undefined> => {
  const { rows } = await db.query(
    `select sealed, 'check' as purpose, '${context}' as context from keys.master_key_check
     union all
     (select wrapped, 'wrap', subject from keys.data_keys where wrapped is not null limit 1)
     order by purpose limit 1`,
  );
  return rows[0] as Sealed | undefined;
};

/** Whether the value was sealed with this root. */
export const opens = (root: RootMaterial, { sealed, purpose, context: about }: Sealed): boolean => {
  const key = keyOf(root, purpose);
  try {
    if (key) open(sealed, key, about);
    return key !== undefined;
  } catch {
    return false;
  }
};

/** Whether a check value was sealed with this root. */
export const opensCheck = (root: RootMaterial, sealed: string): boolean =>
  opens(root, { sealed, purpose: 'check', context });

/** A check value of this root. */
export const sealCheck = (root: Buffer): string => seal('', deriveKey(root, 'check'), context);
