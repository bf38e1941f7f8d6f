/** Where a backup is restored: a place that must be empty. */
import { readdir } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { savedSchemas } from '../../infra/backup/tables.ts';
import { openClient } from '../../infra/event-store/postgres/connection.ts';
import type { Config } from '../../service/config/config.ts';
import { erasureJournalsOf } from '../../service/foundation/storage.ts';
import { Refused } from '../command.ts';
import { explainConnect } from './explain-connect.ts';

/** Journals of erasures may lie there: a restore reads them. */
const mayStay = (config: Config): string[] => {
  const inside = erasureJournalsOf(config).filter(
    (journal) => dirname(journal) === resolve(config.dataDir),
  );
  return ['lost+found', ...inside.map((journal) => basename(journal))];
};

const assertEmptyFolder = async (config: Config): Promise<void> => {
  const names = await readdir(config.dataDir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw new Refused(`DATA_DIR ${config.dataDir} cannot be read (${error.code})`);
  });
  const allowed = mayStay(config);
  const found = names.find((name) => !allowed.includes(name));
  if (found === undefined) return;
  throw new Refused(
    `${config.dataDir} is not empty (it has ${found}): restore into an empty DATA_DIR; nothing was changed`,
  );
};

const assertEmptyDatabase = async (url: string): Promise<void> => {
  const client = await openClient({ url, applicationName: 'letters-restore' }).catch(
    (error: Error) => {
      throw explainConnect(url, error);
    },
  );
  try {
    const { rows } = await client.query<{ nspname: string }>(
      'select nspname from pg_namespace where nspname = any($1)',
      [[...savedSchemas(), 'read_models', 'migrations']],
    );
    if (rows[0] === undefined) return;
    const { host, pathname } = new URL(url);
    throw new Refused(
      `the database ${host}${pathname} is not empty (it has the schema ${rows[0].nspname}): restore into an empty database; nothing was changed`,
    );
  } finally {
    await client.end();
  }
};

/** @throws Refused */
export const assertEmptyPlace = async (config: Config): Promise<void> => {
  await assertEmptyFolder(config);
  if (config.databaseUrl !== undefined) await assertEmptyDatabase(config.databaseUrl);
};
