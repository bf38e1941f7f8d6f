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

  /** Those that nothing has to be fetched for. */
  const early = allFiles.filter(
    (file) => file.endsWith('.unit.test.ts') && !file.startsWith('test/deploy/'),
  );
  const takeEarly = async (queue: ReturnType<typeof makeQueue>): Promise<string[]> => {
    const given: string[] = [];
    while (given.length < early.length) given.push(...((await queue.next()) ?? []));
    return given;
  };

  it('gives simulations and unit tests while packages are fetched, and each other file once they are there', async () => {
    const queue = makeQueue(() => false);
    const given = await takeEarly(queue);
    expect(given.slice(0, 2).every((file) => file.includes('simulation'))).to.equal(true);
    expect([...given].sort()).to.deep.equal(early.sort());

    let isFetched = false;
    const later = queue.next().then((files) => ({ files, isFetched }));
    // A queue that did not wait would have answered by now.
    await new Promise(setImmediate);
    isFetched = true;
    rmSync(fileOf('TEST_PACKAGES_PENDING'));
    const { files = [], isFetched: waited } = await later;
    expect(waited).to.equal(true);
    given.push(...files);

    rmSync(fileOf('TEST_IMAGE_PENDING'));
    for (let next = await queue.next(); next; next = await queue.next()) given.push(...next);
    expect([...given, contract].sort()).to.deep.equal(allFiles.sort());
  });

  it('gives nothing after a stop while packages are fetched', async () => {
    let stopping = false;
    const queue = makeQueue(() => stopping);
    await takeEarly(queue);
    const later = queue.next();
    stopping = true;
    expect(await later).to.equal(undefined);
  });
});
