import { expect } from 'chai';
import { RailUnavailable } from '../../commands/payments/rails.ts';
import type { Reversal } from '../../commands/payments/reversals.ts';
import { createSweepReversals } from '../../reactors/payments/sweep-reversals.ts';

const now = Date.parse('2026-11-21T10:00:00.000Z');
const refund = (id: string): Reversal => ({ id, kind: 'refund', amountMinor: 100n });

describe('sweeping refunds and disputes', () => {
  const sweeping = (booked: string[], follow: (topUpId: string) => Promise<void>) =>
    createSweepReversals({
      clock: () => now,
      reversedSince: async (sinceMs) => {
        expect(new Date(sinceMs).toISOString()).to.equal('2026-07-24T10:00:00.000Z');
        return new Map(['a', 'b', 'c'].map((id) => [id, [refund(`re_${id}`)]]));
      },
      isBooked: async (_, reversals) => reversals.every(({ id }) => booked.includes(id)),
      follow,
    });

  it('follows each payment of which something is not in the books', async () => {
    const followed: string[] = [];
    await sweeping(['re_b'], async (id) => void followed.push(id))();
    expect(followed).to.deep.equal(['a', 'c']);
  });

  it('names one that cannot be settled, after it has followed the others', async () => {
    const followed: string[] = [];
    const failure = await sweeping([], async (id) => {
      followed.push(id);
      if (id === 'a') throw new Error('differs from the checkout');
    })().catch((error: Error) => error.message);
    expect(failure).to.equal('top-up a: differs from the checkout');
    expect(followed).to.deep.equal(['a', 'b', 'c']);
  });

  it('stops while the provider is away', async () => {
    const failure = await sweeping([], async () => {
      throw new RailUnavailable(new Error('away'));
    })().catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(RailUnavailable);
  });

  it('lists everything every six hours, and only new ones in between', async () => {
    const since: string[] = [];
    let at = now;
    const sweep = createSweepReversals({
      clock: () => at,
      reversedSince: async (sinceMs) => {
        since.push(new Date(sinceMs).toISOString());
        return new Map();
      },
      isBooked: async () => true,
      follow: async () => {},
    });
    for (const ms of [0, 600_000, 600_000, 6 * 3_600_000, 600_000]) {
      at += ms;
      await sweep();
    }
    expect(since).to.deep.equal([
      '2026-07-24T10:00:00.000Z',
      '2026-11-21T09:00:00.000Z',
      '2026-11-21T09:10:00.000Z',
      '2026-07-24T16:20:00.000Z',
      '2026-11-21T15:20:00.000Z',
    ]);
  });

  it('follows one that could not be settled until it is settled, even if it is not listed again', async () => {
    const lists = [new Map([['a', [refund('re_a')]]]), new Map(), new Map()];
    const followed: string[] = [];
    const sweep = createSweepReversals({
      clock: () => now,
      reversedSince: async () => lists.shift() ?? new Map(),
      isBooked: async () => false,
      follow: async (id) => {
        followed.push(id);
        if (followed.length === 1) throw new RailUnavailable(new Error('away'));
      },
    });
    expect(await sweep().catch((error: unknown) => error)).to.be.instanceOf(RailUnavailable);
    await sweep();
    await sweep();
    expect(followed).to.deep.equal(['a', 'a']);
  });
});
