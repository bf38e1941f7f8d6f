import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { unusedExports } from './unused-exports.ts';

const root = join(import.meta.dirname, '..', '..');
const files = globSync('**/*.ts', {
  cwd: root,
  exclude: ['**/node_modules', '**/generated', 'data', 'clients/typescript/frameworks'],
}).sort();

/** The exports of the clients are for their users. */
const isOurs = (one: string): boolean => !one.startsWith('clients/');

describe('exports', () => {
  const sources = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]));
  const { unused, testsOnly } = unusedExports(sources);

  it('are each imported by another file', () => {
    const found = unused.filter(isOurs);
    expect(found, `remove "export":\n${found.join('\n')}`).to.have.length(0);
  });

  it('are not code that only tests use', () => {
    const found = testsOnly.filter(isOurs);
    expect(found, `remove, use, or move to test/:\n${found.join('\n')}`).to.have.length(0);
  });
});

describe('the rule for exports', () => {
  const found = (files: Record<string, string>) => unusedExports(new Map(Object.entries(files)));

  it('finds what no other file imports, also where another file has the same name', () => {
    const { unused } = found({
      'a.ts': 'export const used = 1;\nexport type Unused = string;',
      'b.ts': "import { used } from './a.ts';\nimport { Unused } from './c.ts';\nused; // Unused",
    });
    expect(unused).to.deep.equal(['a.ts: Unused']);
  });

  it('finds what only tests use, but neither figures nor what its own file uses', () => {
    const { testsOnly } = found({
      'a.ts': [
        'export const one = () => 1; // one',
        'export const two = () => 2;',
        'const three = two;',
        'export const four = 4;',
      ].join('\n'),
      'test/a.ts': "import { four, one, two } from '../a.ts';",
    });
    expect(testsOnly).to.deep.equal(['a.ts: one']);
  });

  it('knows imports of several lines, of types, by another name, of all, dynamic ones and re-exports', () => {
    const a = 'export const one = 1;\nexport function* two() {}\nexport type Three = 3;';
    for (const statement of [
      "import {\n  one,\n  two as second,\n  type Three,\n} from './a.ts';",
      "import * as a from './a.ts';",
      "const { one, two } = await import('./a.ts');\nlet x: Three;",
      "export { one, two, type Three } from './a.ts';",
      "export * from './a.ts';",
    ]) {
      expect(found({ 'a.ts': a, 'b.ts': statement }).unused, statement).to.deep.equal([]);
    }
  });
});
