/** A backup that is complete, undamaged, of this version, and whose keys can be opened. */
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { identitiesIn, openWith } from '../../infra/backup/age.ts';
import { type BackupNote, noteFormat, readNote } from '../../infra/backup/note.ts';
import { readKeys, type SavedKeys } from '../../infra/backup/saved-keys.ts';
import { opensCheck } from '../../infra/keys/key-check.ts';
import { findProvider, type KeyPlace } from '../../infra/keys/providers/find-provider.ts';
import type { KeyProvider } from '../../infra/keys/providers/provider.ts';
import { openStoredRoots } from '../../infra/keys/root-table.ts';
import { schemaFiles } from '../../infra/schema/migrate.ts';
import { serviceVersion } from '../../read-api/general.ts';
import { verifyBackup } from '../backup/verify-backup.ts';
import { backupNamed } from '../backup.ts';
import { Refused } from '../command.ts';

export type OpenBackup = {
  /** Of this backup, and of all backups next to it. */
  folder: string;
  root: string;
  note: BackupNote;
  keys: SavedKeys;
  /** The key-encryption key of the place, if it has one. */
  provider: KeyProvider | undefined;
  /** Whether the roots in the tables of the backup are sealed with it already. */
  isSealed: boolean;
};

const assertVersion = ({ format, program, schema }: BackupNote): void => {
  const ours = schemaFiles().map(({ number }) => number);
  const isSame =
    format === noteFormat && program === serviceVersion && schema.join() === ours.join();
  if (isSame) return;
  throw new Refused(
    `the backup is of version ${program} with schema file ${schema.at(-1)}, this program is ${serviceVersion} with ${ours.at(-1)}: restore with the version of the backup, then upgrade; nothing was changed`,
  );
};

const keysIn = async (
  folder: string,
  note: BackupNote,
  identityFile: string,
): Promise<SavedKeys> => {
  const text = await readFile(identityFile, 'utf8').catch(() => {
    throw new Refused(`${identityFile} cannot be read; nothing was changed`);
  });
  const identities = identitiesIn(text);
  if (identities.length === 0) {
    throw new Refused(`${identityFile} has no secret key of age; nothing was changed`);
  }
  const opened = await openWith(identities, await readFile(join(folder, note.keys.file))).catch(
    () => {
      throw new Refused(
        `the secret key in ${identityFile} does not open this backup, which is for ${note.recipients.join(', ')}; nothing was changed`,
      );
    },
  );
  const keys = readKeys(opened, note.roots);
  if (!keys) throw new Refused(`${note.keys.file} lacks a key; nothing was changed`);
  return keys;
};

/** With the key of the place where that is the backup's, otherwise with the identity. @throws Refused */
const openKeys = async (
  folder: string,
  note: BackupNote,
  identityFile: string | undefined,
  provider: KeyProvider | undefined,
): Promise<Pick<OpenBackup, 'keys' | 'isSealed'>> => {
  if (provider && note.roots.seals.some(({ kek }) => kek === provider.kek)) {
    const roots = await openStoredRoots(provider, note.roots);
    return { keys: { roots, masterKey: undefined }, isSealed: true };
  }
  if (identityFile !== undefined) {
    return { keys: await keysIn(folder, note, identityFile), isSealed: false };
  }
  throw new Refused(
    provider
      ? `${provider.name} is not the key of this backup; nothing was changed`
      : 'the keys are sealed: name your age identity file with --identity',
  );
};

/** @param place where it is restored. @throws Refused */
export const openBackup = async (
  path: string,
  identityFile: string | undefined,
  place: KeyPlace,
): Promise<OpenBackup> => {
  const folder = await backupNamed(path);
  const root = dirname(folder);
  const note = await readNote(folder).catch((error: Error) => {
    throw new Refused(`${error.message}; nothing was changed`);
  });
  if (!note) throw new Refused(`${folder} has no note, so it is not complete`);
  assertVersion(note);
  const provider = await findProvider(place);
  const opened = await openKeys(folder, note, identityFile, provider);
  const { list } = opened.keys.roots;
  if (!list.some(({ material }) => opensCheck(material, note.keyCheck))) {
    throw new Refused('the keys are not those of this backup; nothing was changed');
  }
  await verifyBackup(root, folder, note);
  return { folder, root, note, provider, ...opened };
};
