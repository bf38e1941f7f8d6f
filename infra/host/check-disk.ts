/** Whether the disk of a folder has room, and whether the service may write there. */
import { randomUUID } from 'node:crypto';
import { constants, type StatsFs } from 'node:fs';
import { access, open, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { type Check, type Finding, fail, ok, warn } from '../../ground/check.ts';

export const mebibyte = 1024 * 1024;
/** PostgreSQL stops when it cannot write its log; a busy hour needs some hundred MiB. */
const leastFreeBytes = 512 * mebibyte;
const lowFreeBytes = 2_048 * mebibyte;
const lowShare = 0.05;

type Room = Pick<StatsFs, 'bavail' | 'bsize' | 'blocks' | 'files' | 'ffree'>;

/** As people read it. */
export const sizeOf = (bytes: number): string =>
  bytes >= 1024 * mebibyte
    ? `${(bytes / (1024 * mebibyte)).toFixed(1)} GiB`
    : `${Math.floor(bytes / mebibyte)} MiB`;

/** Judges the room on a disk. */
export const judgeRoom = ({ bavail, bsize, blocks, files, ffree }: Room): Finding => {
  const [free, size] = [bavail * bsize, blocks * bsize];
  const found = `${sizeOf(free)} of ${sizeOf(size)} are free`;
  const remedy = 'make room on this disk, or move the folder to a larger one';
  if (free < leastFreeBytes) return fail(found, remedy);
  if (free < lowFreeBytes || free < size * lowShare) return warn(found, remedy);
  if (files > 0 && ffree < files * lowShare) {
    return warn(`${found}, but only ${ffree} of ${files} inodes`, 'delete files on this disk');
  }
  return ok(found);
};

/** A file that the service writes, syncs and removes. Print houses ignore names that begin with a dot. */
export const tryToWrite = async (folder: string): Promise<void> => {
  const path = join(folder, `.doctor-${randomUUID()}`);
  try {
    const file = await open(path, 'wx', 0o600);
    try {
      await file.writeFile('written by operator -- doctor\n');
      await file.sync();
    } finally {
      await file.close();
    }
  } finally {
    await rm(path, { force: true });
  }
};

export const checkDisk = (name: string, folder: string): Check => ({
  name,
  remedy: `make ${folder} a folder that the service may write to`,
  async run() {
    try {
      await access(folder, constants.R_OK | constants.W_OK);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      const why = code === 'ENOENT' ? 'does not exist' : `cannot be written to (${code})`;
      return fail(
        `${folder} ${why}`,
        `name the folder of the service, or let its user write there`,
      );
    }
    const finding = judgeRoom(await statfs(folder));
    if (finding.state !== 'fail') await tryToWrite(folder);
    return { ...finding, found: `${folder}: ${finding.found}` };
  },
});
