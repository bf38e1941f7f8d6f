/** Makes data as versions left it that had one master key and no roots. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from 'pg';
import { findProvider } from '../../infra/keys/providers/find-provider.ts';
import { openStoredRoots, readStoredRoots } from '../../infra/keys/root-table.ts';
import { readConfig } from '../../service/config/config.ts';

/** The root becomes the key in `master.key`, and the tables of roots go. */
export const asBeforeRoots = async (client: Client, dataDir: string): Promise<void> => {
  const provider = await findProvider(readConfig({ DATA_DIR: dataDir }));
  if (!provider) throw new Error(`${dataDir} has no master.key`);
  const { list } = await openStoredRoots(provider, await readStoredRoots(client));
  const [first] = list;
  if (!first || !Buffer.isBuffer(first.material)) throw new Error('there is no first root');
  writeFileSync(join(dataDir, 'master.key'), `${first.material.toString('base64')}\n`);
  await client.query(
    'delete from keys.root_seals; delete from keys.roots; update keys.root_version set version = 0',
  );
};
