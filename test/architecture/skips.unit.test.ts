import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { skip } from '../support/skip.ts';

const root = join(import.meta.dirname, '..', '..');
const files = globSync('test/**/*.ts', { cwd: root, exclude: ['**/node_modules'] });

describe('skipped tests', () => {
  it('are skipped in one place, which knows CI', () => {
    const calls = /\.skip\(|\.only\(|\bx(it|describe)\(/;
    const found = files.filter((file) => calls.test(readFileSync(join(root, file), 'utf8')));
    expect(found).to.deep.equal(['test/support/skip.ts']);
  });

  it('fail in CI, where all that they need is installed', function () {
    const before = process.env.CI;
    process.env.CI = 'true';
    try {
      expect(() => skip(this, 'it lacks a thing')).to.throw(/^CI skips nothing, but it lacks/);
    } finally {
      if (before === undefined) delete process.env.CI;
      else process.env.CI = before;
    }
  });
});
