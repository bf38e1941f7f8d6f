import { expect } from 'chai';
import { frenchNumberOf, numberOf } from '../../ground/plural.ts';

describe('a number in a sentence', () => {
  it('has its noun in the singular where it is one, and else in the plural', () => {
    expect([0, 1, 2].map((n) => numberOf(n, 'letter'))).to.deep.equal([
      '0 letters',
      '1 letter',
      '2 letters',
    ]);
    expect([1n, 5n].map((n) => numberOf(n, 'entry', 'entries'))).to.deep.equal([
      '1 entry',
      '5 entries',
    ]);
  });

  it('uses the singular for zero in French', () => {
    expect([0, 1, 2].map((n) => frenchNumberOf(n, 'lettre'))).to.deep.equal([
      '0 lettre',
      '1 lettre',
      '2 lettres',
    ]);
  });
});
