import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';

const root = join(import.meta.dirname, '..', '..');

type Component = { name: string; version: string; hashes?: object[]; purl: string };

describe('npm run sbom', function () {
  this.timeout(180_000);

  it('lists every package that ships, with its hash, and none that does not', async () => {
    const { stdout } = await promisify(execFile)('npm', ['run', '--silent', 'sbom'], {
      cwd: root,
      maxBuffer: 64 * 1024 * 1024,
    });
    const sbom = JSON.parse(stdout);
    expect(sbom.bomFormat).to.equal('CycloneDX');
    expect(sbom.metadata.component).to.include({ name: 'letters' });
    const components: Component[] = sbom.components;
    const listed = components.map(({ name, version }) => `${name}@${version}`);

    const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
    const packages: [string, { version: string; dev?: boolean; devOptional?: boolean }][] =
      Object.entries(lock.packages);
    const named = packages
      .filter(([path]) => path !== '')
      .map(([path, rest]) => ({
        ...rest,
        id: `${path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)}@${rest.version}`,
      }));
    const shipped = named.filter(({ dev, devOptional }) => !dev && !devOptional);
    expect(shipped.length).to.be.greaterThan(300);
    expect(listed).to.include.members(shipped.map(({ id }) => id));
    const ids = new Set(named.filter(({ dev }) => !dev).map(({ id }) => id));
    expect(listed.filter((id) => !ids.has(id))).to.deep.equal([]);
    for (const { name, hashes = [] } of components) expect(hashes, name).to.have.lengthOf(1);
  });
});
