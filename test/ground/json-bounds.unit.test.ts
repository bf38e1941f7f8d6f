import { expect } from 'chai';
import fc from 'fast-check';
import { exceededBound, maxJsonDepth } from '../../ground/json-bounds.ts';

const valuesIn = (value: unknown): number =>
  typeof value !== 'object' || value === null
    ? 1
    : Object.values(value).reduce((sum: number, one) => sum + valuesIn(one), 1);

const depthOf = (value: unknown): number =>
  typeof value !== 'object' || value === null
    ? 0
    : Math.max(0, ...Object.values(value).map(depthOf)) + 1;

const bytesOf = (text: string): Buffer => Buffer.from(text);

describe('the bounds of a JSON text', () => {
  it('count its values exactly, whatever its strings and white space hold', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.nat(4), (value, indent) => {
        fc.pre(depthOf(value) <= maxJsonDepth);
        const json = bytesOf(JSON.stringify(value, null, indent));
        const values = valuesIn(value);
        expect(exceededBound(json, values)).to.equal(undefined);
        expect(exceededBound(json, values - 1)).to.equal('values');
      }),
      { numRuns: 1_000 },
    );
  });

  it('are not misled by escapes', () => {
    for (const text of [
      '"\\\\"',
      '"\\""',
      '"\\\\\\"[{,:"',
      '{"a\\"[,":"]\\\\"}',
      '["\\\\","\\\\"]',
    ]) {
      const values = valuesIn(JSON.parse(text));
      expect(exceededBound(bytesOf(text), values), text).to.equal(undefined);
      expect(exceededBound(bytesOf(text), values - 1), text).to.equal('values');
    }
  });

  it('hold the depth of objects and lists', () => {
    const nested = (depth: number): Buffer => bytesOf(`${'['.repeat(depth)}${']'.repeat(depth)}`);
    expect(exceededBound(nested(maxJsonDepth))).to.equal(undefined);
    expect(exceededBound(nested(maxJsonDepth + 1))).to.equal('depth');
    const wide = bytesOf(`[${'[[]],'.repeat(100)}0]`);
    expect(exceededBound(wide)).to.equal(undefined);
  });

  it('leave what is not JSON to the parser', () => {
    for (const text of ['', '"', '"\\', '}', ']]]]', '{"a"', '\ufeff{}', 'nul']) {
      expect(exceededBound(bytesOf(text)), text).to.equal(undefined);
    }
  });
});
