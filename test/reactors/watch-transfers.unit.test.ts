import { expect } from 'chai';
import { createWatchTransfers } from '../../reactors/payments/watch-transfers.ts';

describe('watching transfers', () => {
  const watching = (begun: number, blocksAtMost?: number) => {
    const read: [number, number][] = [];
    let at: number | undefined = begun;
    const look = createWatchTransfers({
      head: async () => 10_010,
      transfers: async (from, to) => {
        read.push([from, to]);
        return [];
      },
      cursor: {
        read: async () => at,
        save: async (block) => {
          at = block;
        },
      },
      take: async () => {},
      confirmations: 10,
      ...(blocksAtMost === undefined ? {} : { blocksAtMost }),
    });
    return { look, read };
  };

  it('reads all blocks that are final', async () => {
    const { look, read } = watching(7_000);
    await look();
    expect(read).to.deep.equal([
      [7_001, 9_000],
      [9_001, 10_000],
    ]);
  });

  it('reads no more blocks than its limit, and continues after them', async () => {
    const { look, read } = watching(5_000, 3_000);
    await look();
    expect(read).to.deep.equal([
      [5_001, 7_000],
      [7_001, 8_000],
    ]);
    await look();
    await look();
    expect(read.slice(2)).to.deep.equal([[8_001, 10_000]]);
  });
});
