import { expect } from 'chai';
import { createSlowBodies } from '../../http/slow-bodies.ts';

describe('bodies on their way', () => {
  it('are ended slowest first, none that has just begun, comes well, or is the client’s own', () => {
    let now = 0;
    const slow = createSlowBodies(() => now);
    const ended: string[] = [];
    const begin = (client: string) => slow.begin(client, () => ended.push(client));
    const stalled = begin('stalled');
    stalled.count(40_000);
    const trickling = begin('trickling');
    const fast = begin('fast');
    expect(slow.endSlowest('new')).to.equal(false);
    for (now = 100; now <= 3_000; now += 100) {
      trickling.count(100);
      fast.count(4_000);
    }
    expect(slow.endSlowest('stalled')).to.equal(true);
    expect(ended).to.deep.equal(['trickling']);
    expect(slow.endSlowest('stalled')).to.equal(false);
    begin('young');
    expect(slow.endSlowest('new')).to.equal(true);
    expect(slow.endSlowest('new')).to.equal(false);
    expect(ended).to.deep.equal(['trickling', 'stalled']);
    fast.over();
    now += 10_000;
    expect(slow.endSlowest('new')).to.equal(true);
    expect(ended.at(-1)).to.equal('young');
  });
});
