import { expect } from 'chai';
import { createGiveBack } from '../../service/run/give-back-memory.ts';

/** A process whose memory the test sets, and what collecting leaves of it. */
const processOf = (megabytes: number, { left = megabytes }: { left?: number } = {}) => {
  const state = { busy: 0, megabytes, left, collected: 0 };
  const look = createGiveBack({
    utilization: () => state.busy,
    residentBytes: () => state.megabytes * 1e6,
    collect() {
      state.collected += 1;
      state.megabytes = state.left;
    },
  });
  return { state, look };
};

describe('memory that nobody needs any more', () => {
  it('is given back once after the start, and again after each burst', () => {
    const { state, look } = processOf(150, { left: 125 });
    for (const _ of [1, 2, 3]) look();
    expect(state.collected).to.equal(1);
    state.megabytes = 200;
    for (const _ of [1, 2, 3]) look();
    expect(state.collected).to.equal(2);
    expect(state.megabytes).to.equal(125);
  });

  it('stays while there is work', () => {
    const { state, look } = processOf(150);
    state.busy = 0.5;
    look();
    expect(state.collected).to.equal(0);
    state.busy = 0.02;
    look();
    expect(state.collected).to.equal(1);
  });

  it('is not looked for again where collecting freed nothing', () => {
    const { state, look } = processOf(200, { left: 200 });
    for (const _ of [1, 2, 3]) look();
    expect(state.collected).to.equal(1);
  });
});
