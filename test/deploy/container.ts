/** A container of an image that `build-image.ts` built, as an engine runs it: read-only, without capabilities. */
import { spawn } from 'node:child_process';
import { chown, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { eventually } from '../support/service-process.ts';
import { type BuiltImage, folder, run } from './tools.ts';

type Rule = { names: string[]; action: string; args?: object[]; errnoRet?: number };
type Profile = {
  defaultAction: string;
  defaultErrnoRet: number;
  archMap: { architecture: string; subArchitectures: string[] }[];
  syscalls: (Rule & { comment?: string })[];
};

/** The profile as engines read it, in the form in which they hand it to a runtime. */
const seccompOf = ({ archMap, syscalls, ...defaults }: Profile) => ({
  ...defaults,
  architectures: archMap.flatMap((one) => [one.architecture, ...one.subArchitectures]),
  syscalls: syscalls.map(({ comment: _, ...rule }) => rule),
});

const mount = (destination: string, type: string, ...options: string[]) => ({
  destination,
  type,
  source: type,
  options,
});

const specOf = async (
  image: BuiltImage,
  volume: string,
  env: Record<string, string>,
  args: string[],
) => {
  const { config } = image;
  const [uid = 0, gid = 0] = config.User.split(':').map(Number);
  const profile = await readFile(new URL('../../deploy/seccomp.json', import.meta.url), 'utf8');
  return {
    ociVersion: '1.0.2',
    process: {
      user: { uid, gid },
      args,
      env: [...config.Env, ...Object.entries(env).map(([name, value]) => `${name}=${value}`)],
      cwd: config.WorkingDir,
      capabilities: {},
      noNewPrivileges: true,
    },
    root: { path: image.rootfs, readonly: true },
    mounts: [
      mount('/proc', 'proc', 'nosuid', 'noexec', 'nodev'),
      mount('/dev', 'tmpfs', 'nosuid', 'strictatime', 'mode=755', 'size=65536k'),
      mount('/dev/shm', 'tmpfs', 'nosuid', 'noexec', 'nodev', 'mode=1777', 'size=64m'),
      mount('/tmp', 'tmpfs', 'nosuid', 'nodev', 'mode=1777', 'size=2g'),
      ...image.volumes.map((destination) => ({
        ...mount(destination, 'bind', 'bind', 'rw'),
        source: volume,
      })),
    ],
    linux: {
      namespaces: ['pid', 'ipc', 'uts', 'mount'].map((type) => ({ type })),
      seccomp: seccompOf(JSON.parse(profile)),
    },
  };
};

const runtime = ['--root', join(folder, 'containers')];

/** An empty volume of the user of the service, as an engine makes it. */
export const makeVolume = async (): Promise<string> => {
  const volume = await mkdtemp(join(folder, 'volume-'));
  await chown(volume, 10_001, 10_001);
  return volume;
};

/** A folder with what the runtime has to know of a container. */
const makeBundle = async (...container: Parameters<typeof specOf>): Promise<string> => {
  const bundle = await mkdtemp(join(folder, 'bundle-'));
  await writeFile(join(bundle, 'config.json'), JSON.stringify(await specOf(...container)));
  return bundle;
};

/** Whether containers run on this machine. @throws Error with what the runtime says */
export const tryContainer = async (image: BuiltImage): Promise<void> => {
  const bundle = await makeBundle(image, await makeVolume(), {}, ['node', '--version']);
  await run('runc', [...runtime, 'run', '--bundle', bundle, basename(bundle)]);
};

export type Container = {
  url: string;
  output(): string;
  ready(): Promise<void>;
  /** Runs a program in it; resolves to its exit code. */
  exec(...command: string[]): Promise<number>;
  /** SIGTERM to its first process; resolves to the exit code. The service gives itself 10 s, then exits with 1. */
  terminate(): Promise<number | null>;
  remove(): Promise<void>;
};

export const startContainer = async (
  image: BuiltImage,
  volume: string,
  port: number,
  env: Record<string, string> = {},
): Promise<Container> => {
  const settings = { PORT: String(port), ...env };
  const bundle = await makeBundle(image, volume, settings, image.config.Cmd);
  const id = basename(bundle);
  const child = spawn('runc', [...runtime, 'run', '--bundle', bundle, id], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const url = `http://127.0.0.1:${port}`;
  const isReady = async (): Promise<boolean> => {
    if (child.exitCode !== null) throw new Error(`the container ended: ${output.slice(-2_000)}`);
    return (await fetch(`${url}/ready`)).ok;
  };
  return {
    url,
    output: () => output,
    ready: () => eventually('the container is ready', isReady).then(() => undefined),
    exec: (...command) =>
      run('runc', [...runtime, 'exec', id, ...command]).then(
        () => 0,
        (error: { code: number }) => error.code,
      ),
    async terminate() {
      await run('runc', [...runtime, 'kill', id, image.config.StopSignal]);
      return exited;
    },
    async remove() {
      await run('runc', [...runtime, 'delete', '--force', id]).catch(() => undefined);
      await exited;
      await rm(bundle, { recursive: true, force: true });
    },
  };
};
