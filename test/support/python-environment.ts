/** Virtual environments of Python. They are outside of the project, which `npm ci` clears. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, open, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { isAlive } from '../../infra/postgres/embedded/postmaster.ts';

const run = promisify(execFile);
/** Where environments are kept. */
export const environments = join(
  process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'),
  'letters',
);

export const pythonVersion = async (): Promise<string> =>
  (await run('python3', ['--version'])).stdout.trim();

/** The process that makes a folder, if one does. */
const makerOf = async (folder: string): Promise<number | undefined> => {
  const pid = Number(await readFile(`${folder}.making`, 'utf8').catch(() => ''));
  return pid > 0 && isAlive(pid) ? pid : undefined;
};

/** Whether this process is the one to make it now. */
const claim = async (folder: string): Promise<boolean> => {
  if ((await makerOf(folder)) === undefined) await rm(`${folder}.making`, { force: true });
  try {
    const file = await open(`${folder}.making`, 'wx');
    await file.writeFile(String(process.pid));
    await file.close();
    return true;
  } catch {
    return false;
  }
};

/** Made in another folder, so that it is there whole or not at all. */
const makeAside = async (folder: string, make: (aside: string) => Promise<void>): Promise<void> => {
  const aside = await mkdtemp(`${folder}.`);
  await make(aside);
  await rename(aside, folder).catch(async (error: unknown) => {
    await rm(aside, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  });
};

/**
 * A folder that several processes may want: one makes it, the others wait. It is made in another place and moved, so its
 * programs are called by `python -m`.
 */
export const madeOnce = async (
  folder: string,
  make: (aside: string) => Promise<void>,
): Promise<string> => {
  await mkdir(dirname(folder), { recursive: true });
  while (!existsSync(folder)) {
    if (await claim(folder)) {
      try {
        if (!existsSync(folder)) await makeAside(folder, make);
      } finally {
        await rm(`${folder}.making`, { force: true });
      }
    } else await delay(250);
  }
  return folder;
};

/** The folder, if it is there; waits while a process makes it. */
export const foundOrMade = async (folder: string): Promise<string | undefined> => {
  while (!existsSync(folder) && (await makerOf(folder))) await delay(250);
  return existsSync(folder) ? folder : undefined;
};

/** A Python with a pip that installs into other environments. */
const pipPython = async (): Promise<string> => {
  const name = `pip-${(await pythonVersion()).replaceAll(/[^\w.]/g, '-')}`;
  const make = async (folder: string) => void (await run('python3', ['-m', 'venv', folder]));
  return join(await madeOnce(join(environments, name), make), 'bin', 'python');
};

/** Runs pip on an environment. */
export const runPip = async (folder: string, ...args: string[]): Promise<string> => {
  const python = join(folder, 'bin', 'python');
  const pip = ['-m', 'pip', '--python', python, '--no-input', ...args];
  return (await run(await pipPython(), pip, { maxBuffer: 64 * 1024 * 1024 })).stdout;
};

/**
 * An environment with packages. It has no pip of its own: to install pip takes more CPU time than to install most
 * packages.
 */
export const makeEnvironment = async (folder: string, packages: string[]): Promise<void> => {
  await run('python3', ['-m', 'venv', '--without-pip', folder]);
  await runPip(folder, 'install', '--no-compile', ...packages);
};
