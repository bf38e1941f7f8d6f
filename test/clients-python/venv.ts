/**
 * The frameworks with which the Python client is tested: a virtual environment outside of the project, which
 * `npm ci` clears. As a program, with `--fetch`: makes it, or waits for the process that is making it.
 */
import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, open, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { isAlive } from '../../infra/postgres/embedded/postmaster.ts';

const run = promisify(execFile);
const lockFile = join(import.meta.dirname, 'requirements.lock');

/** One for each list of packages and each Python. */
const findFolder = async (): Promise<string> => {
  const { stdout } = await run('python3', ['--version']);
  const name = hash('sha256', (await readFile(lockFile, 'utf8')) + stdout, 'hex').slice(0, 12);
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');
  return join(cache, 'letters', `python-clients-${name}`);
};

/** The process that makes it, if one does. */
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

/**
 * Made in another folder, so that it is there whole or not at all. It works in any folder, by `python -m`.
 */
const make = async (folder: string): Promise<void> => {
  const aside = await mkdtemp(`${folder}.`);
  await run('python3', ['-m', 'venv', aside]);
  const install = ['-m', 'pip', 'install', '--quiet', '--no-deps', '--no-compile', '-r', lockFile];
  await run(join(aside, 'bin', 'python'), install, { maxBuffer: 64 * 1024 * 1024 });
  await rename(aside, folder).catch(async (error: unknown) => {
    await rm(aside, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  });
};

const fetchVenv = async (): Promise<string> => {
  const folder = await findFolder();
  await mkdir(dirname(folder), { recursive: true });
  while (!existsSync(folder)) {
    if (await claim(folder)) {
      try {
        if (!existsSync(folder)) await make(folder);
      } finally {
        await rm(`${folder}.making`, { force: true });
      }
    } else await delay(250);
  }
  return folder;
};

/** Its folder; waits while another process makes it. Undefined if it is not there. */
export const findVenv = async (): Promise<string | undefined> => {
  const folder = await findFolder().catch(() => undefined);
  if (folder === undefined) return undefined;
  while (!existsSync(folder) && (await makerOf(folder))) await delay(250);
  return existsSync(folder) ? folder : undefined;
};

if (process.argv.includes('--fetch')) {
  const { stdout } = await run(join(await fetchVenv(), 'bin', 'python'), ['-m', 'pip', 'list']);
  console.log(`${stdout.trim().split('\n').length - 2} packages`);
}
