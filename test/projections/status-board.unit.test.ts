import { expect } from 'chai';
import { createStatusBoard } from '../../projections/status-board.ts';

describe('the board that says where projections are', () => {
  it('asks for a position when somebody waits for it, and not for one that is reached', async () => {
    const wanted: bigint[] = [];
    const board = createStatusBoard((position) => wanted.push(position));
    board.update([{ name: 'letters', position: 5n, state: 'running' }]);
    expect(await board.waitFor(['letters'], 5n, 60_000)).to.equal(true);
    expect(wanted).to.deep.equal([]);
    const waiting = board.waitFor(['letters'], 7n, 60_000);
    expect(wanted).to.deep.equal([7n]);
    board.update([{ name: 'letters', position: 8n, state: 'running' }]);
    expect(await waiting).to.equal(true);
  });
});
