import { expect } from 'chai';
import {
  createBeginWatching,
  createWatchTransfers,
} from '../../reactors/payments/watch-transfers.ts';

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

  it('misses no transfer that was asked for before its first look', async () => {
    const found: [number, number][] = [];
    let [head, at]: [number, number | undefined] = [10_010, undefined];
    const ports = {
      head: async () => head,
      cursor: {
        read: async () => at,
        save: async (block: number) => {
          at = Math.max(at ?? 0, block);
        },
      },
      confirmations: 10,
    };
    const begin = createBeginWatching(ports);
    const look = createWatchTransfers({
      ...ports,
      transfers: async (from, to) => {
        found.push([from, to]);
        return [];
      },
      take: async () => {},
    });
    await begin();
    head = 10_030;
    await begin();
    await look();
    expect(found).to.deep.equal([[10_001, 10_020]]);
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
