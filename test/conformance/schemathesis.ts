/** Where schemathesis lies, which attacks the service by what its OpenAPI document promises. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const version = '4.32.5';

/** Outside of the project, which `npm ci` clears. */
const folder = join(
  process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'),
  'letters',
  `schemathesis-${version}`,
);
const program = join(folder, 'bin', 'schemathesis');

export const findSchemathesis = (): string | undefined =>
  existsSync(program) ? program : undefined;

/** Fetches it where it is not there yet, with Python's own tools. */
const fetchSchemathesis = async (): Promise<string> => {
  const run = promisify(execFile);
  if (!existsSync(program)) {
    await run('python3', ['-m', 'venv', folder]);
    const pip = ['-m', 'pip', 'install', '--quiet', '--no-compile', `schemathesis==${version}`];
    await run(join(folder, 'bin', 'python'), pip);
  }
  return program;
};

if (process.argv.includes('--fetch')) {
  await fetchSchemathesis();
  console.log(version);
}
