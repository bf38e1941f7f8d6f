import { expect } from 'chai';
import { expectedAddress, missingOfAddress } from '../../postal/address-match.ts';
import type { Address } from '../../postal/types.ts';

const berlin: Address = {
  name: 'Anna Müller',
  line1: 'Lindenstraße 5',
  city: 'Berlin',
  postalCode: '10969',
  country: 'DE',
};
const missing = (lines: string[], given: Partial<Address> = {}, printed = given): string[] =>
  missingOfAddress(lines, expectedAddress({ ...berlin, ...given }, { ...berlin, ...printed }));

describe('the address in the window of a document', () => {
  for (const lines of [
    ['Anna Müller', 'Lindenstraße 5', '10969 Berlin'],
    ['Frau ANNA MUELLER'.replace('UE', 'Ü'), 'LINDENSTRASSE 5', '10969 BERLIN'],
    ['Anna  Muller', 'Lindenstr. 5', 'D-10969 Berlin'],
    ['Muster GmbH', 'z. Hd. Anna Müller', 'Lindenstrasse  5', '10969', 'Berlin'],
    ['A nna Mü ller', 'Lind enstraße 5', '1 0969 Berlin'],
    [
      'Absender · Weg 1 · 80331 München',
      'Anna Müller',
      'Lindenstraße 5',
      '10969 Berlin',
      'GERMANY',
    ],
  ]) {
    it(`takes ${lines.join(' / ')}`, () => {
      expect(missing(lines)).to.deep.equal([]);
    });
  }

  it('takes an address as it is printed, with state, county or cedex', () => {
    const us = {
      name: 'Bob',
      line1: '350 Fifth Ave',
      city: 'New York',
      postalCode: '10118',
      state: 'NY',
    };
    const printed = { ...us, line1: '350 5TH AVE', city: 'NEW YORK' };
    expect(missing(['BOB', '350 5TH AVE', 'NEW YORK NY 10118'], us, printed)).to.deep.equal([]);
    expect(missing(['Bob', '350 Fifth Ave', 'New York, NY  10118'], us, printed)).to.deep.equal([]);
    const fr = { name: 'Zoé', line1: '1 rue A', city: 'Paris Cedex 08', postalCode: '75008' };
    expect(missing(['Zoe', '1 RUE A', '75008 PARIS CEDEX 08'], fr)).to.deep.equal([]);
    const gb = { name: 'Al', line1: '1 High St', city: 'London', postalCode: 'SW1A 1AA' };
    expect(missing(['Al', '1 High St', 'LONDON', 'SW1A 1AA'], gb)).to.deep.equal([]);
    expect(missing(['Al', '1 High St', 'London SW1A1AA'], gb)).to.deep.equal([]);
  });

  it('names what is missing', () => {
    expect(missing(['Anna Müller', 'Lindenstraße 55', '10969 Berlin'])).to.deep.equal([
      'line "Lindenstraße 5"',
    ]);
    expect(missing(['Hanna Müller', 'Lindenstraße 5', '10969 Berlin'])).to.deep.equal([
      'name "Anna Müller"',
    ]);
    expect(missing(['Anna Müller', 'Lindenstraße 5', '10968 Berlin'])).to.deep.equal([
      'postal code "10969"',
      'city "Berlin"',
    ]);
    expect(missing(['Anna Müller', 'Lindenstraße 5', '10969 Neu-Berlin'])).to.deep.equal([
      'city "Berlin"',
    ]);
    expect(missing([])).to.have.length(4);
  });
});
