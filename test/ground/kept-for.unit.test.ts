import { expect } from 'chai';
import { keptFor } from '../../ground/kept-for.ts';

describe('an output that is kept for a while', () => {
  const makeOf = (outputs: (number | Error)[]) => {
    let nowMs = 0;
    let made = 0;
    const ask = keptFor(
      1_000,
      async () => {
        const output = outputs[made++];
        if (output instanceof Error) throw output;
        return output;
      },
      () => nowMs,
    );
    return { ask, made: () => made, pass: (ms: number) => (nowMs += ms) };
  };

  it('is made once for all that ask within its time, and again after that', async () => {
    const { ask, made, pass } = makeOf([1, 2]);
    expect(await Promise.all(Array.from({ length: 1_000 }, ask))).to.deep.equal(
      Array(1_000).fill(1),
    );
    pass(999);
    expect([await ask(), made()]).to.deep.equal([1, 1]);
    pass(1);
    expect([await ask(), made()]).to.deep.equal([2, 2]);
  });

  it('is not kept when its making failed, which all that waited are told', async () => {
    const { ask, made } = makeOf([new Error('away'), 2]);
    const outcomes = await Promise.allSettled([ask(), ask()]);
    expect(outcomes.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected']);
    expect([await ask(), made()]).to.deep.equal([2, 2]);
  });
});
