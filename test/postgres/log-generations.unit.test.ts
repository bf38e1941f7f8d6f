import { expect } from 'chai';
import { generationAt } from '../../infra/postgres/log-generations.ts';

describe('the generation of an event', () => {
  const generation = (number: bigint, head: bigint) => ({
    number,
    head,
    log_id: `log ${number}`,
    began_at: new Date(0),
    settled: true,
    mark: null,
    next_mark: null,
    partner: null,
    earlier_partners: null,
  });
  const idsAt = (heads: bigint[], positions: bigint[]) => {
    const generations = heads.map((head, n) => generation(BigInt(n + 1), head)).toReversed();
    return positions.map((position) => generationAt(generations, position).log_id);
  };

  it('is the first one for all that was there at the upgrade', () => {
    expect(idsAt([40n], [1n, 40n, 41n])).to.deep.equal(['log 1', 'log 1', 'log 1']);
  });

  it('stays for what the backup held, and is another one for what was appended after the restore', () => {
    expect(idsAt([0n, 55n], [1n, 55n, 56n])).to.deep.equal(['log 1', 'log 1', 'log 2']);
  });

  it('is the latest that began before it, also when a later restore goes back further', () => {
    expect(idsAt([0n, 100n, 60n], [60n, 61n, 101n])).to.deep.equal(['log 1', 'log 3', 'log 3']);
  });
});
