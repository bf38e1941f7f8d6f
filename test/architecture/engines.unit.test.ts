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

/**
 * They run on the Node of the service only, so npm may warn of EBADENGINE on an older one. Their versions for Node 20
 * get no security fixes any more.
 */
const onOwnNode = ['@puppeteer/browsers', '@sparticuz/chromium', 'puppeteer-core', 'sanitize-html'];

const unwillingOn = (version: string): string[] =>
  Object.entries(packages)
    .filter(([, { engines }]) => engines?.node && !satisfies(version, engines.node))
    .map(([name, { engines }]) => `${name.replace(/^node_modules\//, '')} wants ${engines?.node}`);

describe('the Node that npm runs on', () => {
  for (const version of ['20.19.0', '20.20.2', '22.12.0', '24.0.0', '26.0.0']) {
    it(`may be ${version}: this and every package that runs on it take it`, () => {
      const unwilling = unwillingOn(version);
      const others = unwilling.filter((line) => !onOwnNode.includes(line.split(' ')[0] ?? ''));
      expect(others).to.deep.equal([]);
    });
  }

  it('does not run the service: that comes with it, also without what is for development', () => {
    expect(packages['']?.dependencies).to.have.property('node');
  });
});

describe('the Node that the service runs on', () => {
  it('is taken by every package', () => {
    const versions = Object.entries(packages).filter(([name]) =>
      /^node_modules\/(?:@node\/[^/]+|node)$/.test(name),
    );
    expect(versions).to.have.length(3);
    for (const [, { version }] of versions) {
      expect(unwillingOn(version ?? '')).to.deep.equal([]);
    }
  });

  it('is newer on Linux, where the general package lags behind the security releases', () => {
    const newer = ['@node/linux-x64', '@node/linux-arm64'];
    const name =
      newer.find((one) => existsSync(new URL(`../../node_modules/${one}`, import.meta.url))) ??
      'node';
    expect(process.version).to.equal(`v${packages[`node_modules/${name}`]?.version}`);
  });
});
