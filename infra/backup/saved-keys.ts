/** The keys in a backup, as they are sealed for its recipients. */
import { decodeMaterial, encodeMaterial, type Roots } from '../keys/keyring.ts';
import { parseMasterKey } from '../keys/master-key.ts';
import type { StoredRoots } from '../keys/root-table.ts';

/** `masterKey`: the key-encryption key, if it is not in a key service. */
export type SavedKeys = { roots: Roots; masterKey: Buffer | undefined };

type Saved = { master_key?: string; roots: { n: number; key: string }[] };

export const writeKeys = ({ roots, masterKey }: SavedKeys): string => {
  const saved: Saved = {
    ...(masterKey ? { master_key: masterKey.toString('base64') } : {}),
    roots: roots.list.map(({ n, material }) => ({
      n,
      key: encodeMaterial(material).toString('base64'),
    })),
  };
  return JSON.stringify(saved);
};

/** Undefined where a root of the backup is missing. */
export const readKeys = (text: string, stored: StoredRoots): SavedKeys | undefined => {
  const { master_key: masterKey, roots } = JSON.parse(text) as Saved;
  const found = stored.roots.flatMap((root) => {
    const saved = roots.find(({ n }) => n === root.n);
    return saved ? [{ ...root, material: decodeMaterial(Buffer.from(saved.key, 'base64')) }] : [];
  });
  if (found.length < stored.roots.length) return undefined;
  return {
    roots: { version: stored.version, list: found },
    masterKey: masterKey === undefined ? undefined : parseMasterKey(masterKey),
  };
};
