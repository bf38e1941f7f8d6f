import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { schemaFiles } from '../../infra/schema/migrate.ts';

describe('the numbers of schema files', () => {
  it('are taken once: of two files with the same number one would never be applied', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'schema-'));
    const url = pathToFileURL(`${folder}/`);
    try {
      await writeFile(join(folder, '01-keys.sql'), 'select 1');
      await writeFile(join(folder, '02-orders.sql'), 'select 2');
      expect(schemaFiles(url).map(({ number }) => number)).to.deep.equal([1, 2]);
      await writeFile(join(folder, '02-letters.sql'), 'select 3');
      expect(() => schemaFiles(url)).to.throw('two schema files have the number 2');
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
