import { expect } from 'chai';
import fc from 'fast-check';
import { persistentMap } from '../../ground/persistent-map.ts';

describe('a persistent map', () => {
  it('keeps every version as it was, whichever is read or changed next', () => {
    const step = fc.record({
      /** Which version the step begins with. */
      from: fc.nat(),
      key: fc.integer({ min: 0, max: 5 }),
      value: fc.option(fc.integer(), { nil: undefined }),
      readBetween: fc.nat(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const versions = [
          { map: persistentMap<number, number>(), rows: new Map<number, number>() },
        ];
        const at = (n: number) => versions[n % versions.length] as (typeof versions)[0];
        for (const { from, key, value, readBetween } of steps) {
          const { map, rows } = at(from);
          const next = new Map(rows);
          if (value === undefined) next.delete(key);
          else next.set(key, value);
          const changed = value === undefined ? map.without(key) : map.with(key, value);
          versions.push({ map: changed, rows: next });
          const other = at(readBetween);
          expect(other.map.get(key)).to.equal(other.rows.get(key));
        }
        for (const { map, rows } of versions) {
          expect(map.size).to.equal(rows.size);
          expect(new Map(map)).to.deep.equal(rows);
        }
      }),
    );
  });
});
