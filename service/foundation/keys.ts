/** The keys of the service. The master key itself stays in here. */
import type { KeyObject } from 'node:crypto';
import type { DataKeys } from '../../events/data-keys.ts';
import { hasOwnEvents } from '../../events/own-streams.ts';
import type { Log } from '../../ground/log.ts';
import type { ServiceKeys } from '../../infra/identity/service-keys.ts';
import { createIndexer, deriveKey } from '../../infra/keys/derive.ts';
import { openMasterKey } from '../../infra/keys/open-master-key.ts';
import type { Config } from '../config/config.ts';
import type { Storage } from './storage.ts';

/** What is made of the master key. */
export type DerivedKeys = {
  /** The key for one purpose: the same in every process and after every start. */
  derive: (purpose: string) => KeyObject;
  /** Keyed digest under which a personal value is found again. */
  indexOf: (kind: string, value: string) => string;
};

export type Keys = DerivedKeys & {
  /** Of what is personal: one per subject, forgotten to erase. */
  dataKeys: DataKeys;
  /** What the service signs with, by its identity. */
  serviceKeys: ServiceKeys;
};

/**
 * Loads the master key, which is made where there is no data yet.
 * @throws StartRefused when it is missing, damaged or another one beside existing data
 */
export const openDerivedKeys = async (
  config: Config,
  log: Log,
  { readDb, store }: Pick<Storage, 'readDb' | 'store'>,
): Promise<DerivedKeys> => {
  const masterKey = await openMasterKey({
    masterKey: config.masterKey,
    dataDir: config.dataDir,
    db: readDb,
    hasEvents: () => hasOwnEvents(store),
    log: (line) => log.warn({}, line),
  });
  return {
    derive: (purpose) => deriveKey(masterKey, purpose),
    indexOf: createIndexer(masterKey),
  };
};
