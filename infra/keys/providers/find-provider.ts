/** The key-encryption key that the settings name. Libraries of providers that are not chosen are not loaded. */
import { type MasterKey, readMasterKey } from '../master-key.ts';
import type { KmsOptions } from './aws-kms.ts';
import { createLocalProvider } from './local.ts';
import type { KeyProvider } from './provider.ts';
import type { VaultOptions } from './vault.ts';

export type KeySettings =
  | { provider: 'local' }
  | ({ provider: 'vault' } & VaultOptions)
  | ({ provider: 'aws-kms' } & KmsOptions)
  | { provider: 'age'; identity: string };

/** Where the key is: `masterKey` is that of the environment. */
export type KeyPlace = { keys: KeySettings; masterKey: Buffer | undefined; dataDir: string };

const localProvider = (found: MasterKey | undefined): KeyProvider | undefined =>
  found && createLocalProvider(found);

/**
 * Undefined: the key of a file that is not there.
 * @throws StartRefused when the file holds something else
 */
export const findProvider = async (place: KeyPlace): Promise<KeyProvider | undefined> => {
  const { keys } = place;
  switch (keys.provider) {
    case 'local':
      return localProvider(await readMasterKey(place));
    case 'vault':
      return (await import('./vault.ts')).createVaultProvider(keys);
    case 'aws-kms':
      return (await import('./aws-kms.ts')).createKmsProvider(keys);
    case 'age':
      return (await import('./age.ts')).createAgeProvider(keys.identity);
  }
};
