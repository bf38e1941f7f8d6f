import { expect } from 'chai';
import fc from 'fast-check';
import { createFairShares } from '../../limits/fair-shares.ts';

describe('shares of what is limited', () => {
  it('leave something for the next, whatever those before take', () => {
    const greedy = fc.array(fc.tuple(fc.nat(8), fc.integer({ min: 1, max: 9 })), {
      maxLength: 500,
    });
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 1_000 }), greedy, (total, wishes) => {
        const shares = createFairShares(total);
        const given = new Map<number, number>();
        for (const [who, amount] of wishes) {
          if (!shares.take(`${who}`, amount)) continue;
          given.set(who, (given.get(who) ?? 0) + amount);
        }
        const sum = [...given.values()].reduce((a, b) => a + b, 0);
        expect(sum).to.be.at.most(total);
        expect(shares.take('newcomer', 1)).to.equal(true);
      }),
    );
  });

  it('give one who is alone about half, and everything back', () => {
    const shares = createFairShares(100);
    for (let n = 0; n < 50; n++) expect(shares.take('a', 1), `${n}`).to.equal(true);
    expect(shares.take('a', 1)).to.equal(false);
    expect(shares.take('b', 1)).to.equal(true);
    shares.giveBack('a', 50);
    shares.giveBack('b', 1);
    expect(shares.take('c', 100)).to.equal(true);
    expect(shares.take('d', 1)).to.equal(false);
  });

  it('refuse work beyond a share, and are free again after work that failed', async () => {
    const shares = createFairShares(2);
    const refusal = () => new Error('taken');
    const work = Promise.withResolvers<string>();
    const first = shares.ifFree(() => work.promise, refusal, 'a');
    const told = (error: Error) => error.message;
    const second = await shares.ifFree(async () => 'done', refusal, 'a').catch(told);
    expect(second).to.equal('taken');
    work.reject(new Error('broken'));
    expect(await first.catch(told)).to.equal('broken');
    expect(await shares.ifFree(async () => 'done', refusal, 'a')).to.equal('done');
  });
});
