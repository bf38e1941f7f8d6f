/** Whether the master key can be read, fits the data, and opens the keys that the service signs with. */
import { stat } from 'node:fs/promises';
import type { Client } from 'pg';
import { type Finding, fail, ok, warn } from '../../ground/check.ts';
import { findSealed, opens } from './key-check.ts';
import { createKeyring, type Roots } from './keyring.ts';
import { findProvider, type KeyPlace } from './providers/find-provider.ts';
import { openStoredRoots, readStoredRoots, type StoredRoots } from './root-table.ts';

const restoreKey =
  'restore the key from your backup, or set KEY_PROVIDER and its settings as they were';
const finish = 'npm run operator -- rotate-master says what is left to do';

/** Data keys that an earlier root wrapped. */
const staleKeys = async (client: Client, { list }: Roots): Promise<number> => {
  const old = list.filter(({ state }) => state === 'old').map(({ n }) => n);
  if (old.length === 0) return 0;
  const { rows } = await client.query<{ count: number }>(
    'select count(*)::int from keys.data_keys where wrapped is not null and wrapped_by = any($1)',
    [old],
  );
  return rows[0]?.count ?? 0;
};

/** A change of the roots, or of the key over them, that is not finished. */
const unfinished = async (
  client: Client,
  { seals }: StoredRoots,
  roots: Roots,
): Promise<Finding | undefined> => {
  const keks = new Set(seals.map(({ kek }) => kek));
  if (keks.size > 1) return warn('the roots are sealed with two keys', finish);
  const stale = await staleKeys(client, roots);
  if (stale > 0) return warn(`${stale} data keys are wrapped by an earlier root`, finish);
  const isOpen = roots.list.some(({ state }) => state === 'added' || state === 'old');
  return isOpen ? warn('a rotation of the root is not finished', finish) : undefined;
};

/** Undefined: only its user can read it. */
const readableFile = async (path: string): Promise<Finding | undefined> => {
  const mode = (await stat(path)).mode & 0o777;
  if ((mode & 0o077) === 0) return undefined;
  const found = `${path} can be read by other users (mode ${mode.toString(8)})`;
  return warn(found, `chmod 600 ${path}`);
};

/** The key-encryption key, and that it opens every root of this database. */
export const findMasterKey = async (place: KeyPlace, client: Client): Promise<Finding> => {
  const provider = await findProvider(place);
  const stored = await readStoredRoots(client);
  const sealed = await findSealed(client);
  const hasData = sealed !== undefined || stored.roots.length > 0;
  if (!provider) {
    if (hasData)
      return fail('there is no master key, but data that was sealed with one', restoreKey);
    return warn('there is no master key yet', 'start the service once; it makes one');
  }
  if (stored.roots.length === 0) {
    const fits = !sealed || (provider.masterKey && opens(provider.masterKey, sealed));
    if (!fits) return fail(`${provider.name} is not the key of this database`, restoreKey);
    return warn('there are no roots yet', 'start the service once; it makes them');
  }
  if (!stored.seals.some(({ kek }) => kek === provider.kek)) {
    return fail(`${provider.name} is not the key of this database`, restoreKey);
  }
  const roots = await openStoredRoots(provider, stored);
  const inFile = place.keys.provider === 'local' && provider.name !== 'MASTER_KEY';
  const readable = inFile ? await readableFile(provider.name) : undefined;
  return (
    readable ?? (await unfinished(client, stored, roots)) ?? ok(`${provider.name} fits the data`)
  );
};

/** The private keys of the service: those that its identity names, and that each of them opens. */
export const findSigningKeys = async (
  place: KeyPlace,
  client: Client,
  identity: { did: string; keys: readonly { keyId: string; purpose: string }[] } | undefined,
): Promise<Finding> => {
  const provider = await findProvider(place);
  const stored = await readStoredRoots(client);
  if (!identity || !provider || stored.roots.length === 0) {
    return warn('the service has no identity yet', 'start the service once; it makes its keys');
  }
  const { rows } = await client.query<{ key_id: string; sealed: string; root: number }>(
    'select key_id, sealed, wrapped_by as root from identity.private_keys',
  );
  const keyring = createKeyring(await openStoredRoots(provider, stored));
  const opensKey = (keyId: string): boolean => {
    const row = rows.find(({ key_id: id }) => id === keyId);
    try {
      return row !== undefined && keyring.open(row, 'identity', keyId).length === 32;
    } catch {
      return false;
    }
  };
  const lost = identity.keys.filter(({ keyId }) => !opensKey(keyId));
  if (lost.length === 0) return ok(`${identity.did}: all ${identity.keys.length} keys open`);
  return fail(
    `${identity.did}: ${lost.map(({ keyId }) => keyId).join(', ')} cannot be opened`,
    'restore the table identity.private_keys from a backup of the same roots',
  );
};
