import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect } from 'chai';

type Package = { engines?: { node?: string }; dependencies?: Record<string, string> };

const require = createRequire(import.meta.url);
const { satisfies }: { satisfies(version: string, range: string): boolean } = require('semver');
const read = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8'));

describe('the Node that npm runs on', () => {
  const { packages } = read('package-lock.json') as { packages: Record<string, Package> };

  // Else npm ci warns of EBADENGINE.
  for (const version of ['20.19.0', '20.20.2', '22.12.0', '24.0.0', '26.0.0']) {
    it(`may be ${version}: this and every package take it`, () => {
      const unwilling = Object.entries(packages)
        .filter(([, { engines }]) => engines?.node && !satisfies(version, engines.node))
        .map(([name, { engines }]) => `${name} wants ${engines?.node}`);
      expect(unwilling).to.deep.equal([]);
    });
  }

  it('does not run the service: that comes with it, also without what is for development', () => {
    expect(packages['']?.dependencies).to.have.property('node');
  });
});
