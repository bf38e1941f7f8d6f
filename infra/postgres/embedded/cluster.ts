import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { chown, link, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { PostgresBinaries } from './binaries.ts';
import { isAlive } from './postmaster.ts';
import { commandAs, type RunAs } from './run-as.ts';

export const superuser = 'letters';

const prefix = 'postgres.init-';
const removal = { recursive: true, force: true, maxRetries: 5, retryDelay: 100 };
/** Clusters that this process is making now, so that they are not taken for leftovers. */
const inProgress = new Set<string>();

/** Gives `make` a new name in `dataDir` to work under, and removes the remains afterwards. */
const withDraft = async (dataDir: string, make: (path: string) => Promise<void>): Promise<void> => {
  const name = `${prefix}${process.pid}-${randomBytes(4).toString('hex')}`;
  inProgress.add(name);
  try {
    await make(join(dataDir, name));
  } finally {
    await rm(join(dataDir, name), removal);
    inProgress.delete(name);
  }
};

const ignore =
  (...codes: string[]) =>
  (error: NodeJS.ErrnoException): void => {
    if (!codes.includes(error.code ?? '')) throw error;
  };

/** Makes renames and new names in a folder durable. */
const syncDir = async (path: string): Promise<void> => {
  const handle = await open(path, 'r');
  await handle.sync().finally(() => handle.close());
};

const writeSecret = async (path: string, text: string): Promise<void> => {
  const handle = await open(path, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/**
 * The superuser's password out of `<dataDir>/postgres-password`; made on first use. Linked into
 * place when complete, so that of two starts at once both read the same one.
 */
export const loadPassword = async (dataDir: string): Promise<string> => {
  const path = join(dataDir, 'postgres-password');
  if (!existsSync(path)) {
    if (existsSync(join(dataDir, 'postgres'))) {
      throw new Error(`${path} is missing, but its database exists. Restore that file`);
    }
    await withDraft(dataDir, async (draft) => {
      await writeSecret(draft, `${randomBytes(24).toString('base64url')}\n`);
      await link(draft, path).catch(ignore('EEXIST'));
    });
    await syncDir(dataDir);
  }
  return (await readFile(path, 'utf8')).trim();
};

/** Removes the remains of starts that were killed halfway through. */
const removeLeftovers = async (dataDir: string): Promise<void> => {
  for (const name of await readdir(dataDir)) {
    if (!name.startsWith(prefix)) continue;
    const pid = Number.parseInt(name.slice(prefix.length), 10);
    const inUse = pid === process.pid ? inProgress.has(name) : isAlive(pid);
    // An initdb that outlived its parent may still write; then the rest goes at the next start.
    if (!inUse) await rm(join(dataDir, name), removal).catch(ignore('ENOTEMPTY'));
  }
};

const runInitdb = async (
  binaries: PostgresBinaries,
  runAs: RunAs,
  target: string,
  passwordFile: string,
): Promise<void> => {
  const { command, args, ids } = commandAs(runAs, binaries.initdb, [
    `--pgdata=${target}`,
    `--username=${superuser}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale-provider=libc',
    '--locale=C',
    '--no-instructions',
  ]);
  await new Promise<void>((resolve, reject) => {
    const stdio: ['ignore', 'ignore', 'pipe'] = ['ignore', 'ignore', 'pipe'];
    const child = spawn(command, args, { ...ids, cwd: '/', stdio, detached: true });
    let complaint = '';
    child.stderr.on('data', (chunk: Buffer) => {
      complaint += chunk;
    });
    child.on('error', reject);
    child.on('close', (code) => {
      const reason = complaint.trim().replaceAll(/\s*\n\s*/g, '; ');
      if (code === 0) resolve();
      else
        reject(
          new Error(`${reason || `initdb failed (${code})`}: set that right, or set DATABASE_URL`),
        );
    });
  });
};

/** A cluster that root copied belongs to root, as whom PostgreSQL cannot run. */
const giveTo = ({ user }: RunAs, clusterDir: string): void => {
  if (user && statSync(clusterDir).uid === 0) {
    spawnSync('chown', ['-R', `${user.uid}:${user.gid}`, clusterDir]);
  }
};

/**
 * Makes `<dataDir>/postgres` if it is not there. It is made under another name and renamed when it is
 * complete and on disk, so it exists as a whole or not at all. Of two concurrent starts one wins, and the
 * other uses the winner's.
 */
export const ensureCluster = async (
  binaries: PostgresBinaries,
  runAs: RunAs,
  dataDir: string,
  password: string,
): Promise<void> => {
  const clusterDir = join(dataDir, 'postgres');
  await removeLeftovers(dataDir);
  if (existsSync(clusterDir)) return giveTo(runAs, clusterDir);
  await withDraft(dataDir, async (passwordFile) =>
    withDraft(dataDir, async (target) => {
      await writeSecret(passwordFile, `${password}\n`);
      await mkdir(target, { mode: 0o700 });
      if (runAs.user) {
        await chown(passwordFile, runAs.user.uid, runAs.user.gid);
        await chown(target, runAs.user.uid, runAs.user.gid);
      }
      await runInitdb(binaries, runAs, target, passwordFile);
      await rename(target, clusterDir).catch(ignore('ENOTEMPTY', 'EEXIST'));
      await syncDir(dataDir);
    }),
  );
};
