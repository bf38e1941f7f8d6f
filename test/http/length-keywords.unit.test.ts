import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import fc from 'fast-check';
import { lengthKeywords } from '../../http/length-keywords.ts';

describe('the lengths of texts', () => {
  const most = 12;
  const limit = fc.integer({ min: 0, max: most });
  const ours = new Ajv2020({ allErrors: true });
  for (const one of lengthKeywords) ours.removeKeyword(one.keyword).addKeyword(one);
  const theirs = new Ajv2020({ allErrors: true });
  const schemas = Array.from({ length: (most + 1) ** 2 }, (_, place) => ({
    type: 'string',
    minLength: Math.floor(place / (most + 1)),
    maxLength: place % (most + 1),
  }));

  it('are those that ajv counts, with the same errors, in texts with surrogates of all kinds', () => {
    const unit = fc.constantFrom('a', 'é', '😀', '\ud83d', '\ude00', '\u0000');
    const text = fc.array(unit, { maxLength: 26 }).map((units) => units.join(''));
    let failed = 0;
    fc.assert(
      fc.property(text, limit, limit, (value, minLength, maxLength) => {
        // Ajv compiles the same object once.
        const schema = schemas[minLength * (most + 1) + maxLength] as (typeof schemas)[number];
        expect(schema).to.include({ minLength, maxLength });
        const [own, usual] = [ours.compile(schema), theirs.compile(schema)];
        expect(own(value)).to.equal(usual(value));
        expect(own.errors).to.deep.equal(usual.errors);
        if (own.errors) failed++;
      }),
      { numRuns: 2_000 },
    );
    expect(failed).to.be.within(1, 1_999);
  });
});
