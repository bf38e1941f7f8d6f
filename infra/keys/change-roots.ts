/** The changes to the roots, each in one transaction. */
import { randomBytes } from 'node:crypto';
import type { Client } from 'pg';
import { sealCheck } from './key-check.ts';
import { keptOf, type Root, type Roots } from './keyring.ts';
import type { KeyProvider } from './providers/provider.ts';
import { changeVersion, insertRoot, sealRoot, sealRoots } from './root-table.ts';

const inTransaction = async (client: Client, work: () => Promise<void>): Promise<void> => {
  await client.query('begin');
  try {
    await work();
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
};

/** Other processes must know a root before something is wrapped by it. */
export const addRoot = (client: Client, provider: KeyProvider, { list }: Roots): Promise<void> =>
  inTransaction(client, () =>
    insertRoot(client, provider, {
      n: Math.max(...list.map(({ n }) => n)) + 1,
      state: 'added',
      material: randomBytes(32),
    }),
  );

/** The added root becomes the active one. The check value is of the active root: a program without roots does not start. */
export const activateRoot = (client: Client, { n, material }: Root): Promise<void> =>
  inTransaction(client, async () => {
    if (!Buffer.isBuffer(material)) throw new Error(`root ${n} is retired`);
    await client.query(`update keys.roots set state = 'old' where state = 'active'`);
    await client.query(`update keys.roots set state = 'active' where n = $1`, [n]);
    await client.query('update keys.master_key_check set sealed = $1', [sealCheck(material)]);
    await changeVersion(client);
  });

/** A data key is still wrapped by a root that shall retire. */
export class RootInUse extends Error {
  constructor(count: number) {
    super(`${count} keys are still wrapped by the root`);
    this.name = 'RootInUse';
  }
}

/** Destroys a root, except for what indexes the log. @throws RootInUse */
export const retireRoot = (
  client: Client,
  provider: KeyProvider,
  { n, material }: Root,
): Promise<void> =>
  inTransaction(client, async () => {
    const sealed = await sealRoot(provider, { n, material: keptOf(material) });
    // Waits for current writers. keys.assert_roots refuses later ones.
    await client.query(
      'lock table keys.data_keys, identity.private_keys in share row exclusive mode',
    );
    const { rows } = await client.query<{ count: number }>(
      `select (select count(*) from keys.data_keys where wrapped_by = $1 and wrapped is not null)::int
            + (select count(*) from identity.private_keys where wrapped_by = $1)::int as count`,
      [n],
    );
    const count = rows[0]?.count ?? 0;
    if (count > 0) throw new RootInUse(count);
    await client.query(`update keys.roots set state = 'retired' where n = $1`, [n]);
    await client.query('delete from keys.root_seals where root = $1', [n]);
    await client.query('insert into keys.root_seals (root, kek, sealed) values ($1, $2, $3)', [
      n,
      provider.kek,
      sealed,
    ]);
    await changeVersion(client);
  });

/** Seals the roots with one more key-encryption key. */
export const addKek = (client: Client, provider: KeyProvider, roots: Roots): Promise<void> =>
  inTransaction(client, () => sealRoots(client, provider, roots));

/** Forgets what other key-encryption keys sealed. @returns how many of them there were */
export const removeOtherKeks = async (client: Client, { kek }: KeyProvider): Promise<number> => {
  const { rows } = await client.query<{ kek: string }>(
    'delete from keys.root_seals where kek <> $1 returning kek',
    [kek],
  );
  return new Set(rows.map((row) => row.kek)).size;
};
