/** The programs with which the image is built and run without a container engine. */
import { execFile } from 'node:child_process';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { keptFolder } from '../support/scratch.ts';

export const run = promisify(execFile);

const programs = ['mmdebstrap', 'buildah', 'runc'];

/** The folder of everything that is built. */
export const folder = join(keptFolder, `letters-test-image-${userInfo().uid}`);
/** The images that were built: `BuiltImages` as JSON. */
export const builtFile = join(folder, 'built.json');

export const targets = ['letters', 'letters-nohtml'] as const;
export type Target = (typeof targets)[number];

/** `config`: as Docker keeps it. `bytes`: what all files of the image take, unpacked. */
export type BuiltImage = {
  rootfs: string;
  bytes: number;
  config: { Cmd: string[]; Env: string[]; User: string; WorkingDir: string; StopSignal: string };
  healthCheck: string[];
  volumes: string[];
};
export type BuiltImages = { commit: string; images: Record<Target, BuiltImage> };

/** The commit that the working copy is at, so that no image of another one is tested. */
export const commitHere = (): Promise<string> =>
  run('git', ['rev-parse', 'HEAD'], { cwd: import.meta.dirname }).then(
    ({ stdout }) => stdout.trim(),
    () => '',
  );

/** Why no image can be built here; undefined: it can. */
export const missing = async (): Promise<string | undefined> => {
  if (userInfo().uid !== 0) return 'building an image without a container engine needs root';
  const found = await Promise.all(
    programs.map((name) =>
      run('sh', ['-c', 'command -v "$0"', name]).then(
        () => true,
        () => false,
      ),
    ),
  );
  const absent = programs.filter((_, index) => !found[index]);
  return absent.length === 0 ? undefined : `not installed: ${absent.join(', ')}`;
};
