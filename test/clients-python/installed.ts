/** The Python client as its users have it: built, and installed into virtual environments. */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { runPip } from '../support/python-environment.ts';

const run = promisify(execFile);
export const sources = join(import.meta.dirname, '..', '..', 'clients', 'python');

export type Installed = {
  /** A Python that has the client and nothing else. */
  bare: string;
  /** One that has the frameworks as well. */
  full: string;
  wheel: string;
  remove(): Promise<void>;
};

const onlyName = async (folder: string): Promise<string> => {
  const names = await readdir(folder);
  if (names.length !== 1) throw new Error(`one file was expected in ${folder}, not ${names}`);
  return join(folder, names[0] ?? '');
};

/** `frameworks`: the folder of the environment that has them. */
export const installClient = async (frameworks: string): Promise<Installed> => {
  const folder = await mkdtemp(join(tmpdir(), 'letters-python-'));
  const python = join(frameworks, 'bin', 'python');
  // A copy, because the build writes next to the sources.
  await cp(sources, join(folder, 'sources'), { recursive: true });
  const build = ['--no-deps', '--no-index', '--no-build-isolation', '--wheel-dir'];
  await runPip(frameworks, 'wheel', ...build, join(folder, 'wheel'), join(folder, 'sources'));
  const wheel = await onlyName(join(folder, 'wheel'));

  const environment = async (name: string): Promise<string> => {
    await run(python, ['-m', 'venv', '--without-pip', join(folder, name)]);
    return join(folder, name, 'bin', 'python');
  };
  const sitePackages = async (of: string): Promise<string> => {
    const { stdout } = await run(of, [
      '-c',
      'import sysconfig; print(sysconfig.get_path("purelib"))',
    ]);
    return stdout.trim();
  };
  const [bare, full] = [await environment('bare'), await environment('full')];
  await runPip(join(folder, 'bare'), 'install', '--no-deps', '--no-index', wheel);
  const others = [await sitePackages(bare), await sitePackages(python)];
  await writeFile(join(await sitePackages(full), 'others.pth'), others.join('\n'));
  return { bare, full, wheel, remove: () => rm(folder, { recursive: true, force: true }) };
};
