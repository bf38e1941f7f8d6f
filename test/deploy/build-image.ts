/**
 * Builds both targets of `deploy/Dockerfile` without a container engine: the base images come from Debian's packages
 * and this project's Node, because no registry of images is needed then. Prints one line; exit code 0 in any case.
 */
import { existsSync } from 'node:fs';
import { copyFile, mkdir, rm, statfs, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { tryContainer } from './container.ts';
import {
  type BuiltImage,
  type BuiltImages,
  builtFile,
  commitHere,
  folder,
  missing,
  run,
  type Target,
  targets,
} from './tools.ts';

const root = join(import.meta.dirname, '..', '..');
const storage = ['--root', join(folder, 'storage'), '--runroot', join(folder, 'running')];
const certificates = '/etc/ssl/certs/ca-certificates.crt';
const limitMs = 420_000;
/** The two images, and the rest of their layers. */
const neededBytes = 8e9;

const buildah = async (...args: string[]): Promise<string> => {
  const { stdout } = await run('buildah', [...storage, ...args], {
    cwd: root,
    maxBuffer: 64 * 1024 * 1024,
    timeout: limitMs,
  });
  return stdout.trim();
};

/** Removes the remains of an earlier run. Containers are mounted, so they go first. */
const clean = async (): Promise<void> => {
  if (existsSync(folder)) await buildah('rm', '--all').catch(() => undefined);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true, mode: 0o700 });
};

/** As `debian:trixie-slim`: without manuals, translations and documents. */
const makeBase = async (): Promise<void> => {
  const archive = join(folder, 'base.tar');
  const excluded = ['man', 'locale', 'doc'].map(
    (name) => `--dpkgopt=path-exclude=/usr/share/${name}/*`,
  );
  await run('mmdebstrap', ['--variant=minbase', '--quiet', ...excluded, 'trixie', archive], {
    timeout: limitMs,
  });
  const container = await buildah('from', 'scratch');
  await buildah('add', '--quiet', container, archive, '/');
  await buildah('commit', '--quiet', '--rm', container, 'base');
  await rm(archive);
};

/** As `node:24-trixie-slim`: with Node and npm. */
const makeNodeBase = async (): Promise<void> => {
  const { stdout } = await run('sh', ['-c', 'readlink -f "$(command -v npm)"']);
  const programs = join(folder, 'programs');
  await mkdir(join(programs, 'bin'), { recursive: true });
  await copyFile(process.execPath, join(programs, 'bin', 'node'));
  await symlink('../lib/node_modules/npm/bin/npm-cli.js', join(programs, 'bin', 'npm'));
  const container = await buildah('from', '--pull-never', 'base');
  await buildah('add', '--quiet', container, programs, '/usr/local');
  const npm = dirname(dirname(stdout.trim()));
  await buildah('add', '--quiet', container, npm, '/usr/local/lib/node_modules/npm');
  await buildah('commit', '--quiet', '--rm', container, 'node-base');
};

/** npm in the build trusts and keeps the same as npm here. */
const sharedWithBuild = async (): Promise<string[]> => {
  const npmrc = join(folder, 'npmrc');
  const trusted = existsSync(certificates);
  await writeFile(npmrc, trusted ? `cafile=${certificates}\n` : '');
  const { stdout } = await run('npm', ['config', 'get', 'cache']);
  return [
    ...['--secret', `id=npmrc,src=${npmrc}`],
    ...['--volume', `${stdout.trim()}:/root/.npm`],
    ...(trusted ? ['--volume', `${certificates}:${certificates}:ro`] : []),
  ];
};

const build = async (target: Target): Promise<BuiltImage> => {
  await buildah(
    ...['build', '--layers', '--pull-never', '--isolation', 'chroot', '--format', 'docker'],
    ...['--build-arg', 'BASE=localhost/base', '--build-arg', 'BUILD=localhost/node-base'],
    ...(await sharedWithBuild()),
    ...['--quiet', '--file', 'deploy/Dockerfile', '--target', target, '--tag', target, '.'],
  );
  const container = await buildah('from', '--pull-never', target);
  const rootfs = await buildah('mount', container);
  const { stdout } = await run('du', ['--summarize', '--bytes', rootfs]);
  const { config } = JSON.parse(await buildah('inspect', '--type', 'image', target)).Docker;
  return {
    rootfs,
    bytes: Number.parseInt(stdout, 10),
    config,
    healthCheck: config.Healthcheck.Test,
    volumes: Object.keys(config.Volumes),
  };
};

const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;

const buildAll = async (): Promise<string> => {
  const began = performance.now();
  await clean();
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize < neededBytes) throw new Error(`less than ${neededBytes / 1e9} GB are free`);
  await makeBase();
  await makeNodeBase();
  const images: [Target, BuiltImage][] = [];
  for (const target of targets) {
    const image = await build(target);
    await tryContainer(image);
    images.push([target, image]);
  }
  const built: BuiltImages = {
    commit: await commitHere(),
    images: Object.fromEntries(images) as Record<Target, BuiltImage>,
  };
  await mkdir(dirname(builtFile), { recursive: true });
  await writeFile(builtFile, JSON.stringify(built));
  const sizes = images.map(([target, { bytes }]) => `${target} ${megabytes(bytes)}`).join(', ');
  return `${sizes} unpacked, built in ${Math.round((performance.now() - began) / 1_000)} s`;
};

const reason = await missing();
const line = reason
  ? `not built (${reason})`
  : await buildAll().catch(
      (error: Error & { stderr?: string }) =>
        `not built (${(error.stderr?.trim() || error.message).split('\n').slice(-3).join(' ')})`,
    );
console.log(line);
