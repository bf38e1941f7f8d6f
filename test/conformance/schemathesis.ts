/** Where schemathesis lies, which attacks the service by what its OpenAPI document promises. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { environments, makeEnvironment } from '../support/python-environment.ts';

const version = '4.32.5';

const folder = join(environments, `schemathesis-${version}`);
const program = join(folder, 'bin', 'schemathesis');

export const findSchemathesis = (): string | undefined =>
  existsSync(program) ? program : undefined;

/** Fetches it where it is not there yet, with Python's own tools. */
const fetchSchemathesis = async (): Promise<string> => {
  if (!existsSync(program)) await makeEnvironment(folder, [`schemathesis==${version}`]);
  return program;
};

if (process.argv.includes('--fetch')) {
  await fetchSchemathesis();
  console.log(version);
}
