/**
 * Prints the list of all packages that ship, as CycloneDX (`npm run sbom`). `npm sbom --omit dev` alone leaves out what
 * tests use as well (npm 11), so npm gets the two manifests without everything that is for development only.
 */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

type Lock = { packages: Record<string, { dev?: boolean; devDependencies?: object }> };

const root = join(import.meta.dirname, '..');
const readJson = async (name: string) => JSON.parse(await readFile(join(root, name), 'utf8'));

const production = ({ packages, ...rest }: Lock): Lock => {
  const { '': project = {}, ...others } = packages;
  const { devDependencies: _, ...kept } = project;
  const shipped = Object.entries(others).filter(([, { dev }]) => !dev);
  return { ...rest, packages: { '': kept, ...Object.fromEntries(shipped) } };
};

const folder = await mkdtemp(join(tmpdir(), 'letters-sbom-'));
try {
  // npm names the product after its folder.
  const project = join(folder, 'letters');
  await mkdir(project);
  const { devDependencies: _, ...manifest } = await readJson('package.json');
  const lock = production(await readJson('package-lock.json'));
  await writeFile(join(project, 'package.json'), JSON.stringify(manifest));
  await writeFile(join(project, 'package-lock.json'), JSON.stringify(lock));
  const { stdout } = await promisify(execFile)(
    'npm',
    ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx'],
    { cwd: project, maxBuffer: 64 * 1024 * 1024 },
  );
  process.stdout.write(stdout);
} finally {
  await rm(folder, { recursive: true, force: true });
}
