/** The master key of a file or of the environment as key-encryption key. */
import { hash } from 'node:crypto';
import { open, seal } from '../../../events/sealing.ts';
import { toBase32 } from '../../../identity/encoding.ts';
import { deriveKey } from '../derive.ts';
import type { MasterKey } from '../master-key.ts';
import { type KeyProvider, KeyProviderFailed } from './provider.ts';

/** Says nothing about the key, and differs from that of every other key. */
const nameOf = (key: Buffer): string =>
  toBase32(hash('sha256', deriveKey(key, 'kek-name').export(), 'buffer')).slice(0, 16);

export const createLocalProvider = ({ key, source }: MasterKey): KeyProvider => {
  const sealing = deriveKey(key, 'roots');
  return {
    kek: `local:${nameOf(key)}`,
    name: source,
    seal: async (plain, context) => seal(plain, sealing, context),
    async open(sealed, context) {
      try {
        return open(sealed, sealing, context);
      } catch {
        throw new KeyProviderFailed(`${source} does not open ${context}: restore keys.root_seals`);
      }
    },
    masterKey: key,
  };
};
