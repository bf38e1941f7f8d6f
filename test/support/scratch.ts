import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const memory = '/dev/shm';
const gigabyte = 2 ** 30;
/** Four times the most that the files of a run take. */
const neededBytes = 4 * gigabyte;
/** Memory that stays free for the tests themselves. */
const sparedBytes = 3 * gigabyte;

/** The folder for files that are kept from one run to the next, or fetched before a run. */
export const keptFolder = process.env.TEST_KEPT ?? tmpdir();

const runsPrograms = (folder: string): boolean => {
  const script = join(folder, 'probe.sh');
  writeFileSync(script, '#!/bin/sh\nexit 0\n', { mode: 0o755 });
  const { status } = spawnSync(script);
  rmSync(script);
  return status === 0;
};

const isRoomy = (): boolean => {
  try {
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize >= neededBytes && process.availableMemory() >= neededBytes + sparedBytes;
  } catch {
    return false;
  }
};

const makeIn = (parent: string): string => {
  const folder = mkdtempSync(join(parent, 'letters-run-'));
  // PostgreSQL and the browser work in folders of theirs below it, as another user.
  chmodSync(folder, 0o1777);
  return folder;
};

/**
 * The temporary folder of one run, in memory where there is room: test services and their databases create
 * and remove some hundred thousand files.
 */
export const makeScratch = (): { folder: string; remove(): void } => {
  const remove = (folder: string): void =>
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  const made = (folder: string) => ({ folder, remove: () => remove(folder) });
  if (!isRoomy()) return made(makeIn(tmpdir()));
  const folder = makeIn(memory);
  if (runsPrograms(folder)) return made(folder);
  remove(folder);
  return made(makeIn(tmpdir()));
};
