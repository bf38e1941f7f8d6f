import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'chai';
import { seedOf } from './rows.ts';

const root = join(import.meta.dirname, '..', '..');

describe('npm run test:faults', function () {
  this.timeout(60_000);

  it('prints what was injected, how often, what was checked, the result and the seed', () => {
    const { stdout, status } = spawnSync(
      process.execPath,
      ['test/faults/main.ts', 'test/faults/example.ts'],
      { cwd: root, encoding: 'utf8' },
    );
    const rows = stdout
      .split('\n')
      .filter((line) => line.startsWith('| an example'))
      .map((line) => line.split(' | ').slice(0, 5).join(' | '));
    expect(rows).to.deep.equal([
      '| an example | process frozen × 1, process killed × 2, link cut × 1 | counts what is killed and frozen (seed 7) | passed | 7',
      '| an example |  | fails | FAILED | ',
    ]);
    expect(stdout).to.match(/^1 passed, 1 failed, 0 skipped$/m);
    expect(status).to.equal(1);
  });

  it('finds the seed of a title', () => {
    expect(seedOf('lose nothing (2000 seeds)')).to.equal('2000 seeds');
    expect(seedOf('charges it once (seed 51)')).to.equal('51');
    expect(seedOf('seeds nothing')).to.equal('');
  });
});
