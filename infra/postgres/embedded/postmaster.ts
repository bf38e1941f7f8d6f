import { readFileSync, readlinkSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { isOfOtherSpace } from './server-space.ts';

/** The server in the `postmaster.pid` of a cluster. */
type Postmaster = { pid: number; port: number };

const readText = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
};

const numberIsTaken = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};

/** Whether a process runs. A zombie does not: it only waits for its parent. */
export const isAlive = (pid: number): boolean => {
  if (!numberIsTaken(pid)) return false;
  const stat = readText(`/proc/${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3) !== 'Z';
};

/**
 * Whether `pid` is another process that was given the number of a dead postmaster. Only what is certain
 * counts: not a PostgreSQL by its command line, or one that stands in another folder. Without /proc this is
 * unknown, and the answer is no.
 */
const isSomeoneElse = (pid: number, clusterDir: string): boolean => {
  const commandLine = readText(`/proc/${pid}/cmdline`);
  if (commandLine === undefined) return false;
  const program = commandLine.split('\0')[0] ?? '';
  if (!/(^|\/)postgres(:|$)/.test(program)) return true;
  try {
    const theirs = statSync(readlinkSync(`/proc/${pid}/cwd`));
    const ours = statSync(clusterDir);
    return theirs.ino !== ours.ino || theirs.dev !== ours.dev;
  } catch {
    return false;
  }
};

/** The server in the `postmaster.pid` of a cluster, whether it runs or not. */
export const notedPostmaster = (clusterDir: string): Postmaster | undefined => {
  const [pidLine, , , portLine] = readText(join(clusterDir, 'postmaster.pid'))?.split('\n') ?? [];
  const pid = Number(pidLine);
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  return { pid, port: Number(portLine) || 0 };
};

/**
 * The server that runs on this cluster in this container, by its `postmaster.pid`. A file whose number now
 * belongs to a zombie or to another program is removed, because PostgreSQL, which only asks whether
 * the number is taken, would refuse to start. It still finds a server or its children by their
 * shared memory, so this cannot let two servers onto one cluster.
 */
export const findPostmaster = (clusterDir: string): Postmaster | undefined => {
  const path = join(clusterDir, 'postmaster.pid');
  if (isOfOtherSpace(clusterDir)) return undefined;
  const noted = notedPostmaster(clusterDir);
  if (!noted || !numberIsTaken(noted.pid)) return undefined;
  const { pid } = noted;
  if (!isAlive(pid) || isSomeoneElse(pid, clusterDir)) {
    if (readText(path)?.startsWith(`${pid}\n`)) rmSync(path, { force: true });
    return undefined;
  }
  return noted;
};

/** The port this cluster was last served on. Kept, so that others who know it stay connected. */
export const lastPort = (clusterDir: string): number => {
  const options = readText(join(clusterDir, 'postmaster.opts')) ?? '';
  return Number(/"-p" "(\d+)"/.exec(options)?.[1] ?? 0);
};

const tryPort = (port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ port, host: '127.0.0.1' }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });

/** `preferred` if it is free on 127.0.0.1, otherwise any that is. */
export const freePort = (preferred: number): Promise<number> =>
  tryPort(preferred).catch(() => tryPort(0));
