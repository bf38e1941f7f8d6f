import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import {
  folderCycles,
  forbiddenImports,
  importCycles,
  importsOf,
  type Sources,
} from './import-rules.ts';

const root = join(import.meta.dirname, '..', '..');
/** Not ours, not code of the service, or programs of users of the clients. */
const outside = new Set(['node_modules', 'frameworks', 'examples', 'dist', 'data', 'peers']);

const readSources = (folder: string): Sources => {
  const sources: Sources = new Map();
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = folder ? `${folder}/${entry.name}` : entry.name;
    if (entry.isDirectory() && !outside.has(entry.name) && !entry.name.startsWith('.')) {
      for (const [file, source] of readSources(path)) sources.set(file, source);
    } else if (entry.isFile() && entry.name.endsWith('.ts')) {
      sources.set(path, readFileSync(join(root, path), 'utf8'));
    }
  }
  return sources;
};

const madeUp = (files: Record<string, string>): Sources => new Map(Object.entries(files));

describe('imports of the project', () => {
  const sources = readSources('');

  it('are read from all its folders', () => {
    expect([...sources.keys()])
      .to.include('contract/errors.ts')
      .and.include('events/event-store.ts')
      .and.include('service/config/config.ts')
      .and.include('clients/typescript/src/execute.ts');
  });

  it('follow the import table', () => {
    expect(forbiddenImports(sources)).to.deep.equal([]);
  });

  it('take Type from ground/type.ts and only types from TypeBox, whose code starts slowly', () => {
    const code = /^import (?!type ).* from 'typebox/m;
    const loading = [...sources].filter(([, source]) => code.test(source)).map(([file]) => file);
    expect(loading).to.deep.equal(['test/ground/type.unit.test.ts']);
  });

  it('make connections to PostgreSQL in one place, which gives each its settings', () => {
    const makes = /new (?:pg\.)?(?:Client|Pool)\(/;
    const making = [...sources]
      .filter(([file, source]) => !/^(test|bench)\//.test(file) && makes.test(source))
      .filter(([, source]) => /from 'pg'/.test(source))
      .map(([file]) => file);
    expect(making).to.deep.equal(['infra/event-store/postgres/connection.ts']);
  });

  it('make no cycles, neither among files nor among the folders of a room', () => {
    expect(importCycles(sources)).to.deep.equal([]);
    const rooms = [...sources].filter(([file]) => !file.startsWith('test/'));
    expect(folderCycles(new Map(rooms))).to.deep.equal([]);
  });
});

describe('the import rule', () => {
  const forbidden: [string, string][] = [
    ['ground/a.ts', "import x from '../contract/b.ts';"],
    ['contract/a.ts', "import x from '../events/b.ts';"],
    ['contract/a.ts', "import pg from 'pg';"],
    ['events/a.ts', "import type { B } from '../commands/b.ts';"],
    ['events/a.ts', "import { readFileSync } from 'node:fs';"],
    ['events/a.ts', "import pg from 'pg';"],
    ['postal/a.ts', "export * from '../identity/b.ts';"],
    ['postal/a.ts', "import { createHash } from 'node:crypto';"],
    ['identity/a.ts', "import { key } from '../infra/keys/master-key.ts';"],
    ['commands/a.ts', "import { b } from '../projections/letters/query.ts';"],
    ['commands/a.ts', "await import('pg');"],
    ['commands/a.ts', "import '../infra/b.ts';"],
    ['projections/a.ts', "import { b } from '../commands/b.ts';"],
    ['projections/a.ts', "import knex from 'knex';"],
    ['reactors/a.ts', "import { b } from '../projections/letters/project.ts';"],
    ['reactors/a.ts', "import { createTransport } from 'nodemailer';"],
    ['write-api/a.ts', "import { b } from '../events/letter.ts';"],
    ['write-api/a.ts', "import { b } from '../read-api/letters.ts';"],
    ['write-api/a.ts', "import { b } from '../projections/letters/table.ts';"],
    ['write-api/a.ts', "import type { Context } from 'koa';"],
    ['read-api/a.ts', "import { b } from '../commands/letter.ts';"],
    ['read-api/a.ts', "import type { B } from '../projections/runner.ts';"],
    ['infra/a.ts', "import { b } from '../write-api/letters.ts';"],
    ['infra/a.ts', "import { b } from '../service/config/config.ts';"],
    ['infra/a.ts', "import { b } from '../documents/pdf/b.ts';"],
    ['documents/a.ts', "import { b } from '../infra/log.ts';"],
    ['documents/a.ts', "import { b } from '../commands/letters/b.ts';"],
    ['pages/a.ts', "import { b } from '../http/b.ts';"],
    ['money/a.ts', "import { b } from '../postal/b.ts';"],
    ['ground/a.ts', "import { b } from '../contract/b.ts';"],
    ['clients/typescript/src/a.ts', "import { b } from '../../../ground/b.ts';"],
    ['agent-api/a.ts', "import { b } from '../write-api/letters.ts';"],
    ['agent-api/a.ts', "type B = import('../commands/letter.ts').Letter;"],
    ['clients/typescript/src/a.ts', "import { b } from '../../../contract/b.ts';"],
    ['clients/typescript/src/a.ts', "import { readFileSync } from 'node:fs';"],
    ['clients/typescript/src/a.ts', "import { tool } from 'ai';"],
    ['clients/typescript/src/adapters/genkit.ts', "import { tool } from 'ai';"],
    ['somewhere/a.ts', ''],
  ];
  for (const [file, source] of forbidden) {
    it(`finds ${file}: ${source || 'in a folder of its own'}`, () => {
      expect(forbiddenImports(madeUp({ [file]: source }))).to.have.length(1);
    });
  }

  const allowed: [string, string][] = [
    ['infra/a.ts', "import pg from 'pg'; import { b } from '../reactors/print-partner.ts';"],
    ['service/a.ts', "import { b } from '../write-api/letters.ts';"],
    ['documents/a.ts', "import { b } from '../commands/preparation/b.ts'; import c from 'pdfkit';"],
    ['test/a.ts', "import { b } from '../infra/b.ts'; import { expect } from 'chai';"],
    ['bench/a.ts', "import autocannon from 'autocannon';"],
    ['events/a.ts', "import { Type } from 'typebox'; import { createHash } from 'node:crypto';"],
    ['postal/countries/fr.ts', "import { b } from '../types.ts';"],
    ['commands/a.ts', "import { b } from '../events/b.ts'; import { c } from '../postal/c.ts';"],
    ['projections/letters/project.ts', "import type { B } from '../../events/b.ts';"],
    ['reactors/a.ts', "import { b } from '../projections/letters/query.ts';"],
    ['write-api/a.ts', "import { b } from '../commands/letter.ts';"],
    ['read-api/a.ts', "import { b } from '../projections/letters/query.ts';"],
    ['agent-api/a.ts', "import { operation } from '../contract/operation.ts';"],
    ['clients/typescript/src/adapters/ai-sdk.ts', "import { tool } from 'ai';"],
    ['clients/typescript/src/a.ts', "import { b } from './generated/b.ts';"],
    ['events/a.ts', "// import pg from 'pg'\n/* import pg from 'pg' */"],
  ];
  for (const [file, source] of allowed) {
    it(`lets ${file}: ${source.replace('\n', ' ')} be`, () => {
      expect(forbiddenImports(madeUp({ [file]: source }))).to.deep.equal([]);
    });
  }

  it('sees imports over several lines and after a string with slashes', () => {
    const source = "const u = 'a://b';\nimport {\n  type A,\n  b,\n} from './c.ts';";
    expect(importsOf(source)).to.deep.equal(['./c.ts']);
  });

  it('finds a cycle among the folders of a room whose files make none', () => {
    const cycles = folderCycles(
      madeUp({
        'a/one/first.ts': "import { b } from '../two/first.ts';",
        'a/two/first.ts': '',
        'a/two/second.ts': "import type { B } from '../one/second.ts';",
        'a/one/second.ts': "import { c } from '../../b/one/first.ts';",
        'b/one/first.ts': '',
      }),
    );
    expect(cycles).to.deep.equal(['a/one → a/two → a/one']);
  });

  it('finds a cycle across folders, and a file that imports itself', () => {
    const cycles = importCycles(
      madeUp({
        'a/one.ts': "import { two } from '../b/two.ts';",
        'b/two.ts': "export { three } from './three.ts';",
        'b/three.ts': "import type { One } from '../a/one.ts';",
        'c/self.ts': "import './self.ts';",
        'c/fine.ts': "import '../a/one.ts';",
      }),
    );
    expect(cycles).to.deep.equal([
      'a/one.ts → b/two.ts → b/three.ts → a/one.ts',
      'c/self.ts → c/self.ts',
    ]);
  });
});
