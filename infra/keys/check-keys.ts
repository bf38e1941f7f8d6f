/** Whether the master key can be read, fits the data, and opens the keys that the service signs with. */
import { stat } from 'node:fs/promises';
import type { Client } from 'pg';
import { open } from '../../events/sealing.ts';
import { type Finding, fail, ok, warn } from '../../ground/check.ts';
import { deriveKey } from './derive.ts';
import { readMasterKey } from './master-key.ts';
import { findSealed, opens } from './open-master-key.ts';

const restoreKey = 'restore the master key from your backup (DATA_DIR/master.key or MASTER_KEY)';

type Place = { masterKey: Buffer | undefined; dataDir: string };

/** The master key, and that it is the one of this database. `client` is absent where there is no database. */
export const findMasterKey = async (place: Place, client: Client): Promise<Finding> => {
  const master = await readMasterKey(place);
  const sealed = await findSealed(client);
  if (!master) {
    if (sealed)
      return fail('there is no master key, but data that was sealed with one', restoreKey);
    return warn('there is no master key yet', 'start the service once; it makes one');
  }
  if (sealed && !opens(master, sealed)) {
    return fail(`${master.source} is not the key of this database`, restoreKey);
  }
  if (master.source === 'MASTER_KEY') return ok('MASTER_KEY fits the data');
  const { mode } = await stat(master.source);
  if ((mode & 0o077) !== 0) {
    return warn(
      `${master.source} can be read by other users (mode ${(mode & 0o777).toString(8)})`,
      `chmod 600 ${master.source}`,
    );
  }
  return ok(`${master.source} fits the data`);
};

/** The private keys of the service: those that its identity names, and that each of them opens. */
export const findSigningKeys = async (
  place: Place,
  client: Client,
  identity: { did: string; keys: readonly { keyId: string; purpose: string }[] } | undefined,
): Promise<Finding> => {
  const master = await readMasterKey(place);
  if (!identity || !master) {
    return warn('the service has no identity yet', 'start the service once; it makes its keys');
  }
  const { rows } = await client.query<{ key_id: string; sealed: string }>(
    'select key_id, sealed from identity.private_keys',
  );
  const wrapping = deriveKey(master.key, 'identity');
  const opensKey = (keyId: string): boolean => {
    const sealed = rows.find(({ key_id: id }) => id === keyId)?.sealed;
    try {
      return sealed !== undefined && open(sealed, wrapping, keyId).length === 32;
    } catch {
      return false;
    }
  };
  const lost = identity.keys.filter(({ keyId }) => !opensKey(keyId));
  if (lost.length === 0) return ok(`${identity.did}: all ${identity.keys.length} keys open`);
  return fail(
    `${identity.did}: ${lost.map(({ keyId }) => keyId).join(', ')} cannot be opened`,
    'restore the table identity.private_keys from a backup of the same master key',
  );
};
