/**
 * The frameworks with which the Python client is tested: a virtual environment. As a program, with `--fetch`: makes it, or
 * waits for the process that is making it.
 */
import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  environments,
  foundOrMade,
  madeOnce,
  makeEnvironment,
  pythonVersion,
  runPip,
} from '../support/python-environment.ts';

const lockFile = join(import.meta.dirname, 'requirements.lock');

/** One for each list of packages and each Python. */
const findFolder = async (): Promise<string> => {
  const text = `${await readFile(lockFile, 'utf8')}${await pythonVersion()}\n`;
  return join(environments, `python-clients-${hash('sha256', text, 'hex').slice(0, 12)}`);
};

/** Its folder; waits while another process makes it. Undefined if it is not there. */
export const findVenv = async (): Promise<string | undefined> => {
  const folder = await findFolder().catch(() => undefined);
  return folder === undefined ? undefined : foundOrMade(folder);
};

if (process.argv.includes('--fetch')) {
  const make = (aside: string) => makeEnvironment(aside, ['--no-deps', '-r', lockFile]);
  const folder = await madeOnce(await findFolder(), make);
  const list = await runPip(folder, 'list', '--format=freeze');
  console.log(`${list.trim().split('\n').length} packages`);
}
