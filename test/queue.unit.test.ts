import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { contract, makeQueue } from './queue.ts';

const cwd = new URL('..', import.meta.url).pathname;
const allFiles = globSync('test/**/*.test.ts', { cwd, exclude: ['**/node_modules'] });
const variables = ['TEST_PACKAGES_PENDING', 'TEST_IMAGE_PENDING'] as const;

describe('the queue of test files', () => {
  let folder = '';
  const before = new Map(variables.map((name) => [name, process.env[name]]));
  const fileOf = (name: string): string => join(folder, name);

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'letters-test-queue-'));
    for (const name of variables) {
      process.env[name] = fileOf(name);
      writeFileSync(fileOf(name), '');
    }
  });

  afterEach(() => {
    rmSync(folder, { recursive: true });
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });

  it('gives simulations while packages are fetched, and each other file once they are there', async () => {
    const queue = makeQueue(() => false);
    const given = [...((await queue.next()) ?? []), ...((await queue.next()) ?? [])];
    expect(given.every((file) => file.includes('simulation'))).to.equal(true);

    let isFetched = false;
    const third = queue.next().then((files) => ({ files, isFetched }));
    // A queue that did not wait would have answered by now.
    await new Promise(setImmediate);
    isFetched = true;
    rmSync(fileOf('TEST_PACKAGES_PENDING'));
    const { files = [], isFetched: waited } = await third;
    expect(waited).to.equal(true);
    given.push(...files);

    rmSync(fileOf('TEST_IMAGE_PENDING'));
    for (let next = await queue.next(); next; next = await queue.next()) given.push(...next);
    expect([...given, contract].sort()).to.deep.equal(allFiles.sort());
  });

  it('gives nothing after a stop while packages are fetched', async () => {
    let stopping = false;
    const queue = makeQueue(() => stopping);
    await queue.next();
    await queue.next();
    const third = queue.next();
    stopping = true;
    expect(await third).to.equal(undefined);
  });
});
