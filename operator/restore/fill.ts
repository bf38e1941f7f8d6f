/** Brings a backup into an empty place: documents first, then the database in one transaction. */
import { join } from 'node:path';
import type { Log } from '../../ground/log.ts';
import { markRestore } from '../../infra/backup/restore-mark.ts';
import { restoreTables } from '../../infra/backup/restore-tables.ts';
import { listedBlobs, readSaved } from '../../infra/backup/save-blobs.ts';
import { openClient } from '../../infra/event-store/postgres/connection.ts';
import { removeOtherKeks } from '../../infra/keys/change-roots.ts';
import { makeMasterKey, restoreMasterKey } from '../../infra/keys/master-key.ts';
import { createLocalProvider } from '../../infra/keys/providers/local.ts';
import type { KeyProvider } from '../../infra/keys/providers/provider.ts';
import { sealRoots } from '../../infra/keys/root-table.ts';
import { startEmbeddedPostgres } from '../../infra/postgres/embedded.ts';
import { migrate } from '../../infra/schema/migrate.ts';
import type { Config } from '../../service/config/config.ts';
import { openBlobs } from '../../service/foundation/storage.ts';
import { makeDataDir } from '../../service/run/explain-start.ts';
import type { OpenBackup } from './open-backup.ts';
import { fillReports } from './reports.ts';

const fillBlobs = async (config: Config, { root, folder, note }: OpenBackup): Promise<void> => {
  const blobs = await openBlobs(config);
  for (const blob of await listedBlobs(join(folder, note.blobs.file))) {
    // A bucket may have survived.
    if ((await blobs.sizeOf(blob.key)) === blob.bytes) continue;
    await blobs.put(blob.key, await readSaved(root, blob));
  }
};

/** The key-encryption key of the place. A key file of the backup is restored. */
const placeKey = async (
  { dataDir }: Config,
  log: Log,
  { provider, keys: { masterKey }, note }: OpenBackup,
): Promise<KeyProvider> => {
  if (provider) return provider;
  const saved = masterKey && createLocalProvider({ key: masterKey, source: 'the master key' });
  if (saved && note.roots.seals.some(({ kek }) => kek === saved.kek)) {
    await restoreMasterKey(dataDir, masterKey);
    return saved;
  }
  return createLocalProvider(await makeMasterKey(dataDir, (line) => log.warn({}, line)));
};

const fillDatabase = async (
  url: string,
  backup: OpenBackup,
  provider: KeyProvider,
): Promise<void> => {
  await migrate(url);
  const client = await openClient({ url, applicationName: 'letters-restore' });
  try {
    await restoreTables(client, backup.folder, backup.note);
    if (!backup.isSealed) {
      await sealRoots(client, provider, backup.keys.roots);
      await removeOtherKeks(client, provider);
    }
  } finally {
    await client.end();
  }
};

/** The place was empty. It is marked until the restore is complete; if this ends early, it must be emptied again. */
export const fillPlace = async (config: Config, log: Log, backup: OpenBackup): Promise<void> => {
  await makeDataDir(config.dataDir);
  await markRestore(config.dataDir);
  const provider = await placeKey(config, log, backup);
  await fillBlobs(config, backup);
  await fillReports(config, backup);
  if (config.databaseUrl !== undefined) {
    return fillDatabase(config.databaseUrl, backup, provider);
  }
  const postgres = await startEmbeddedPostgres({ dataDir: config.dataDir });
  try {
    await fillDatabase(postgres.url, backup, provider);
  } finally {
    await postgres.stop();
  }
};
