import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  access,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  writeFile,
} from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { facesVersion, writeFaces } from '../fonts/faces.ts';

/** A browser that can be started, and what it needs around it. */
export type ChromiumBinary = {
  path: string;
  /** Shared libraries for systems that lack them (NSS and NSPR). Not needed by a browser of yours. */
  libraryPath?: string;
  /** The fontconfig file that shows the browser our fonts only, so that letters look alike everywhere. */
  fontConfigFile: string;
  /** Where browsers keep their profiles while they run. */
  profilesDir: string;
};

async function shippedVersion(): Promise<string> {
  const manifest = findPackageJSON('@sparticuz/chromium', import.meta.url);
  if (manifest === undefined) throw new Error('the package @sparticuz/chromium is not installed');
  const { version } = JSON.parse(await readFile(manifest, 'utf8')) as { version: string };
  return version;
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** Files that run from a shared folder must belong to us alone. */
async function assertOurs(dir: string): Promise<void> {
  const found = await lstat(dir);
  const ours = process.getuid === undefined || found.uid === process.getuid();
  if (!found.isDirectory() || !ours || (found.mode & 0o022) !== 0) {
    throw new Error(`${dir} belongs to others or is writable by them: remove it`);
  }
}

/**
 * The package unpacks to the folder for temporary files unless it finds a file of the right name. So it runs
 * in a process of its own, whose folder is one of ours, and asks for the libraries.
 */
async function unpack(into: string): Promise<void> {
  const script =
    'import(process.argv[1]).then(async ({ default: chromium }) => { await chromium.executablePath(); })';
  await promisify(execFile)(
    process.execPath,
    ['-e', script, import.meta.resolve('@sparticuz/chromium')],
    { env: { TMPDIR: into, HOME: into, AWS_LAMBDA_JS_RUNTIME: 'nodejs22.x' }, timeout: 120_000 },
  );
}

/** Makes a folder under another name and renames it, so that killed and concurrent processes do no harm. */
async function madeOnce(dir: string, make: (into: string) => Promise<void>): Promise<string> {
  if (await exists(dir)) return dir;
  const beside = `${dir}.${randomUUID()}`;
  await mkdir(beside, { recursive: true, mode: 0o700 });
  try {
    await make(beside);
    await rename(beside, dir);
  } catch (error) {
    await rm(beside, { recursive: true, force: true });
    if (!(await exists(dir))) throw error;
  }
  return dir;
}

const fontDir = (): string =>
  dirname(fileURLToPath(import.meta.resolve('@expo-google-fonts/noto-sans/package.json')));

const xml = (text: string): string => text.replace(/[<>&]/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** Every family that is asked for and not there becomes Noto Sans. */
const fontConfig = (cacheDir: string, facesDir: string): string => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${xml(fontDir())}</dir>
  <dir>${xml(facesDir)}</dir>
  <cachedir>${xml(join(cacheDir, 'font-cache'))}</cachedir>
  <match target="pattern">
    <edit name="family" mode="append_last"><string>Noto Sans</string></edit>
  </match>
</fontconfig>
`;

async function writeFontConfig(dir: string, facesDir: string): Promise<string> {
  const path = join(dir, 'fonts.conf');
  const beside = `${path}.${randomUUID()}`;
  await writeFile(beside, fontConfig(dir, facesDir));
  await rename(beside, path);
  return path;
}

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};

/** In a container another process had our id before the restart. */
const ownPrefix = `${process.pid}-${randomUUID()}-`;

/** A folder for one browser, named after our process, so that folders of killed processes can be recognised. */
export const makeProfileDir = ({ profilesDir }: ChromiumBinary): Promise<string> =>
  mkdtemp(join(profilesDir, ownPrefix));

async function removeStaleProfiles(profilesDir: string): Promise<void> {
  const stale = (await readdir(profilesDir)).filter((name) => {
    const pid = Number.parseInt(name, 10);
    return pid === process.pid ? !name.startsWith(ownPrefix) : pid > 0 && !isRunning(pid);
  });
  await Promise.all(
    stale.map((name) => rm(join(profilesDir, name), { recursive: true, force: true })),
  );
}

/**
 * Finds the browser: the one at `executablePath`, or that of `@sparticuz/chromium`, which is
 * unpacked once (about 200 MB) into `cacheDir`.
 * @throws Error with one sentence when it cannot be unpacked
 */
export async function prepareChromium(options: {
  executablePath?: string;
  cacheDir?: string;
}): Promise<ChromiumBinary> {
  const owner = process.getuid?.() ?? 0;
  const cacheDir = options.cacheDir ?? join(tmpdir(), `letters-browser-${owner}`);
  await mkdir(cacheDir, { recursive: true, mode: 0o700 });
  await assertOurs(cacheDir);
  const facesDir = await madeOnce(join(cacheDir, `faces-${facesVersion()}`), writeFaces);
  const fontConfigFile = await writeFontConfig(cacheDir, facesDir);
  const profilesDir = join(cacheDir, 'profiles');
  await mkdir(profilesDir, { recursive: true, mode: 0o700 });
  await removeStaleProfiles(profilesDir);
  if (options.executablePath !== undefined) {
    return { path: options.executablePath, fontConfigFile, profilesDir };
  }
  const dir = join(cacheDir, `chromium-${await shippedVersion()}`);
  await madeOnce(dir, unpack);
  return {
    path: join(dir, 'chromium'),
    libraryPath: join(dir, 'al2023', 'lib'),
    fontConfigFile,
    profilesDir,
  };
}
