import { mock } from 'node:test';
import { expect } from 'chai';
import { endsWithin, within } from '../../ground/deadline.ts';

const never = new Promise<never>(() => {});
const late = () => new Error('too late');

describe('a deadline', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
  afterEach(() => mock.timers.reset());

  it('gives the result of work that ends in time', async () => {
    expect(await within(1_000, Promise.resolve('done'), late)).to.equal('done');
  });

  it('throws the given error when the time is over, and not before', async () => {
    let failed: unknown;
    const waiting = within(1_000, never, late).catch((error) => {
      failed = error;
    });
    mock.timers.tick(999);
    await Promise.resolve();
    expect(failed).to.equal(undefined);
    mock.timers.tick(1);
    await waiting;
    expect(failed).to.have.property('message', 'too late');
  });

  it('throws what the work throws in time', async () => {
    const failing = Promise.reject(new Error('broken'));
    const failed = await within(1_000, failing, late).catch((error) => error);
    expect(failed).to.have.property('message', 'broken');
  });

  it('ignores a failure after the time is over', async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', note);
    const work = Promise.withResolvers<string>();
    const waiting = [
      within(10, work.promise, late).catch(() => 'late'),
      endsWithin(10, work.promise),
    ];
    mock.timers.tick(10);
    expect(await Promise.all(waiting)).to.deep.equal(['late', false]);
    work.reject(new Error('broken later'));
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', note);
    expect(unhandled).to.deep.equal([]);
  });

  it('tells whether the work ended in time', async () => {
    expect(await endsWithin(1_000, Promise.resolve())).to.equal(true);
    const waiting = endsWithin(1_000, never);
    mock.timers.tick(1_000);
    expect(await waiting).to.equal(false);
  });

  it('passes on what the work throws in time', async () => {
    const failed = await endsWithin(1_000, Promise.reject(new Error('broken'))).catch(
      (error) => error,
    );
    expect(failed).to.have.property('message', 'broken');
  });

  it('leaves no timer behind', async () => {
    mock.timers.reset();
    const timers = () =>
      process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
    const before = timers();
    for (let n = 0; n < 50; n++) {
      await within(60_000, Promise.resolve(), late);
      await endsWithin(60_000, Promise.resolve());
    }
    expect(timers() - before).to.be.below(50);
  });
});
