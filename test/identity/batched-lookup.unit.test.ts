import { expect } from 'chai';
import { createBatchedLookup } from '../../infra/identity/batched-lookup.ts';

describe('lookups that many ask for at once', () => {
  /** A reader that holds each query until it is let go. */
  const heldReader = () => {
    const queries: { keys: string[]; go: () => void; fail: (error: Error) => void }[] = [];
    const lookUp = createBatchedLookup<string>((keys) => {
      const held = Promise.withResolvers<Map<string, string>>();
      const go = () =>
        held.resolve(new Map(keys.filter((k) => k.startsWith('real')).map((k) => [k, `of ${k}`])));
      queries.push({ keys, go, fail: held.reject });
      return held.promise;
    });
    return { lookUp, queries };
  };
  const settled = () => new Promise((resolve) => setImmediate(resolve));

  it('are one query at a time, whatever comes', async () => {
    const { lookUp, queries } = heldReader();
    const answers = Array.from({ length: 700 }, (_, i) => lookUp(`bogus ${i}`, 'a'));
    for (let done = 0; done < 4; done++) {
      expect(queries).to.have.length(done + 1);
      queries[done]?.go();
      await settled();
    }
    expect(queries).to.have.length(4);
    expect(new Set(await Promise.all(answers))).to.deep.equal(new Set([undefined]));
    expect(queries.flatMap(({ keys }) => keys)).to.have.length(700);
  });

  it('go with the next query, however many another address asked for before', async () => {
    const { lookUp, queries } = heldReader();
    const others = Array.from({ length: 1_000 }, (_, i) => lookUp(`bogus ${i}`, 'a'));
    const mine = lookUp('real', 'b');
    queries[0]?.go();
    await settled();
    expect(queries[1]?.keys).to.include('real');
    queries[1]?.go();
    expect(await mine).to.equal('of real');
    void Promise.allSettled(others);
  });

  it('are refused when too many of the address wait, and of no other', async () => {
    const { lookUp, queries } = heldReader();
    void lookUp('first', 'a');
    for (let i = 0; i < 1_024; i++) void lookUp(`bogus ${i}`, 'a');
    expect(() => lookUp('one more', 'a'))
      .to.throw('Retry in 1 s')
      .with.property('code', 'rate_limited');
    const mine = lookUp('real', 'b');
    queries[0]?.go();
    await settled();
    queries[1]?.go();
    expect(await mine).to.equal('of real');
  });

  it('share what is asked for twice, and go on after a query that failed', async () => {
    const { lookUp, queries } = heldReader();
    const failing = lookUp('real 1', 'a');
    const [twice, again] = [lookUp('real 2', 'a'), lookUp('real 2', 'a')];
    queries[0]?.fail(new Error('connection lost'));
    expect(await failing.catch(String)).to.equal('Error: connection lost');
    await settled();
    expect(queries[1]?.keys).to.deep.equal(['real 2']);
    queries[1]?.go();
    expect([await twice, await again]).to.deep.equal(['of real 2', 'of real 2']);
  });
});
