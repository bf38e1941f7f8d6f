import { expect } from 'chai';
import { singleFlight, singleFlightByKey } from '../../ground/single-flight.ts';

/** Work that ends when the test says so. */
const controlled = () => {
  const runs: PromiseWithResolvers<string>[] = [];
  const work = (): Promise<string> => {
    const run = Promise.withResolvers<string>();
    runs.push(run);
    return run.promise;
  };
  return { runs, work };
};

describe('a single flight', () => {
  it('gives calls that arrive while it runs the same result', async () => {
    const { runs, work } = controlled();
    const call = singleFlight(work);
    const answers = Promise.all([call(), call(), call()]);
    runs[0]?.resolve('one');
    expect(await answers).to.deep.equal(['one', 'one', 'one']);
    expect(runs).to.have.length(1);
  });

  it('starts a new run for a call after the end', async () => {
    const { runs, work } = controlled();
    const call = singleFlight(work);
    const first = call();
    runs[0]?.resolve('one');
    await first;
    const second = call();
    runs[1]?.resolve('two');
    expect(await second).to.equal('two');
  });

  it('shares a failure, and forgets it', async () => {
    const { runs, work } = controlled();
    const call = singleFlight(work);
    const failed = Promise.allSettled([call(), call()]);
    runs[0]?.reject(new Error('away'));
    expect((await failed).map(({ status }) => status)).to.deep.equal(['rejected', 'rejected']);
    const next = call();
    runs[1]?.resolve('back');
    expect(await next).to.equal('back');
  });

  it('runs different keys at the same time', async () => {
    const { runs, work } = controlled();
    const share = singleFlightByKey<string, string>();
    const calls = Promise.all([share('a', work), share('b', work), share('a', work)]);
    expect(runs).to.have.length(2);
    runs[0]?.resolve('of a');
    runs[1]?.resolve('of b');
    expect(await calls).to.deep.equal(['of a', 'of b', 'of a']);
  });
});
