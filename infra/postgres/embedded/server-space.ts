/**
 * The container in which the server of a cluster runs, if it runs. If containers share the folder of the cluster, the
 * process id in `postmaster.pid` means nothing in another container. PostgreSQL itself would start a second server.
 */
import { existsSync, readFileSync, renameSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { giveToOwner } from '../../host/give-to-owner.ts';
import { processSpace } from '../../host/process-space.ts';

/** Every process of the same container that uses the server shows at this interval that it does. */
const showEveryMs = 1_000;
/** A container without such a sign for this long is gone. */
export const goneAfterMs = 6_000;

const fileOf = (clusterDir: string): string => join(dirname(clusterDir), 'postgres-space');

const readSpace = (clusterDir: string): string | undefined => {
  const path = fileOf(clusterDir);
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
};

/** Whether `postmaster.pid` was written in another container than that of this process. */
export const isOfOtherSpace = (clusterDir: string): boolean => {
  const found = readSpace(clusterDir);
  return (
    found !== undefined &&
    found !== processSpace() &&
    existsSync(join(clusterDir, 'postmaster.pid'))
  );
};

/** Records that the server runs in the container of this process from now on. */
export const takeSpace = (clusterDir: string): void => {
  if (readSpace(clusterDir) === processSpace()) return;
  const draft = `${fileOf(clusterDir)}.${processSpace()}-${process.pid}`;
  writeFileSync(draft, processSpace(), { mode: 0o600 });
  giveToOwner(draft);
  renameSync(draft, fileOf(clusterDir));
};

/** Changes while a process of the other container uses the server. */
export const lastShown = (clusterDir: string): number =>
  statSync(fileOf(clusterDir), { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** Shows that a process of this container uses the server, until it is stopped. */
export const showUse = (clusterDir: string): { stop(): void } => {
  const timer = setInterval(() => {
    try {
      const now = new Date();
      if (readSpace(clusterDir) === processSpace()) utimesSync(fileOf(clusterDir), now, now);
    } catch {
      // The folder was removed, or belongs to another user: the other processes show it.
    }
  }, showEveryMs).unref();
  return { stop: () => clearInterval(timer) };
};
