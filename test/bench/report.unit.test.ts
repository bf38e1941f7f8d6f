import { expect } from 'chai';
import { timesPeer } from '../../bench/report.ts';

describe('the targets of the benchmark', () => {
  it('are printed with two digits where they are ratios, the wanted one too', () => {
    expect(timesPeer('send', 0.55, 549, 1_000)).to.include({
      target: '>= 0.55 x',
      measured: '0.55 x',
      reached: false,
    });
    expect(timesPeer('send', 0.55, 560, 1_000)).to.include({ measured: '0.56 x', reached: true });
  });
});
