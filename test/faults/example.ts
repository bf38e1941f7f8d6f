/** Tests whose faults and results are known, for the test of the table. No `.test` in the name: nothing else runs them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { injected } from '../support/injected.ts';

const sleeping = () => spawn('sleep', ['60']);

describe('an example', () => {
  it('counts what is killed and frozen (seed 7)', async () => {
    for (const freeze of [true, false]) {
      const child = sleeping();
      await once(child, 'spawn');
      if (freeze) child.kill('SIGSTOP');
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    injected('link cut');
  });

  it('fails', () => {
    throw new Error('as it should');
  });
});

describe('an example that cannot begin', () => {
  before(() => {
    throw new Error('as it should');
  });

  it('is not run', () => {});
});
