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

  const quebec = {
    name: 'Anne Roy',
    line1: '4000 rue Sherbrooke',
    city: 'Montréal',
    postalCode: 'H2X 1Y4',
    country: 'CA',
  } as const;
  const springfield = {
    name: 'John Smith',
    line1: '12 Main St',
    city: 'Springfield',
    postalCode: '62701',
    country: 'US',
  } as const;

  it('takes the province or state in words, wherever it stands by its city', () => {
    for (const city of ['Montréal (Québec)', 'Montréal QC', 'MONTREAL, Quebec', 'Montréal']) {
      const lines = ['Anne Roy', '4000, rue Sherbrooke', `${city}  H2X 1Y4`];
      expect(missing(lines, quebec, { ...quebec, state: 'QC' }), city).to.deep.equal([]);
    }
    const inState = { ...springfield, state: 'IL' };
    const lines = ['John Smith', '12 Main St', 'Springfield, Illinois 62701'];
    expect(missing(lines, springfield, inState)).to.deep.equal([]);
    const cities = [
      ['New York', 'NY', 'New York, New York 10118'],
      ['New York', 'NY', 'New York NY 10118'],
      ['Iowa City', 'IA', 'Iowa City, Iowa 10118'],
      ['Washington', 'DC', 'Washington DC 10118'],
      ['Kansas City', 'MO', 'Kansas City, MO 10118'],
    ] as const;
    for (const [city, state, line] of cities) {
      const there = { ...springfield, city, postalCode: '10118' };
      const read = missing(['John Smith', '12 Main St', line], there, { ...there, state });
      expect(read, line).to.deep.equal([]);
    }
    const elsewhere = ['John Smith', '12 Main St', 'Springfield, Missouri 62701'];
    expect(missing(elsewhere, springfield, inState)).to.deep.equal(['city "Springfield"']);
  });

  it('takes a ZIP Code with and without the four digits, and no other four', () => {
    const read = (postalCode: string, line: string) => {
      const to = { ...springfield, postalCode, state: 'IL' };
      return missing(['John Smith', '12 Main St', line], to);
    };
    expect(read('62701', 'Springfield, IL 62701-1234')).to.deep.equal([]);
    expect(read('62701', 'Springfield, IL 62701–1234')).to.deep.equal([]);
    expect(read('62701-1234', 'Springfield, IL 62701-1234')).to.deep.equal([]);
    expect(read('62701-1234', 'Springfield, IL 62701')).to.deep.equal([]);
    expect(read('62701-1234', 'Springfield, IL 62701-9999')).to.not.deep.equal([]);
    expect(read('62701', 'Springfield, IL 62701-12')).to.not.deep.equal([]);
  });

  it('takes a BFPO number for town and postcode', () => {
    const to = { name: 'Al', line1: '1 Loamshire Regt', city: 'BFPO', postalCode: 'BFPO 57' };
    expect(missing(['Al', '1 Loamshire Regt', 'BFPO 57'], to)).to.deep.equal([]);
    expect(missing(['Al', '1 Loamshire Regt', 'BFPO'], to)).to.deep.equal([
      'postal code "BFPO 57"',
    ]);
  });

  it('takes a house number for no other one, with a letter or a range', () => {
    for (const line1 of [
      'Lindenstraße 5 a',
      'Lindenstraße 5a',
      'Lindenstraße 5-a',
      'Lindenstraße 5-7',
      'Lindenstraße 5 – 7',
      'Lindenstraße 5/7',
      'Lindenstraße 5+7',
    ]) {
      expect(missing(['Anna Müller', line1, '10969 Berlin']), line1).to.deep.equal([
        'line "Lindenstraße 5"',
      ]);
      const lines = ['Anna Müller', line1, '10969 Berlin'];
      expect(missing(lines, { line1 }), line1).to.deep.equal([]);
    }
    expect(
      missing(['Anna Müller', 'Lindenstr. 5 A', '10969 Berlin'], { line1: 'Lindenstraße 5a' }),
    ).to.deep.equal([]);
    for (const line1 of [
      'Lindenstraße 5, Hinterhaus',
      'Lindenstraße 5 // W 12',
      'Lindenstraße 5 // 12',
      'Lindenstraße 5, 1. OG',
      'Lindenstraße 5 étage',
      'Lindenstraße 5 c/o Schmidt',
    ]) {
      expect(missing(['Anna Müller', line1, '10969 Berlin']), line1).to.deep.equal([]);
    }
  });

  it('tells a range of house numbers from the number that has the same digits', () => {
    const read = (page: string, line1: string) =>
      missing(['Anna Müller', page, '10969 Berlin'], { line1 });
    for (const [page, line1] of [
      ['Lindenstraße 5-7', 'Lindenstraße 57'],
      ['Lindenstraße 57', 'Lindenstraße 5-7'],
      ['Lindenstraße 1/2', 'Lindenstraße 12'],
    ] as const) {
      expect(read(page, line1), page).to.deep.equal([`line "${line1}"`]);
    }
    for (const [page, line1] of [
      ['Lindenstraße 5  -  7', 'Lindenstraße 5-7'],
      ['Lindenstraße 5\u20117', 'Lindenstraße 5-7'],
      ['Lindenstraße 5\u22127', 'Lindenstraße 5–7'],
      ['12 1/2 Main St', '12½ Main St'],
      ['12½ Main St', '12 1/2 Main St'],
      ['Lindenstraße 5 7', 'Lindenstraße 57'],
    ] as const) {
      expect(read(page, line1), page).to.deep.equal([]);
    }
  });

  it('never takes a house number for part of another one, before or after the street', () => {
    const read = (page: string, line1: string) =>
      missing(['John Smith', page, 'Springfield 62701'], { ...springfield, line1 });
    for (const [page, line1] of [
      ['12-14 Main St', '14 Main St'],
      ['12 – 14 Main St', '14 Main St'],
      ['12/14 Main St', '14 Main St'],
      ['12a-14 Main St', '14 Main St'],
      ['12 & 14 Main St', '14 Main St'],
      ['12 to 14 Main St', '14 Main St'],
      ['12 à 14 rue Main', '14 rue Main'],
      ['12, 14 Main St', '14 Main St'],
      ['12 14 Main St', '14 Main St'],
      ['1 2 Main St', '2 Main St'],
      ['12½ Main St', '2 Main St'],
      ['14 Main St', '12-14 Main St'],
      ['12 Main St', '12-14 Main St'],
      ['12-16 Main St', '12-14 Main St'],
      ['1 21st St', '12 1st St'],
      ['121/2 Main St', '12 1/2 Main St'],
      ['Main St 5 7', 'Main St 5'],
      ['Main St 5a-7', 'Main St 5a'],
      ['Main St 5 bis 7', 'Main St 5'],
      ['Main St 5 & 7', 'Main St 5'],
      ['12 Main Ct', '12 Main St'],
      ['12 East St', '12 E St'],
      ['1-12 Main Street', '12 Main St'],
      ['112 Main Street', '12 Main St'],
    ] as const) {
      expect(read(page, line1), `${page} for ${line1}`).to.deep.equal([`line "${line1}"`]);
    }
    for (const [page, line1] of [
      ['12 - 14 Main St', '12-14 Main St'],
      ['12-14 Main Street', '12–14 Main St'],
      ['Flat 5, 14 Main St', '14 Main St'],
      ['12 1st Street', '12 1st St'],
      ['350 5th Avenue', '350 5th Ave'],
    ] as const) {
      expect(read(page, line1), `${page} for ${line1}`).to.deep.equal([]);
    }
  });

  it('takes every line that the page has just as it was given', () => {
    for (const line1 of [
      '5 à 7 rue de la Paix',
      '5 A 7 rue de la Paix',
      '12 a - 14 rue Main',
      '12 a/14 Main St',
      '12 A 5th St',
      '12 bis 14 rue Main',
      '12½ Main St',
      'Flat 5, 14 Main St',
      'Q 5, 14-22',
    ]) {
      const lines = ['Anna Müller', line1, '10969 Berlin'];
      expect(missing(lines, { line1 }), line1).to.deep.equal([]);
    }
  });

  it('takes the words of a street in full and abbreviated', () => {
    const read = (page: string, line1: string) =>
      missing(['John Smith', page, 'Springfield 62701'], { ...springfield, line1 });
    for (const [one, other] of [
      ['12 Main Street', '12 Main St'],
      ['12 Main Street', '12 MAIN ST.'],
      ['350 Park Avenue', '350 Park Ave'],
      ['350 Park Av.', '350 Park Ave'],
      ['4 Oak Road, Apartment 5', '4 Oak Rd Apt 5'],
      ['4 Sunset Boulevard', '4 Sunset Blvd'],
      ['4 Saint James Street', '4 St James St'],
      ['8 boulevard Saint-Germain', '8 bd St Germain'],
      ['8 av. de la République', '8 avenue de la République'],
    ] as const) {
      expect(read(one, other), `${one} for ${other}`).to.deep.equal([]);
      expect(read(other, one), `${other} for ${one}`).to.deep.equal([]);
    }
  });

  it('takes the name of the country behind the city, and no other', () => {
    for (const line of [
      '10969 Berlin, Germany',
      'Berlin 10969 GERMANY',
      '10969 Berlin (Deutschland)',
    ])
      expect(missing(['Anna Müller', 'Lindenstraße 5', line]), line).to.deep.equal([]);
    const us = { ...springfield, state: 'IL' };
    for (const country of ['USA', 'U.S.A.', 'United States', 'United States of America']) {
      const lines = ['John Smith', '12 Main St', `Springfield, IL 62701, ${country}`];
      expect(missing(lines, us), country).to.deep.equal([]);
    }
    const gb = { name: 'Al', line1: '1 High St', city: 'London', postalCode: 'SW1A 1AA' };
    const there = { ...gb, country: 'GB' } as const;
    expect(missing(['Al', '1 High St', 'London SW1A 1AA, UK'], there)).to.deep.equal([]);
    for (const line of ['10969 Berlin, France', '10969 Germany', '10969 Neu-Berlin Germany']) {
      expect(missing(['Anna Müller', 'Lindenstraße 5', line]), line).to.deep.equal([
        'city "Berlin"',
      ]);
    }
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
