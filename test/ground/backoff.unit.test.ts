import { expect } from 'chai';
import { backoffMs, createBackoff } from '../../ground/backoff.ts';

const bounds = { firstMs: 100, mostMs: 1_000 };

describe('the backoff', () => {
  it('doubles with each failure up to its longest pause', () => {
    const pauses = [1, 2, 3, 4, 5, 6].map((failures) => backoffMs(failures, bounds));
    expect(pauses).to.deep.equal([100, 200, 400, 800, 1_000, 1_000]);
  });

  it('stays within its longest pause after a million failures', () => {
    expect(backoffMs(1_000_000, bounds)).to.equal(1_000);
  });

  it('begins with its first pause before any failure', () => {
    expect(backoffMs(0, bounds)).to.equal(100);
    expect(backoffMs(-2, bounds)).to.equal(100);
  });

  it('leaves the given share of a pause to chance', () => {
    const pauseAt = (random: number) => backoffMs(2, { ...bounds, jitter: 0.5 }, () => random);
    expect(pauseAt(0)).to.equal(200);
    expect(pauseAt(0.5)).to.equal(150);
    expect(pauseAt(0.999_999)).to.be.closeTo(100, 0.1);
  });

  it('spreads callers by itself, and within the bounds', () => {
    const pauses = Array.from({ length: 200 }, () => backoffMs(9, { ...bounds, jitter: 0.3 }));
    expect(Math.min(...pauses)).to.be.within(700, 1_000);
    expect(Math.max(...pauses)).to.be.within(700, 1_000);
    expect(new Set(pauses).size).to.be.above(100);
  });

  it('counts failures, and begins again after a success', () => {
    const backoff = createBackoff(bounds);
    expect([backoff.nextMs(), backoff.nextMs(), backoff.nextMs()]).to.deep.equal([100, 200, 400]);
    backoff.reset();
    expect([backoff.nextMs(), backoff.nextMs()]).to.deep.equal([100, 200]);
  });
});
