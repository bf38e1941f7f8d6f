import { expect } from 'chai';
import {
  allocatedIn,
  formatProbeDetail,
  formatProbes,
  statementName,
} from '../../bench/probe/report.ts';

const root = new URL('../..', import.meta.url).href;

type Node = Parameters<typeof allocatedIn>[0];

const node = (name: string, file: string, selfSize: number, children: Node[] = []): Node => ({
  callFrame: { functionName: name, url: file === '' ? '' : `${root}${file}`, lineNumber: 9 },
  selfSize,
  children,
});

describe('the probe of the benchmark', () => {
  it('names a statement by its own name, or else by how its text begins', () => {
    expect(statementName({ name: 'append', text: 'select 1' })).to.equal('append');
    expect(statementName({ name: 'q12', text: '\n  select\n  2' })).to.equal('select 2');
    expect(statementName('begin')).to.equal('begin');
  });

  it('counts what each function allocated, and charges libraries to the function that called', () => {
    const library = node('join', '', 300);
    const mine = node('encode', 'events/envelope.ts', 50, [library, node('join', '', 50)]);
    const counted = allocatedIn(node('(root)', '', 0, [mine, node('parse', '', 100)]));
    expect(counted.allocatedBytes).to.equal(500);
    expect(counted.allocators[0]).to.deep.equal(['join  :10', 350]);
    expect(counted.callers.slice(0, 2)).to.deep.equal([
      ['encode  events/envelope.ts:10', 400],
      ['(no function of ours)', 100],
    ]);
  });

  it('prints statements and bytes of each letter for each process', () => {
    const report = {
      statements: { append: 5, 'read-all': 20 },
      allocatedBytes: 1_000_000,
      allocators: [['join  :10', 500_000] as [string, number]],
      callers: [['encode  events/envelope.ts:10', 250_000] as [string, number]],
    };
    const text = formatProbes([report, report], 10);
    expect(text).to.match(/API +2\.50 +100\.0 kB/);
    expect(text).to.match(/background +2\.50 +100\.0 kB/);
    const detail = formatProbeDetail(report, 10);
    expect(detail).to.match(/read-all +2\.000[\s\S]*append +0\.500/);
    expect(detail).to.match(
      /join {2}:10 +50\.0 kB[\s\S]*encode {2}events\/envelope\.ts:10 +25\.0 kB/,
    );
  });
});
