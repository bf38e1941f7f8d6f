/** Reports of the print house that were not read at the time of the backup. The print folder may have survived. */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { readContent } from '../../infra/backup/hashed-file.ts';
import type { Config } from '../../service/config/config.ts';
import { printFolders } from '../../service/wings/print-partners.ts';
import { Refused } from '../command.ts';
import type { OpenBackup } from './open-backup.ts';

type Saved = Pick<OpenBackup, 'folder' | 'note'>;

/** The reports that are not in the print folder. @throws Refused when it has another report of the same name */
const missingReports = async (
  config: Config,
  { folder, note }: Saved,
): Promise<{ name: string; bytes: Buffer }[]> => {
  const { inbox } = printFolders(config);
  const missing: { name: string; bytes: Buffer }[] = [];
  for (const { file } of note.reports) {
    const chunks: Buffer[] = [];
    await readContent(join(folder, file), async (source) => {
      for await (const chunk of source) chunks.push(chunk as Buffer);
    });
    const [name, bytes] = [basename(file, '.gz'), Buffer.concat(chunks)];
    const found = await readFile(join(inbox, name)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw new Refused(`${join(inbox, name)} cannot be read (${error.code}); nothing was changed`);
    });
    if (found && !found.equals(bytes)) {
      throw new Refused(
        `${join(inbox, name)} differs from the report of the same name in the backup: move it to a different folder until the restore is complete; nothing was changed`,
      );
    }
    if (!found) missing.push({ name, bytes });
  }
  return missing;
};

/** @throws Refused before anything was changed */
export const assertReportsFit = async (config: Config, backup: Saved): Promise<void> => {
  await missingReports(config, backup);
};

export const fillReports = async (config: Config, backup: Saved): Promise<void> => {
  const { inbox } = printFolders(config);
  for (const { name, bytes } of await missingReports(config, backup)) {
    await mkdir(inbox, { recursive: true, mode: 0o700 });
    // A restore that is cut off leaves no part of a report, which the next one would take for another report.
    const draft = join(inbox, `.restored-${name}`);
    await writeFile(draft, bytes, { mode: 0o600 });
    await rename(draft, join(inbox, name));
  }
};
