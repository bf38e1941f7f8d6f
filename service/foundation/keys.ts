/** The keys of the service. The roots that they are derived from stay in here. */
import { hasOwnEvents } from '../../events/own-streams.ts';
import type { Log } from '../../ground/log.ts';
import type { RotatingKey } from '../../ground/rotating-key.ts';
import type { ServiceKeys } from '../../infra/identity/service-keys.ts';
import type { StoredDataKeys } from '../../infra/keys/data-keys.ts';
import { createIndexer } from '../../infra/keys/derive.ts';
import { createKeyring, type Keyring, type Roots } from '../../infra/keys/keyring.ts';
import { openRoots } from '../../infra/keys/open-roots.ts';
import { findProvider } from '../../infra/keys/providers/find-provider.ts';
import type { Config } from '../config/config.ts';
import type { Storage } from './storage.ts';

/** The keys that are derived from the roots. */
export type DerivedKeys = {
  /** The key for one purpose: the same in every process and after every start, until the root is rotated. */
  derive: (purpose: string) => RotatingKey;
  /** Keyed digest under which a personal value is found again. */
  indexOf: (kind: string, value: string) => string;
};

export type Keys = DerivedKeys & {
  /** The roots that this process knows. */
  keyring: Keyring;
  /** Of personal data: one per subject, forgotten to erase. */
  dataKeys: StoredDataKeys;
  /** Writes into the journal of erasures, durably, that the erasure of a subject began. */
  noteErasureBegun: (subject: string) => Promise<void>;
  /** The signing keys of the service, by its identity. */
  serviceKeys: ServiceKeys;
};

/** This root indexes the values in events and tables for good. */
const indexRoot = 1;

type Opened = DerivedKeys & { keyring: Keyring; loadRoots: () => Promise<Roots> };

/**
 * Opens the roots; makes the first one if there is no data yet.
 * @throws StartRefused when their key is missing, damaged, does not answer, or is another one although there is data
 */
export const openDerivedKeys = async (
  config: Config,
  log: Log,
  { readDb, store }: Pick<Storage, 'readDb' | 'store'>,
): Promise<Opened> => {
  const loadRoots = (): Promise<Roots> =>
    openRoots({
      findProvider: () => findProvider(config),
      dataDir: config.dataDir,
      db: readDb,
      hasEvents: () => hasOwnEvents(store),
      log: (line) => log.warn({}, line),
    });
  const keyring = createKeyring(await loadRoots());
  return {
    keyring,
    loadRoots,
    derive: (purpose) => () => keyring.keys(purpose),
    indexOf: createIndexer(keyring.keyUnder(indexRoot, 'index')),
  };
};
