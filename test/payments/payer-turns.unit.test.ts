import { expect } from 'chai';
import fc from 'fast-check';
import { createPayerTurns } from '../../commands/payments/payer-turns.ts';

describe('turns of a payer', () => {
  it('never have more on the way than the payer holds, nor more than four, and all come to an end', () =>
    fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(fc.integer({ min: 1, max: 10 }), { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 0, max: 40 }),
        async (scheduler, amounts, funds) => {
          let held = BigInt(funds);
          let onTheWay = 0n;
          let sent = 0;
          const inTurn = createPayerTurns({
            balanceOf: () => scheduler.schedule(Promise.resolve()).then(() => held),
            atMost: 4,
          });
          const pay = (amount: bigint) =>
            inTurn('payer', amount, async () => {
              // As the chain answers to one that it tries alone.
              if (amount > held) return 'refused';
              onTheWay += amount;
              sent += 1;
              expect(onTheWay <= held).to.equal(true);
              expect(sent).to.be.at.most(4);
              await scheduler.schedule(Promise.resolve());
              held -= amount;
              onTheWay -= amount;
              sent -= 1;
              return 'paid';
            });
          const all = Promise.all(amounts.map((amount) => pay(BigInt(amount))));
          const ends = await scheduler.waitFor(all);
          expect(ends).to.have.length(amounts.length);
          expect(held >= 0n).to.equal(true);
        },
      ),
    ));
});
