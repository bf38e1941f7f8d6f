import { expect } from 'chai';
import { benchmarks, readOptions } from '../../bench/options.ts';

describe('the options of a benchmark', () => {
  it('run everything but the growth of the log by default', () => {
    const only = readOptions([])?.only;
    expect(only).to.include.keys('a', 'b', 'guards').and.not.to.include.keys('scale');
    expect(only?.size).to.equal(Object.keys(benchmarks).length - 1);
  });

  it('measure growth alone with --scale, at the given numbers of letters', () => {
    const options = readOptions(['--scale', '--sizes', '500,2000']);
    expect([...(options?.only ?? [])]).to.deep.equal(['scale']);
    expect(options?.sizes).to.deep.equal([500, 2_000]);
  });

  it('refuse a size that is not a whole number above zero', () => {
    for (const sizes of ['0', '1.5', 'many', '10,-1'])
      expect(() => readOptions(['--scale', '--sizes', sizes])).to.throw(/--sizes/);
  });
});
