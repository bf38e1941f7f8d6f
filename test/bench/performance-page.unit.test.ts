import { expect } from 'chai';
import { performancePage } from '../../bench/performance-page.ts';
import { below, timesPeer } from '../../bench/report.ts';

describe('the page of a benchmark', () => {
  const machine = { title: 'Machine', text: '  cores  2' };
  const sections = [{ title: 'b) sends', text: '  letters  900/s' }];
  const page = (...targets: Parameters<typeof performancePage>[2]) =>
    performancePage(machine, sections, targets, '2026-11-23');

  it('shows the machine, each target and each section', () => {
    const text = page(below('b) send, p99', 50, 61, ' ms'));
    expect(text).to.include('Measured on 2026-11-23:\n\n```text\ncores  2\n```');
    expect(text).to.include('| b) send, p99 | < 50 ms | 61.0 ms | **not reached** |');
    expect(text).to.include('### b) sends\n\n```text\nletters  900/s\n```');
  });

  it('names each comparison that a peer wins, with the reason', () => {
    const text = page(timesPeer('b) send', 1.5, 900, 1_000), timesPeer('c) send', 3, 2_000, 1_000));
    expect(text).to.match(/- \*\*b\) send: 0\.90 x\.\*\* The CRUD version writes one row/);
    expect(text).not.to.include('**c) send');
    expect(page(timesPeer('c) send', 3, 2_000, 1_000))).to.include('at least as fast as its peer');
  });
});
