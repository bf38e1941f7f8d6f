import { execFileSync } from 'node:child_process';
import { expect } from 'chai';
import { createGiveBack } from '../../service/run/give-back-memory.ts';
import { startCommand } from '../support/start-command.ts';

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

/** Holds large buffers between small ones that stay, frees the large ones, and writes by how much the process grew, MB. */
const freeing = `
  const mebibyte = 1024 ** 2;
  const kept = [];
  const collect = () => gc({ type: 'major', flavor: 'last-resort' });
  const before = process.memoryUsage.rss();
  for (let round = 0; round < 4; round++) {
    let large = [];
    for (let count = 0; count < 12; count++) {
      large.push(Buffer.alloc(13 * mebibyte, 1));
      kept.push(Buffer.alloc(64 * 1024, 1));
    }
    large = undefined;
    collect();
  }
  console.log(Math.round((process.memoryUsage.rss() - before) / mebibyte));
`;

describe('the memory of large documents', () => {
  it('goes back to the system when they are freed, as npm start sets it', () => {
    const { env } = startCommand();
    const args = ['--expose-gc', '--eval', freeing];
    const grown = execFileSync(process.execPath, args, { env: { ...process.env, ...env } });
    expect(Number(String(grown))).to.be.below(60);
  });
});

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
