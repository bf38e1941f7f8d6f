/** The TypeScript library as its users have it: packed, and installed from the tarball. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type * as Core from '../../clients/typescript/src/index.ts';
import type * as Webhooks from '../../clients/typescript/src/webhooks.ts';
import { clientsFolder } from './generated.ts';

const run = promisify(execFile);
const source = join(clientsFolder, 'typescript');
const frameworks = join(source, 'frameworks');
const npm = (cwd: string, args: string[]) =>
  run('npm', [...args, '--no-audit', '--no-fund', '--no-update-notifier'], { cwd });

export const areFrameworksInstalled = (): boolean => existsSync(join(frameworks, 'node_modules'));

type Packed = { filename: string; unpackedSize: number; files: { path: string }[] };

export type Installed = {
  folder: string;
  packed: Packed;
  /** Imports as a program in that folder does. */
  load<T>(name: string): Promise<T>;
};

/** Beside the frameworks, so that it finds them as its users' programs do. */
const install = async (): Promise<Installed> => {
  const work = join(frameworks, '.work');
  await mkdir(work, { recursive: true });
  const folder = await mkdtemp(join(work, 'installed-'));
  const { stdout } = await npm(source, ['pack', '--json', '--pack-destination', folder]);
  const [packed] = JSON.parse(stdout.slice(stdout.indexOf('[\n'))) as Packed[];
  if (packed === undefined) throw new Error('npm packed nothing');
  await writeFile(join(folder, 'package.json'), '{"private":true,"type":"module"}');
  await writeFile(join(folder, 'load.js'), 'export const load = (name) => import(name);\n');
  await npm(folder, ['install', '--offline', '--ignore-scripts', packed.filename]);
  const { load } = await import(pathToFileURL(join(folder, 'load.js')).href);
  return { folder, packed, load };
};

let installed: Promise<Installed> | undefined;

/** Made by the first test that needs it. */
export const installedClient = (): Promise<Installed> => {
  installed ??= install();
  return installed;
};

after(async () => {
  if (installed) await rm((await installed).folder, { recursive: true, force: true });
});

export const loadCore = async () => (await installedClient()).load<typeof Core>('letters-client');

export const loadWebhooks = async () =>
  (await installedClient()).load<typeof Webhooks>('letters-client/webhooks');
