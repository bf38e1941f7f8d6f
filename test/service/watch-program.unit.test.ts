/** When a process learns that a newer program works on its database. */
import { expect } from 'chai';
import { watchProgram } from '../../service/run/watch-program.ts';

const quiet = { error: () => {} };

describe('the watch for a newer program', () => {
  it('answers from a look that began after the question', async () => {
    const looks: ((why: string | undefined) => void)[] = [];
    const watch = watchProgram(
      () =>
        new Promise((resolve) => {
          looks.push(resolve);
        }),
      quiet,
    );
    const before = watch.reasonNow();
    const after = watch.reasonNow();
    expect(looks).to.have.length(1);
    looks[0]?.(undefined);
    await new Promise(setImmediate);
    expect(looks).to.have.length(2);
    looks[1]?.('a newer one has started');
    expect(await Promise.all([before, after])).to.deep.equal([
      'a newer one has started',
      'a newer one has started',
    ]);
    expect(watch.reason()).to.equal('a newer one has started');
    expect(await watch.outdated).to.equal('a newer one has started');
    await watch.reasonNow();
    expect(looks).to.have.length(2);
    watch.stop();
  });

  it('knows nothing while the database does not answer', async () => {
    const watch = watchProgram(() => Promise.reject(new Error('connect ECONNREFUSED')), quiet);
    expect(await watch.reasonNow()).to.equal(undefined);
    expect(watch.reason()).to.equal(undefined);
    watch.stop();
  });
});
