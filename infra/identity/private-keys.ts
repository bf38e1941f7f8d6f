import { hash, type KeyObject, randomBytes } from 'node:crypto';
import type { NewServiceKey } from '../../commands/identity/service-identity.ts';
import { open, seal } from '../../events/sealing.ts';
import type { KeyPurpose } from '../../events/service-identity.ts';
import type { TransactionalDb } from '../../ground/db.ts';
import { toBase32 } from '../../identity/encoding.ts';
import { ed25519FromSeed, type SigningKey } from '../../identity/keys.ts';

/** Names the key by its public part, so that no id is ever used for two keys. */
const keyIdOf = (purpose: KeyPurpose, { publicKey }: SigningKey): string =>
  `${purpose}-${toBase32(hash('sha256', publicKey.bytes, 'buffer')).slice(0, 16)}`;

/** The private keys of the service: random seeds, sealed, durable before anything names them. */
export const createPrivateKeys = ({
  db,
  wrappingKey,
}: {
  db: TransactionalDb;
  wrappingKey: KeyObject;
}) => ({
  /** Makes and stores a key. */
  async make(purpose: KeyPurpose): Promise<NewServiceKey> {
    const seed = randomBytes(32);
    const key = ed25519FromSeed(seed);
    const keyId = keyIdOf(purpose, key);
    await db.query('insert into identity.private_keys (key_id, sealed) values ($1, $2)', [
      keyId,
      seal(seed, wrappingKey, keyId),
    ]);
    return { keyId, purpose, publicKey: key.multikey };
  },

  /** Forgets keys that were made and are not used. */
  async forget(keyIds: string[]): Promise<void> {
    if (keyIds.length === 0) return;
    await db.query('delete from identity.private_keys where key_id = any($1)', [keyIds]);
  },

  /** @throws Error when one is not there or does not open: the master key is another one */
  async load(keyIds: string[]): Promise<Map<string, SigningKey>> {
    const { rows } = await db.query<{ key_id: string; sealed: string }>(
      'select key_id, sealed from identity.private_keys where key_id = any($1)',
      [keyIds],
    );
    const sealed = new Map(rows.map((row) => [row.key_id, row.sealed]));
    return new Map(keyIds.map((keyId) => [keyId, unsealed(keyId, sealed.get(keyId), wrappingKey)]));
  },
});

const unsealed = (keyId: string, sealed: string | undefined, wrappingKey: KeyObject) => {
  if (sealed === undefined) {
    throw new Error(
      `the private part of the service key ${keyId} is missing: restore the table identity.private_keys`,
    );
  }
  try {
    return ed25519FromSeed(open(sealed, wrappingKey, keyId));
  } catch (error) {
    throw new Error(`the service key ${keyId} does not open: is MASTER_KEY the one it had?`, {
      cause: error,
    });
  }
};
