import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'chai';
import { crashed, failuresOf, seedOf } from './rows.ts';

const root = join(import.meta.dirname, '..', '..');

describe('npm run test:faults', function () {
  this.timeout(180_000);

  it('prints what was injected, how often, what was checked, the result and the seed', () => {
    const { stdout, status } = spawnSync(
      process.execPath,
      ['test/faults/main.ts', 'test/faults/example.ts'],
      { cwd: root, encoding: 'utf8' },
    );
    const rows = stdout
      .split('\n')
      .filter((line) => line.startsWith('| an example |'))
      .map((line) => line.split(' | ').slice(0, 5).join(' | '));
    expect(rows).to.deep.equal([
      '| an example | process frozen × 1, process killed × 2, link cut × 1 | counts what is killed and frozen (seed 7) | passed | 7',
      '| an example |  | fails | FAILED | ',
    ]);
    expect(stdout.match(/^FAILED .*$/gm)).to.deep.equal([
      'FAILED test/faults/example.ts: an example: fails',
      'FAILED test/faults/example.ts: an example that cannot begin: "before all" hook for "is not run"',
    ]);
    expect(stdout).to.match(/^1 passed, 2 failed, 0 skipped$/m);
    expect(status).to.equal(1);
  });

  it('has a row for a file whose run fails although none of its tests does', () => {
    const passed = {
      about: 'x',
      checked: 'y',
      injected: {},
      result: 'passed',
      seconds: 1,
    } as const;
    const rows = crashed('b.ts', 7, [{ file: 'b.ts', ...passed }]);
    expect(failuresOf(rows)).to.deep.equal([
      'FAILED b.ts: the whole file: its run ended with code 7',
    ]);
    expect(crashed('b.ts', 0, [])).to.deep.equal([]);
    expect(crashed('b.ts', 1, rows)).to.deep.equal([]);
  });

  it('finds the seed of a title', () => {
    expect(seedOf('lose nothing (2000 seeds)')).to.equal('2000 seeds');
    expect(seedOf('charges it once (seed 51)')).to.equal('51');
    expect(seedOf('seeds nothing')).to.equal('');
  });
});
