import { expect } from 'chai';
import { createFinishPayments } from '../../reactors/payments/finish-payments.ts';

const at = '2026-11-03T09:00:00.000Z';

describe('the sweep over payments that are not over', () => {
  it('comes to each of them, however many others never end', async () => {
    const ids = Array.from({ length: 1_000 }, (_, n) => `payment ${String(n).padStart(4, '0')}`);
    const looked: string[] = [];
    const finish = createFinishPayments({
      intake: {
        async finish(paymentId) {
          looked.push(paymentId);
          return false;
        },
      },
      openPayments: async (_until, after, limit) =>
        ids
          .filter((id) => after === undefined || id > after)
          .slice(0, limit)
          .map((paymentId) => ({ paymentId, claimedAt: at })),
      resume: async () => {},
      clock: () => Date.parse(at) + 60_000,
    });
    for (let sweep = 0; sweep < 5; sweep++) {
      const before = looked.length;
      await finish.sweep();
      expect(looked.length - before).to.be.at.most(200);
    }
    expect(new Set(looked).size).to.equal(1_000);
  });
});
