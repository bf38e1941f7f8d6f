import { expect } from 'chai';
import fc from 'fast-check';
import { createBoundedMap } from '../../ground/bounded-map.ts';

describe('a bounded map', () => {
  it('forgets the oldest that nobody asked for', () => {
    const map = createBoundedMap<string, number>(2);
    map.set('a', 1);
    map.set('b', 2);
    map.get('a');
    map.set('c', 3);
    expect([map.get('a'), map.get('b'), map.get('c')]).to.deep.equal([1, undefined, 3]);
  });

  it('does not keep what alone is over the limit, nor forgets others for it', () => {
    const map = createBoundedMap<string, string>(4, (value) => value.length);
    map.set('a', 'aa');
    map.set('b', 'bbbbb');
    expect([map.get('a'), map.get('b'), map.weight]).to.deep.equal(['aa', undefined, 2]);
  });

  it('never weighs more than its limit, and knows what it weighs', () => {
    const step = fc.record({
      key: fc.integer({ min: 0, max: 9 }),
      weight: fc.integer({ min: 0, max: 30 }),
      act: fc.constantFrom('set', 'get', 'delete'),
    });
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const map = createBoundedMap<number, number>(100, (weight) => weight);
        for (const { key, weight, act } of steps) {
          if (act === 'set') map.set(key, weight);
          else map[act as 'get' | 'delete'](key);
          const kept = Array.from({ length: 10 }, (_, n) => n).filter((n) => map.has(n));
          const weights = kept.map((n) => map.get(n) ?? 0);
          expect(map.weight).to.equal(weights.reduce((sum, one) => sum + one, 0));
          expect(map.weight).to.be.at.most(100);
          expect(map.size).to.equal(kept.length);
        }
      }),
    );
  });
});
