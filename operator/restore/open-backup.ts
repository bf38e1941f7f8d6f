/** A backup that is complete, undamaged, of this version, and whose master key can be opened. */
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { identitiesIn, openWith } from '../../infra/backup/age.ts';
import { type BackupNote, noteFormat, readNote } from '../../infra/backup/note.ts';
import { parseMasterKey } from '../../infra/keys/master-key.ts';
import { opensCheck } from '../../infra/keys/open-master-key.ts';
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
  masterKey: Buffer;
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

const keyIn = async (folder: string, note: BackupNote, identityFile: string): Promise<Buffer> => {
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
  const { master_key: masterKey = '' } = JSON.parse(opened) as { master_key?: string };
  const key = parseMasterKey(masterKey);
  if (!key) throw new Refused(`${note.keys.file} has no master key; nothing was changed`);
  return key;
};

/** @param masterKey instead of the one in the backup. @throws Refused */
export const openBackup = async (
  path: string,
  identityFile: string | undefined,
  masterKey: Buffer | undefined,
): Promise<OpenBackup> => {
  const folder = await backupNamed(path);
  const root = dirname(folder);
  const note = await readNote(folder).catch((error: Error) => {
    throw new Refused(`${error.message}; nothing was changed`);
  });
  if (!note) throw new Refused(`${folder} has no note, so it is not complete`);
  assertVersion(note);
  if (identityFile === undefined && !masterKey) {
    throw new Refused('the master key is sealed: name your age identity file with --identity');
  }
  const key = masterKey ?? (await keyIn(folder, note, identityFile ?? ''));
  if (!opensCheck(key, note.keyCheck)) {
    throw new Refused('MASTER_KEY is not the key of this backup; nothing was changed');
  }
  await verifyBackup(root, folder, note);
  return { folder, root, note, masterKey: key };
};
