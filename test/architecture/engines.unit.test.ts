import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect } from 'chai';

type Package = {
  version?: string;
  engines?: { node?: string };
  dependencies?: Record<string, string>;
};

const require = createRequire(import.meta.url);
const { satisfies }: { satisfies(version: string, range: string): boolean } = require('semver');
const read = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8'));
const { packages } = read('package-lock.json') as { packages: Record<string, Package> };

describe('the Node that npm runs on', () => {
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

describe('the Node that the service runs on', () => {
  it('is newer on Linux x64, where the general package lags behind the security releases', () => {
    const newer = '@node/linux-x64';
    const name = existsSync(new URL(`../../node_modules/${newer}`, import.meta.url))
      ? newer
      : 'node';
    expect(process.version).to.equal(`v${packages[`node_modules/${name}`]?.version}`);
  });
});
