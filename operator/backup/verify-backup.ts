/** Reads a backup again and compares it with its note. Needs no secret key. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Content, readContent } from '../../infra/backup/hashed-file.ts';
import type { BackupNote } from '../../infra/backup/note.ts';
import { assertSaved, listedBlobs, readSaved } from '../../infra/backup/save-blobs.ts';
import { Refused } from '../command.ts';

const assertSame = async (folder: string, wanted: Content & { file: string }): Promise<void> => {
  const path = join(folder, wanted.file);
  const found = await readContent(path).catch((error: Error) => {
    throw new Refused(`${path} cannot be read: ${error.message}`);
  });
  if (found.sha256 !== wanted.sha256 || found.bytes !== wanted.bytes) {
    throw new Refused(`${path} is not what the backup's note says`);
  }
};

/**
 * @param root the folder of all backups, which has the documents
 * @param verified hashes of documents that an earlier backup verified: only their size is compared
 * @throws Refused when a file is missing or differs
 */
export const verifyBackup = async (
  root: string,
  folder: string,
  note: BackupNote,
  verified: ReadonlySet<string> = new Set(),
): Promise<void> => {
  const logFiles = note.savedLog?.files ?? [];
  for (const file of [...logFiles, ...note.tables, note.blobs, note.erasures, ...note.reports]) {
    await assertSame(folder, file);
  }
  const keys = await readFile(join(folder, note.keys.file));
  if (createHash('sha256').update(keys).digest('hex') !== note.keys.sha256) {
    throw new Refused(`${join(folder, note.keys.file)} is not what the backup's note says`);
  }
  for (const blob of await listedBlobs(join(folder, note.blobs.file))) {
    const check = verified.has(blob.sha256) ? assertSaved : readSaved;
    await check(root, blob).catch((error: Error) => {
      throw new Refused(`document ${blob.key} cannot be read: ${error.message}`);
    });
  }
};
