/** The TypeScript library as its users have it: packed, and installed from the tarball. */
import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type * as Core from '../../clients/typescript/src/index.ts';
import type * as Webhooks from '../../clients/typescript/src/webhooks.ts';
import { clientsFolder } from './generated.ts';

const source = join(clientsFolder, 'typescript');
const frameworks = join(source, 'frameworks');
const work = join(frameworks, '.work');

/** Programs that use the package with a framework. */
export const programs = join(frameworks, 'programs');

/** npm writes this file last. */
export const areFrameworksInstalled = (): boolean =>
  existsSync(join(frameworks, 'node_modules/.package-lock.json'));

const npm = async (cwd: string, args: string[]): Promise<string> => {
  const quiet = ['--no-audit', '--no-fund', '--no-update-notifier'];
  return (await promisify(execFile)('npm', [...args, ...quiet], { cwd })).stdout;
};

/** The source files of the package. */
const sources = (): string[] => {
  const { files } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as {
    files: string[];
  };
  const names = [...files, 'README.md', 'package.json', 'src', 'tsconfig.json'];
  return [...names, 'tsconfig.adapters.json'].filter((name) => name !== 'dist').toSorted();
};

const filesIn = (name: string): string[] => {
  const path = join(source, name);
  if (name.includes('.') || !existsSync(path) || name === 'LICENSE') return [name];
  const inside = readdirSync(path, { recursive: true, withFileTypes: true });
  return inside.flatMap((one) => (one.isFile() ? join(one.parentPath, one.name) : [])).toSorted();
};

const fingerprint = (): string => {
  const texts = sources()
    .flatMap(filesIn)
    .map((path) => readFileSync(path.startsWith('/') ? path : join(source, path), 'utf8'));
  return hash('sha256', texts.join('\0')).slice(0, 16);
};

/**
 * Next to the frameworks, so that it finds them as its users' programs do. Built from a copy, since other
 * test processes may be at it as well: the first that is ready stays.
 */
const install = async (folder: string): Promise<void> => {
  await mkdir(work, { recursive: true });
  const own = await mkdtemp(join(work, 'making-'));
  try {
    for (const name of sources()) {
      await cp(join(source, name), join(own, 'source', name), { recursive: true });
    }
    const packed = await npm(join(own, 'source'), ['pack', '--json', '--pack-destination', own]);
    const [tarball] = JSON.parse(packed.slice(packed.indexOf('[\n'))) as { filename: string }[];
    await writeFile(join(own, 'packed.json'), JSON.stringify(tarball));
    await writeFile(join(own, 'package.json'), '{"private":true,"type":"module"}');
    await writeFile(join(own, 'load.js'), 'export const load = (name) => import(name);\n');
    await npm(own, ['install', '--offline', '--ignore-scripts', String(tarball?.filename)]);
    await rm(join(own, 'source'), { recursive: true });
    await rename(own, folder).catch((error) => {
      if (!existsSync(folder)) throw error;
    });
  } finally {
    await rm(own, { recursive: true, force: true });
  }
};

type Packed = { filename: string; files: { path: string }[] };

export type Installed = {
  folder: string;
  packed: Packed;
  /** Imports as a program in that folder does. */
  load<T>(name: string): Promise<T>;
};

/** Made by the first test that needs it, and kept until the sources change. */
export const installedClient = async (): Promise<Installed> => {
  const folder = join(work, fingerprint());
  if (!existsSync(folder)) await install(folder);
  const packed = JSON.parse(readFileSync(join(folder, 'packed.json'), 'utf8')) as Packed;
  const { load } = await import(pathToFileURL(join(folder, 'load.js')).href);
  return { folder, packed, load };
};

export const loadCore = async () => (await installedClient()).load<typeof Core>('letters-client');

export const loadWebhooks = async () =>
  (await installedClient()).load<typeof Webhooks>('letters-client/webhooks');
