import { hash, randomBytes } from 'node:crypto';
import type { NewServiceKey } from '../../commands/identity/service-identity.ts';
import type { KeyPurpose } from '../../events/service-identity.ts';
import type { TransactionalDb } from '../../ground/db.ts';
import { toBase32 } from '../../identity/encoding.ts';
import { ed25519FromSeed, type SigningKey } from '../../identity/keys.ts';
import type { Keyring } from '../keys/keyring.ts';

/** A seed under a root, which is numbered. */
type Sealed = { sealed: string; root: number };

/** Names the key by its public part, so that no id is ever used for two keys. */
const keyIdOf = (purpose: KeyPurpose, { publicKey }: SigningKey): string =>
  `${purpose}-${toBase32(hash('sha256', publicKey.bytes, 'buffer')).slice(0, 16)}`;

/** The private keys of the service: random seeds, sealed, durable before anything names them. */
export const createPrivateKeys = ({ db, keyring }: { db: TransactionalDb; keyring: Keyring }) => ({
  /** Makes and stores a key. */
  async make(purpose: KeyPurpose): Promise<NewServiceKey> {
    const seed = randomBytes(32);
    const key = ed25519FromSeed(seed);
    const keyId = keyIdOf(purpose, key);
    const { sealed, root } = keyring.seal(seed, 'identity', keyId);
    await db.query(
      'insert into identity.private_keys (key_id, sealed, wrapped_by) values ($1, $2, $3)',
      [keyId, sealed, root],
    );
    return { keyId, purpose, publicKey: key.multikey };
  },

  /** Forgets keys that were made and are not used. */
  async forget(keyIds: string[]): Promise<void> {
    if (keyIds.length === 0) return;
    await db.query('delete from identity.private_keys where key_id = any($1)', [keyIds]);
  },

  /** @throws Error when one is not there or does not open: its root is another one */
  async load(keyIds: string[]): Promise<Map<string, SigningKey>> {
    const { rows } = await db.query<Sealed & { key_id: string }>(
      'select key_id, sealed, wrapped_by as root from identity.private_keys where key_id = any($1)',
      [keyIds],
    );
    const sealed = new Map(rows.map((row) => [row.key_id, row]));
    return new Map(keyIds.map((keyId) => [keyId, unsealed(keyId, sealed.get(keyId), keyring)]));
  },
});

const unsealed = (keyId: string, sealed: Sealed | undefined, keyring: Keyring) => {
  if (sealed === undefined) {
    throw new Error(
      `the private part of the service key ${keyId} is missing: restore the table identity.private_keys`,
    );
  }
  try {
    return ed25519FromSeed(keyring.open(sealed, 'identity', keyId));
  } catch (error) {
    throw new Error(
      `the service key ${keyId} does not open: is the table identity.private_keys of the same backup as keys.roots?`,
      {
        cause: error,
      },
    );
  }
};
