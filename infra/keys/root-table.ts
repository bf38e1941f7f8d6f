/** The roots where they are kept: in `keys.roots`, sealed in `keys.root_seals`. */

import {
  decodeMaterial,
  encodeMaterial,
  type Root,
  type RootMaterial,
  type RootState,
  type Roots,
} from './keyring.ts';
import { type KeyProvider, KeyProviderFailed } from './providers/provider.ts';

/** A database, a transaction, or a connection. */
type Queryable = { query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }> };

type RootSeal = { root: number; kek: string; sealed: string };

/** The rows; `version` counts the changes. */
export type StoredRoots = {
  version: number;
  roots: { n: number; state: RootState }[];
  seals: RootSeal[];
};

/** One statement, so that all of it is of one moment. */
const select = `
select (select version from keys.root_version) as version,
  coalesce((select json_agg(json_build_object('n', n, 'state', state) order by n) from keys.roots), '[]') as roots,
  coalesce((select json_agg(json_build_object('root', root, 'kek', kek, 'sealed', sealed) order by root, kek)
            from keys.root_seals), '[]') as seals`;

export const readStoredRoots = async (db: Queryable): Promise<StoredRoots> => {
  const { rows } = await db.query(select);
  return rows[0] as StoredRoots;
};

/** Key-encryption keys that sealed roots later than this one did. */
export const laterKeks = async (db: Queryable, { kek }: KeyProvider): Promise<string[]> => {
  const { rows } = await db.query(
    `select kek from keys.root_seals group by kek
     having max(sealed_at) > (select max(sealed_at) from keys.root_seals where kek = $1)`,
    [kek],
  );
  return (rows as { kek: string }[]).map((row) => row.kek);
};

/** Authenticated with the sealed root. */
const contextOf = (n: number): string => `root ${n}`;

export const sealRoot = (
  provider: KeyProvider,
  { n, material }: { n: number; material: RootMaterial },
): Promise<string> => provider.seal(encodeMaterial(material), contextOf(n));

/** @throws KeyProviderFailed */
const openRoot = async (provider: KeyProvider, stored: StoredRoots, n: number) => {
  const seal = stored.seals.find(({ root, kek }) => root === n && kek === provider.kek);
  if (seal) return decodeMaterial(await provider.open(seal.sealed, contextOf(n)));
  throw new KeyProviderFailed(notSealedBy(provider));
};

const notSealedBy = ({ name, masterKey }: KeyProvider): string =>
  masterKey
    ? `${name} is not the master key that the data here was sealed with: restore that key from your backup, or set DATA_DIR and DATABASE_URL to the data of this key.`
    : `The data here was not sealed with ${name}: set the key settings as they were, or see docs/keys.md for how to change the key.`;

/** Opens every root. @throws KeyProviderFailed */
export const openStoredRoots = async (
  provider: KeyProvider,
  stored: StoredRoots,
): Promise<Roots> => {
  const list: Root[] = [];
  for (const { n, state } of stored.roots) {
    list.push({ n, state, material: await openRoot(provider, stored, n) });
  }
  return { version: stored.version, list };
};

/** Counts a change and tells every process. Within the transaction of the change. */
export const changeVersion = async (db: Queryable): Promise<void> => {
  await db.query('update keys.root_version set version = version + 1');
  await db.query("select pg_notify('key_roots', '')");
};

/** Seals every root with one more key-encryption key, also where that was done before. */
export const sealRoots = async (
  db: Queryable,
  provider: KeyProvider,
  { list }: Roots,
): Promise<void> => {
  const sealed = await Promise.all(list.map((root) => sealRoot(provider, root)));
  await db.query(
    `insert into keys.root_seals (root, kek, sealed)
     select root, $3, sealed from unnest($1::int[], $2::text[]) as s (root, sealed)
     on conflict (root, kek) do update set sealed = excluded.sealed, sealed_at = now()`,
    [list.map(({ n }) => n), sealed, provider.kek],
  );
};

/** Stores a new root. Within a transaction. */
export const insertRoot = async (
  db: Queryable,
  provider: KeyProvider,
  root: Root,
): Promise<void> => {
  const sealed = await sealRoot(provider, root);
  await db.query('insert into keys.roots (n, state) values ($1, $2)', [root.n, root.state]);
  await db.query('insert into keys.root_seals (root, kek, sealed) values ($1, $2, $3)', [
    root.n,
    provider.kek,
    sealed,
  ]);
  await changeVersion(db);
};
