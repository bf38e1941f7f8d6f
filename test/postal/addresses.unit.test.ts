import { expect } from 'chai';
import fc from 'fast-check';
import { checkAddress, formatAddressLines } from '../../postal/addresses/index.ts';
import { countryNames } from '../../postal/addresses/spellings.ts';
import { us } from '../../postal/addresses/us.ts';
import {
  type Address,
  type AddressIssue,
  type CountryCode,
  countryCodes,
} from '../../postal/types.ts';
import { anyText } from '../support/any-text.ts';

type Place = Omit<Address, 'name' | 'country'>;

/** Places that exist, in their normal form: street; town; state; postal code. */
const places: Record<CountryCode, readonly Place[]> = {
  US: [
    ['1600 Pennsylvania Ave NW', 'WASHINGTON', '20500', 'DC'],
    ['350 5th Ave Fl 20', 'NEW YORK', '10118', 'NY'],
    ['111 S Grand Ave', 'LOS ANGELES', '90012-3034', 'CA'],
    ['233 S Wacker Dr Ste 4400', 'CHICAGO', '60606', 'IL'],
    ['PO Box 547', 'FISHERS ISLAND', '06390', 'NY'],
    ['5900 Capital Gateway Dr', 'CAMP SPRINGS', '20588-0009', 'MD'],
    ['6595 Springfield Center Dr', 'SPRINGFIELD', '20598-6020', 'VA'],
    ['1040 Waverly Ave', 'HOLTSVILLE', '00501', 'NY'],
    ['63 Calle de San Francisco', 'SAN JUAN', '00901', 'PR'],
    ['5046 Norre Gade', 'ST THOMAS', '00802', 'VI'],
    ['PSC 802 Box 74', 'APO', '09499', 'AE'],
    ['Unit 3050 Box 15', 'DPO', '34024', 'AA'],
    ['PSC 473 Box 1', 'FPO', '96349', 'AP'],
    ['PO Box 1045', 'PAGO PAGO', '96799', 'AS'],
    ['590 S Marine Corps Dr', 'TAMUNING', '96913', 'GU'],
    ['PO Box 10007', 'SAIPAN', '96950', 'MP'],
    ['125 Snowflake Ln', 'NORTH POLE', '99705', 'AK'],
    ['3651 S IH 35', 'AUSTIN', '73301', 'TX'],
    ['55 Targhee Towne Rd', 'ALTA', '83414', 'WY'],
    ['201 N 2nd St', 'TEXHOMA', '73960', 'TX'],
  ].map(place),
  FR: [
    ['8 RUE DE LONDRES', 'PARIS', '75009'],
    ['55 RUE DU FAUBOURG SAINT HONORE', 'PARIS CEDEX 08', '75800'],
    ['1 PLACE DE LA COMEDIE', 'LYON', '69001'],
    ['2 B QUAI DU PORT', 'MARSEILLE', '13002'],
    ['4 place Kléber', 'STRASBOURG', '67000'],
    ['12 COURS NAPOLEON', 'AJACCIO', '20000'],
    ['3 RUE VICTOR SCHOELCHER', 'FORT DE FRANCE', '97200'],
    ['10 AVENUE DE LA VICTOIRE', 'SAINT DENIS', '97400'],
    ['9 RUE DE L’ALMA', 'NOUMEA', '98800'],
    ['BP 90', 'BOURG EN BRESSE CEDEX', '01009'],
    ['1 RUE DE L HOTEL DE VILLE', 'ABBEVILLE', '80100'],
    ['LE BOURG', "L'HAŸ-LES-ROSES", '94240'],
    ['SP 12345', 'ARMEES', '00200'],
    ['FORBIN', 'ARMÉES', '00100'],
    ['SP 85301', 'HUB ARMEES', '00300'],
  ].map(place),
  GB: [
    ['10 Downing Street', 'LONDON', 'SW1A 2AA'],
    ['1 Portsoken Street', 'LONDON', 'E1 8PH'],
    ['2 Marsham Street', 'LONDON', 'SW1P 4DF'],
    ['50 Queen Street', 'OXFORD', 'OX1 1ET'],
    ['Cathays Park', 'CARDIFF', 'CF10 3NQ'],
    ['1 Victoria Quay', 'EDINBURGH', 'EH6 6QQ'],
    ['Stormont Estate', 'BELFAST', 'BT4 3SR'],
    ['Town Hall Extension', 'MANCHESTER', 'M60 2LA'],
    ['Lower Hillhead', 'LERWICK', 'ZE1 0EL'],
    ['Royal Square', 'ST HELIER', 'JE1 1BB'],
    ['Bucks Road', 'DOUGLAS', 'IM1 3PN'],
    ['BFPO Lisvane', 'BFPO', 'BFPO 57'],
    ['HM Revenue and Customs', 'NEWCASTLE UPON TYNE', 'BX9 1AS'],
  ].map(place),
  CA: [
    ['111 WELLINGTON ST', 'OTTAWA', 'K1A 0A9', 'ON'],
    ['10-123 MAIN ST NW', 'MONTRÉAL', 'H3Z 2Y7', 'QC'],
    ['100 QUEEN ST W', 'TORONTO', 'M5H 2N2', 'ON'],
    ['453 12TH AVE W', 'VANCOUVER', 'V5Y 1V4', 'BC'],
    ['800 MACLEOD TRAIL SE', 'CALGARY', 'T2P 2M5', 'AB'],
    ['510 MAIN ST', 'WINNIPEG', 'R3B 1B9', 'MB'],
    ['1841 ARGYLE ST', 'HALIFAX', 'B3J 3A5', 'NS'],
    ['10 NEW GOWER ST', "ST. JOHN'S", 'A1C 5M2', 'NL'],
    ['199 QUEEN ST', 'CHARLOTTETOWN', 'C1A 4B7', 'PE'],
    ['397 QUEEN ST', 'FREDERICTON', 'E3B 1B5', 'NB'],
    ['2476 VICTORIA AVE', 'REGINA', 'S4P 3C8', 'SK'],
    ['4807 52 ST', 'YELLOWKNIFE', 'X1A 3T5', 'NT'],
    ['901 NUNAVUT DR', 'IQALUIT', 'X0A 0H0', 'NU'],
    ['2121 SECOND AVE', 'WHITEHORSE', 'Y1A 1C2', 'YT'],
  ].map(place),
  DE: [
    ['Platz der Republik 1', 'Berlin', '11011'],
    ['Unter den Linden 77', 'Berlin', '10117'],
    ['Marienplatz 8', 'München', '80331'],
    ['Rathausmarkt 1', 'Hamburg', '20095'],
    ['Domkloster 4', 'Köln', '50667'],
    ['Römerberg 23', 'Frankfurt am Main', '60311'],
    ['Theaterplatz 2', 'Dresden', '01067'],
    ['Am Markt 1', 'Bremen', '28195'],
    ['Charles-de-Gaulle-Str. 20', 'Bonn', '53113'],
    ['Große Bleiche 1', 'Mainz', '55116'],
    ['Hauptstraße 1', 'Rottach-Egern', '83700'],
    ['Postfach 1', 'Würzburg', '97001'],
  ].map(place),
};

function place([line1 = '', city = '', postalCode = '', state]: string[]): Place {
  return state === undefined ? { line1, city, postalCode } : { line1, city, postalCode, state };
}

const sample = (country: CountryCode, changes: Partial<Address> = {}): Address => {
  const first = places[country].at(0);
  if (first === undefined) throw new Error(`no place in ${country}`);
  return { name: country === 'CA' ? 'JO MARTIN' : 'Jo Martin', ...first, country, ...changes };
};

const codes = (issues: AddressIssue[]): string[] =>
  issues.map(({ field, code }) => `${field} ${code}`);

const issueOf = (address: Address): AddressIssue => {
  const { issues } = checkAddress(address);
  expect(issues, JSON.stringify(issues)).to.have.length(1);
  return issues[0] as AddressIssue;
};

describe('checkAddress', () => {
  for (const country of countryCodes) {
    it(`finds nothing to say about ${places[country].length} normalised addresses in ${country}`, () => {
      for (const known of places[country]) {
        const address = sample(country, known);
        expect(checkAddress(address)).to.deep.equal({
          normalized: address,
          changes: [],
          issues: [],
        });
      }
    });
  }

  it('brings each field into the form of its country and lists every change', () => {
    const table: [Address, keyof Address, string][] = [
      [sample('GB', { postalCode: 'sw1a2aa' }), 'postalCode', 'SW1A 2AA'],
      [sample('GB', { postalCode: 'bfpo57' }), 'postalCode', 'BFPO 57'],
      [sample('GB', { postalCode: 'gir0aa' }), 'postalCode', 'GIR 0AA'],
      [sample('GB', { city: 'London' }), 'city', 'LONDON'],
      [sample('CA', { postalCode: 'k1a0a9' }), 'postalCode', 'K1A 0A9'],
      [sample('CA', { postalCode: 'K1A-0A9' }), 'postalCode', 'K1A 0A9'],
      [sample('CA', { name: 'Zoë Côté' }), 'name', 'ZOË CÔTÉ'],
      [sample('CA', { line1: '111 Wellington St' }), 'line1', '111 WELLINGTON ST'],
      [sample('CA', { postalCode: 'H3Z 2Y7', state: 'Québec' }), 'state', 'QC'],
      [sample('CA', { postalCode: 'C1A 4B7', state: 'île-du-prince-édouard' }), 'state', 'PE'],
      [sample('FR', { postalCode: '75 001' }), 'postalCode', '75001'],
      [sample('FR', { postalCode: 'F-75001' }), 'postalCode', '75001'],
      [sample('FR', { city: 'MONACO', postalCode: 'MC-98000' }), 'postalCode', '98000'],
      [sample('DE', { postalCode: '１１０１１' }), 'postalCode', '11011'],
      [sample('DE', { postalCode: 'D–11011' }), 'postalCode', '11011'],
      [sample('GB', { postalCode: 'ＳＷ１Ａ　２ａａ' }), 'postalCode', 'SW1A 2AA'],
      [sample('US', { postalCode: '20500\u20110003' }), 'postalCode', '20500-0003'],
      [sample('FR', { city: 'Saint-Étienne' }), 'city', 'SAINT-ÉTIENNE'],
      [sample('FR', { city: 'Paris cedex 8' }), 'city', 'PARIS CEDEX 08'],
      [sample('FR', { city: 'Paris cédex 8' }), 'city', 'PARIS CEDEX 08'],
      [sample('FR', { city: 'Paris - Cedex' }), 'city', 'PARIS CEDEX'],
      [sample('FR', { line2: 'B.P. 90123' }), 'line2', 'BP 90123'],
      [sample('FR', { line1: 'c.s. 40001' }), 'line1', 'CS 40001'],
      [sample('FR', { line1: 'T.S.A.12345' }), 'line1', 'TSA12345'],
      [sample('US', { city: 'Washington, D.C.' }), 'city', 'WASHINGTON'],
      [sample('US', { city: 'APO AE', postalCode: '09499', state: 'AE' }), 'city', 'APO'],
      [sample('US', { postalCode: '00802', state: 'USVI' }), 'state', 'VI'],
      [sample('FR', { line1: '5 bis rue Daru' }), 'line1', '5 B rue Daru'],
      [sample('FR', { line1: '5ter RUE DARU' }), 'line1', '5 T RUE DARU'],
      [sample('US', { postalCode: '205000003' }), 'postalCode', '20500-0003'],
      [sample('US', { postalCode: '20500 0003' }), 'postalCode', '20500-0003'],
      [sample('US', { city: 'Washington' }), 'city', 'WASHINGTON'],
      [sample('US', { state: 'District of Columbia' }), 'state', 'DC'],
      [sample('US', { state: 'd.c.' }), 'state', 'DC'],
      [sample('DE', { postalCode: 'D-10115' }), 'postalCode', '10115'],
      [sample('DE', { city: 'Mu\u0308nchen' }), 'city', 'München'],
      [sample('DE', { name: '  Jo \t\n Martin ' }), 'name', 'Jo Martin'],
      [sample('DE', { name: 'Jo\u00a0Martin' }), 'name', 'Jo Martin'],
      [sample('DE', { line2: '  ' }), 'line2', ''],
    ];
    for (const [address, field, to] of table) {
      const { normalized, changes, issues } = checkAddress(address);
      expect(changes).to.deep.equal([{ field, from: address[field], to }]);
      expect(normalized[field] ?? '').to.equal(to);
      expect(issues).to.deep.equal([]);
    }
  });

  it('takes the town out of a whole line: postal code, state and country are printed next to it anyway', () => {
    for (const country of countryCodes) {
      for (const known of places[country]) {
        const { city, postalCode, state } = known;
        const name = countryNames[country][0];
        const lines = [
          `${city} ${postalCode}`,
          `${postalCode} ${city}`,
          `${city}, ${name}`,
          `${city} (${name})`,
          `${city}, ${country}`,
          `${city}, ${postalCode}, ${name}`,
          ...(state === undefined
            ? []
            : [`${city}, ${state}`, `${city} (${state}) ${postalCode}`, `${city} ${state}`]),
        ];
        for (const line of lines) {
          const { normalized, issues } = checkAddress(sample(country, { ...known, city: line }));
          expect(normalized, line).to.deep.equal(sample(country, known));
          expect(issues, line).to.deep.equal([]);
        }
      }
    }
    for (const [city, state] of [
      ['Québec (Québec)', undefined],
      ['Québec, QC', 'QC'],
    ] as const) {
      const quebec = checkAddress(sample('CA', { city, state, postalCode: 'G1R 4P5' })).normalized;
      expect(quebec).to.include({ city: 'QUÉBEC', state: 'QC' });
    }
  });

  it('takes the state from the line of the town, so that it must fit the postal code', () => {
    const portland = { city: 'Portland, OR', postalCode: '04101', state: undefined };
    expect(issueOf(sample('US', portland)).code).to.equal('state_mismatch');
  });

  it('refuses a line of the town that contradicts the address, unless told to send as it is', () => {
    for (const [country, known, code] of [
      ['DE', { city: '10115 Berlin' }, 'postal_code_mismatch'],
      ['DE', { city: '10115' }, 'postal_code_mismatch'],
      ['FR', { city: 'Paris, 75008' }, 'postal_code_mismatch'],
      ['GB', { city: 'London SW1A 1AA' }, 'postal_code_mismatch'],
      ['GB', { city: 'BFPO 58', postalCode: 'BFPO 57' }, 'postal_code_mismatch'],
      ['US', { city: 'New York, NY 10001', state: undefined }, 'postal_code_mismatch'],
      ['US', { city: 'Portland, OR' }, 'state_mismatch'],
      ['CA', { city: 'Gatineau (Québec)', state: 'ON', postalCode: 'K2P 1L4' }, 'state_mismatch'],
    ] as const) {
      const address = sample(country, known);
      const issues = checkAddress(address).issues.filter(({ field }) => field === 'city');
      expect(
        issues.map((issue) => issue.code),
        known.city,
      ).to.include(code);
      const asIs = checkAddress(address, { asIs: true }).issues;
      expect(asIs.every(({ severity }) => severity === 'warning')).to.equal(true);
    }
    for (const [city, postalCode] of [
      ['New York, NY 10118-0110', '10118'],
      ['New York, NY 10118', '10118-0110'],
    ] as const) {
      const { normalized, issues } = checkAddress(
        sample('US', { city, postalCode, state: undefined }),
      );
      expect(issues).to.deep.equal([]);
      expect(normalized).to.include({ city: 'NEW YORK', postalCode });
    }
  });

  it('leaves a town as it is where its line says something else', () => {
    for (const [country, city] of [
      ['DE', 'Frankfurt (Oder)'],
      ['DE', 'Berlin, Mitte'],
      ['GB', 'LONDON, FRANCE'],
      ['FR', 'LYON 3E'],
    ] as const) {
      expect(checkAddress(sample(country, { city })).normalized.city).to.equal(city);
    }
  });

  it('leaves names alone that only look like a house number with bis', () => {
    for (const line1 of ['5 BISTRO', '5 TERRASSE DU PARC', 'RUE 5 BIS']) {
      expect(checkAddress(sample('FR', { line1 })).normalized.line1).to.equal(line1);
    }
  });

  it('derives a missing state from the postal code and says so', () => {
    for (const country of ['US', 'CA'] as const) {
      for (const { state, ...rest } of places[country]) {
        const result = checkAddress(sample(country, { ...rest, state: undefined }));
        expect(result.normalized.state).to.equal(state);
        expect(result.changes).to.deep.equal([{ field: 'state', from: '', to: state }]);
        expect(result.issues).to.deep.equal([]);
      }
    }
  });

  it('knows a state for more than 900 prefixes of ZIP Codes and each state by one', () => {
    const found = new Set<string | undefined>();
    let assigned = 0;
    for (let prefix = 0; prefix < 1000; prefix += 1) {
      const state = us.regions?.ofPostalCode(`${String(prefix).padStart(3, '0')}01`);
      if (state !== undefined) assigned += 1;
      found.add(state);
    }
    expect(assigned).to.be.within(900, 945);
    const elsewhere = ['AS', 'GU', 'MP', 'PW', 'FM', 'MH'];
    const missing = [...(us.regions?.names.keys() ?? [])].filter((state) => !found.has(state));
    expect(missing).to.have.members(elsewhere);
  });

  it('says in one sentence what is wrong with a postal code and what was probably meant', () => {
    const table: [CountryCode, string, string, string][] = [
      [
        'FR',
        '7500',
        'postal_code_invalid',
        '{field} 7500 is not a French postal code (5 digits); did you mean 75000?',
      ],
      ['FR', 'MC-75008', 'postal_code_invalid', 'not a French postal code'],
      ['FR', '7500A', 'postal_code_invalid', 'not a French postal code'],
      ['FR', '00100', 'postal_code_unassigned', '01 to 95, 97 and 98'],
      ['FR', '00000', 'postal_code_unassigned', 'no French department has the digits 00'],
      ['FR', '00200', 'postal_code_unassigned', 'the armed forces, whose town is ARMEES'],
      ['FR', '96000', 'postal_code_unassigned', 'no French department has the digits 96'],
      ['FR', '99123', 'postal_code_unassigned', '99'],
      ['DE', '1067', 'postal_code_invalid', 'did you mean 01067?'],
      ['DE', '101150', 'postal_code_invalid', '5 digits'],
      ['DE', '00115', 'postal_code_unassigned', 'begins with 00'],
      ['DE', '01000', 'postal_code_unassigned', '01001 to 99998'],
      ['DE', '99999', 'postal_code_unassigned', '01001 to 99998'],
      ['GB', 'SW1A OAA', 'postal_code_invalid', 'did you mean SW1A 0AA?'],
      ['GB', 'MIO 1AA', 'postal_code_invalid', 'is not a UK postcode'],
      ['GB', 'SW1A 1CA', 'postal_code_invalid', 'is not a UK postcode'],
      ['GB', 'QX1 1AA', 'postal_code_unassigned', 'no postcode area QX'],
      ['US', '2134', 'postal_code_invalid', 'did you mean 02134?'],
      ['US', '1000', 'postal_code_invalid', 'did you mean 01000?'],
      ['US', '205000', 'postal_code_invalid', '5 digits, or 5+4'],
      ['US', '00401', 'postal_code_unassigned', 'no state'],
      ['US', '98701', 'postal_code_unassigned', 'no state'],
      ['US', '96999', 'postal_code_unassigned', 'no state'],
      ['CA', 'K1A OA9', 'postal_code_invalid', 'did you mean K1A 0A9?'],
      ['CA', 'D1A 0A9', 'postal_code_invalid', 'letter digit letter'],
      ['CA', 'X2A 0A9', 'postal_code_unassigned', 'X0A to X0C'],
    ];
    for (const [country, postalCode, code, part] of table) {
      const issue = issueOf({ ...sample(country), postalCode });
      expect(issue).to.include({ field: 'postalCode', code, severity: 'error' });
      expect(issue.detail).to.include(part).and.to.include(postalCode);
    }
  });

  it('recognises the code of another country and asks whether the country is right', () => {
    const table: [CountryCode, string, string][] = [
      ['FR', 'SW1A 1AA', 'a GB postcode'],
      ['DE', 'K1A 0B1', 'a CA postal code'],
      ['GB', '90210-1234', 'a US postal code'],
      ['CA', '60311', 'a US or FR or DE postal code'],
      ['US', 'EC1A 1BB', 'a GB postcode'],
      ['FR', '99501', 'a US or DE postal code'],
    ];
    for (const [country, postalCode, part] of table) {
      const issue = issueOf({ ...sample(country), postalCode });
      expect(issue.hint).to.equal(`It looks like ${part}; is the country right?`);
    }
  });

  it('tells a lost leading zero in France apart from a lost digit', () => {
    for (const [postalCode, codes] of [
      ['7500', ['75000', '07500']],
      ['6000', ['60000', '06000']],
    ] as const) {
      const { detail, hint } = issueOf(sample('FR', { postalCode }));
      for (const code of codes) expect(detail).to.include(code);
      expect(hint).to.include(codes[1]);
    }
  });

  it('takes the abbreviations of states and provinces of before the codes of two letters', () => {
    const stateOf = (country: 'US' | 'CA', state: string, postalCode: string) => {
      const written = { name: 'Ada', line1: '1 Main St', city: 'Town', postalCode, state, country };
      const { normalized, issues } = checkAddress(written);
      return [normalized.state, issues.map(({ code }) => code)];
    };
    for (const [state, postalCode, code] of [
      ['Calif.', '90012', 'CA'],
      ['N. Mex.', '87101', 'NM'],
      ['W.Va.', '25301', 'WV'],
      ['Mass', '02108', 'MA'],
    ] as const) {
      expect(stateOf('US', state, postalCode), state).to.deep.equal([code, []]);
    }
    for (const [state, postalCode, code] of [
      ['Ont.', 'K1A 0B1', 'ON'],
      ['Qué.', 'H2X 1Y4', 'QC'],
      ['Nfld.', 'A1A 1A1', 'NL'],
      ['N.W.T.', 'X1A 1A1', 'NT'],
    ] as const) {
      expect(stateOf('CA', state, postalCode), state).to.deep.equal([code, []]);
    }
    expect(stateOf('US', 'Calif.', '10118')[1]).to.deep.equal(['state_mismatch']);
  });

  it('checks the state against the postal code', () => {
    const mismatch = issueOf(sample('US', { postalCode: '90210', state: 'NY' }));
    expect(mismatch).to.include({ field: 'state', code: 'state_mismatch', severity: 'error' });
    expect(mismatch.detail).to.include('90210, which is in CA (California)');
    expect(mismatch.hint).to.include('accept_address_as_is');
    expect(issueOf(sample('CA', { state: 'QC' })).detail).to.include('ON (Ontario)');
    const unknown = issueOf(sample('US', { postalCode: '90210', state: 'Kalifornia' }));
    expect(unknown).to.include({ field: 'state', code: 'state_invalid', severity: 'error' });
    expect(unknown.detail).to.include('by the postal code it is CA (California)');
  });

  it('knows that federal offices on both sides of the Ottawa River have codes of K1A', () => {
    const office = (changes: Partial<Address>) =>
      checkAddress(sample('CA', { postalCode: 'K1A 0C9', state: undefined, ...changes }));
    for (const city of ['Gatineau', 'HULL', 'Gatineau (Hull)']) {
      expect(office({ city }).normalized.state, city).to.equal('QC');
    }
    expect(office({}).normalized.state).to.equal('ON');
    for (const [city, state] of [
      ['Gatineau', 'QC'],
      ['Gatineau', 'Québec'],
      ['Chelsea', 'QC'],
      ['Ottawa', 'ON'],
    ]) {
      const { normalized, issues } = office({ city, state });
      expect(issues, city).to.deep.equal([]);
      expect(normalized.state).to.equal(state === 'ON' ? 'ON' : 'QC');
    }
    expect(issueOf(sample('CA', { postalCode: 'K1A 0C9', state: 'BC' })).code).to.equal(
      'state_mismatch',
    );
  });

  it('takes the codes of federal agencies outside of Washington for Washington too', () => {
    const inDc = sample('US', { postalCode: '20598', state: 'DC' });
    expect(checkAddress(inDc).issues).to.deep.equal([]);
    expect(issueOf({ ...inDc, state: 'MD' }).code).to.equal('state_mismatch');
  });

  it('refuses a town other than APO, FPO or DPO with a code of the armed forces', () => {
    const forces = { line1: 'PSC 802 Box 74', postalCode: '09499', state: 'AE' };
    for (const city of ['apo', 'FPO', 'DPO AE']) {
      expect(checkAddress(sample('US', { ...forces, city })).issues, city).to.deep.equal([]);
    }
    const elsewhere = sample('US', { ...forces, city: 'Kaiserslautern' });
    const { code, detail } = issueOf(elsewhere);
    expect(code).to.equal('postal_code_unassigned');
    expect(detail).to.include('whose town is APO, FPO or DPO and not KAISERSLAUTERN');
    const [asIs] = checkAddress(elsewhere, { asIs: true }).issues;
    expect(asIs?.severity).to.equal('warning');
  });

  it('refuses a Packstation, which returns letters, unless told to send as it is', () => {
    for (const [field, lines] of [
      ['line1', { line1: 'Packstation 123', line2: '1234567' }],
      ['line2', { line1: '1234567', line2: 'DHL Packstation 123' }],
      ['line1', { line1: 'Packstation123' }],
      ['line1', { line1: 'PACK-STATION_123' }],
      ['company', { company: 'Packstation 123', line1: '1234567' }],
    ] as const) {
      const address = sample('DE', lines);
      const issue = issueOf(address);
      expect(issue).to.include({ field, code: 'parcels_only', severity: 'error' });
      expect(issue.hint).to.include('accept_address_as_is');
      const [asIs] = checkAddress(address, { asIs: true }).issues;
      expect(asIs).to.include({ code: 'parcels_only', severity: 'warning' });
    }
    for (const named of [{ company: 'Packstation Wartung GmbH' }, { line1: 'Packstationsweg 1' }]) {
      expect(checkAddress(sample('DE', named)).issues).to.deep.equal([]);
    }
  });

  it('needs a state where the postal code does not tell it', () => {
    const { issues } = checkAddress(sample('US', { postalCode: '98701', state: undefined }));
    expect(codes(issues)).to.deep.equal([
      'postalCode postal_code_unassigned',
      'state state_required',
    ]);
    expect(issues[1]?.detail).to.include('cannot be derived from the postal code 98701');
  });

  it('warns of a state where addresses have none', () => {
    const issue = issueOf(sample('DE', { state: 'Bayern' }));
    expect(issue).to.include({ field: 'state', code: 'state_not_printed', severity: 'warning' });
  });

  it('refuses a line that is one character too long and takes one of the full length', () => {
    const limits = { FR: 38, CA: 40, US: 64, GB: 40, DE: 40 };
    for (const country of countryCodes) {
      for (const field of ['name', 'company', 'line1', 'line2'] as const) {
        const limit = limits[country];
        expect(checkAddress(sample(country, { [field]: 'A'.repeat(limit) })).issues).to.deep.equal(
          [],
        );
        const issue = issueOf(sample(country, { [field]: 'A'.repeat(limit + 1) }));
        expect(issue).to.include({ field, code: 'line_too_long', severity: 'error' });
        expect(issue.detail)
          .to.include(`${limit + 1}`)
          .and.to.include(`${limit}`);
      }
    }
  });

  it('names the post town where a village is too long for a line', () => {
    const city = 'Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch';
    const { detail } = issueOf(sample('GB', { city, postalCode: 'LL61 5UJ' }));
    expect(detail).to.include('give the post town alone, such as LLANFAIRPWLLGWYNGYLL');
  });

  it('counts the printed line of town and postal code, too', () => {
    expect(checkAddress(sample('FR', { city: 'A'.repeat(32) })).issues).to.deep.equal([]);
    const issue = issueOf(sample('FR', { city: 'A'.repeat(33) }));
    expect(issue).to.include({ field: 'city', code: 'line_too_long' });
    expect(issue.detail).to.include('39 characters');
    expect(codes(checkAddress(sample('FR', { city: 'A'.repeat(60) })).issues)).to.deep.equal([
      'city line_too_long',
    ]);
  });

  it('refuses what cannot be printed and names it by its code point', () => {
    const table: [string, string][] = [
      ['A\u0000B', 'U+0000 (a control character)'],
      ['A\u0085B', 'U+0085 (a control character)'],
      ['A\u202eB', 'U+202E (a direction mark)'],
      ['A\u200fB', 'U+200F (a direction mark)'],
      ['A\u2066B', 'U+2066 (a direction mark)'],
      ['A\u200bB', 'U+200B (an invisible character)'],
      ['A\u200dB', 'U+200D (an invisible character)'],
      ['\ufeffAB', 'U+FEFF (an invisible character)'],
      ['A\u00adB', 'U+00AD (an invisible character)'],
      ['A\ufe0fB', 'U+FE0F (an invisible character)'],
      ['A\ue000B', 'U+E000 (a private-use character)'],
      ['A\ud83d', 'U+D83D (half of a character (a lone surrogate))'],
      ['A\u0328\u0325\u0323\u0307', '(an accent on top of two others)'],
      ['A ∑ 1', 'U+2211 (a sign)'],
    ];
    for (const [text, part] of table) {
      for (const field of ['name', 'company', 'line1', 'line2', 'city'] as const) {
        const issue = issueOf(sample('DE', { [field]: text }));
        expect(issue).to.include({ field, code: 'character_not_allowed', severity: 'error' });
        expect(issue.detail).to.include(part).and.not.to.include(text);
      }
    }
  });

  it('takes the names of the world, and says where the post does not read them', () => {
    const names = [
      'Иван Петров',
      'Αθηνά Παππά',
      '李小龍',
      '山田　太郎',
      'サトウ・ケン',
      '김민준',
      'محمد بن عبد الله',
      'علی\u200cرضا',
      'יוסף כ״ץ',
      'क्षितिज शर्मा',
      'สมชาย ใจดี',
      'နေလင်း',
      'შოთა',
      'Pizzeria 🍕',
      'Küche 👩‍🚀 ❤️',
    ];
    for (const name of names) {
      expect(checkAddress(sample('DE', { name })).issues, name).to.deep.equal([]);
    }
    expect(codes(checkAddress(sample('DE', { line1: 'Улица 5' })).issues)).to.deep.equal([
      'line1 script_not_latin',
    ]);
  });

  it('takes every Latin letter, and the signs that addresses have', () => {
    const names = [
      'Ærøskøbing Ñandú',
      'Şişli Ğ',
      'Đặng Văn Ơ',
      'Łódź Žižka',
      "O’Neil & D'Arcy",
      'Nº 5 – 3°',
      'ʻĀina',
    ];
    for (const name of names) {
      expect(checkAddress(sample('DE', { name })).issues, name).to.deep.equal([]);
    }
  });

  it('refuses empty lines', () => {
    for (const field of ['name', 'line1', 'city', 'postalCode'] as const) {
      expect(issueOf(sample('DE', { [field]: ' \t' }))).to.include({
        field,
        code: 'line_empty',
        severity: 'error',
      });
    }
    for (const field of ['name', 'line1', 'line2', 'city'] as const) {
      expect(issueOf(sample('DE', { [field]: '-- -' }))).to.include({
        field,
        code: 'line_empty',
        severity: 'error',
      });
    }
  });

  it('warns of signs that machines dislike', () => {
    expect(checkAddress(sample('US', { line2: '# 4' })).issues).to.deep.equal([]);
    expect(issueOf(sample('US', { line2: 'Unit #4' }))).to.include({
      field: 'line2',
      code: 'punctuation',
      severity: 'warning',
    });
    expect(issueOf(sample('CA', { line1: '12 MAIN ST #4' })).detail).to.include('10-123 MAIN ST');
    expect(issueOf(sample('FR', { line1: '12, rue Daru' })).detail).to.include('NF Z 10-011');
    expect(issueOf(sample('DE', { line2: '(Hinterhaus)' }))).to.include({
      field: 'line2',
      code: 'leading_character',
      severity: 'warning',
    });
    expect(checkAddress(sample('FR', { company: 'S.A.R.L. Daru, fils' })).issues).to.deep.equal([]);
  });

  it('turns errors of postal code and state into warnings when told to send as it is, and no other', () => {
    const doubtful = sample('US', { postalCode: '90210', state: 'NY' });
    const { issues, normalized } = checkAddress(doubtful, { asIs: true });
    expect(issues.map(({ code, severity }) => `${code} ${severity}`)).to.deep.equal([
      'state_mismatch warning',
    ]);
    expect(normalized).to.include({ postalCode: '90210', state: 'NY' });
    const unknown = sample('GB', {
      postalCode: 'nowhere',
      name: '!',
      line1: '\u202eA',
      company: 'A'.repeat(41),
    });
    const severities = checkAddress(unknown, { asIs: true }).issues.map(
      ({ code, severity }) => `${code} ${severity}`,
    );
    expect(severities).to.have.members([
      'postal_code_invalid warning',
      'line_empty error',
      'character_not_allowed error',
      'line_too_long error',
    ]);
  });

  it('answers a hostile length with one short sentence', () => {
    const long = 'ß'.repeat(1_000_000);
    const { issues } = checkAddress(sample('FR', { line1: long, postalCode: long, state: long }));
    expect(codes(issues)).to.deep.equal([
      'line1 line_too_long',
      'postalCode line_too_long',
      'state line_too_long',
    ]);
    for (const { detail } of issues) expect(detail.length).to.be.below(200);
    expect(issueOf(sample('FR', { postalCode: '7'.repeat(150) })).detail.length).to.be.below(200);
  });

  it('changes nothing more in what it has normalised, and every issue has a rule and a way out', () => {
    const part = fc.oneof(
      anyText({ maxLength: 45 }),
      fc.string({ unit: fc.constantFrom(...'aZéßŉǰµ019 \u0301\u00a0-#,.\t'), maxLength: 45 }),
      fc.constantFrom(
        '5 bis rue',
        'Paris cedex 8',
        'cedex',
        'sw1a1aa',
        '75 001',
        'k1a0b1',
        '902101234',
        'Québec',
        'd.c.',
        'D 10115',
        '',
      ),
    );
    const anyAddress = fc.record(
      {
        name: part,
        company: part,
        line1: part,
        line2: part,
        city: part,
        state: part,
        postalCode: part,
        country: fc.constantFrom(...countryCodes),
      },
      { requiredKeys: ['name', 'line1', 'city', 'postalCode', 'country'] },
    );
    fc.assert(
      fc.property(anyAddress, fc.boolean(), (address, asIs) => {
        const once = checkAddress(address, { asIs });
        const twice = checkAddress(once.normalized, { asIs });
        expect(twice.changes).to.deep.equal([]);
        expect(twice.normalized).to.deep.equal(once.normalized);
        for (const { detail } of once.issues) expect(detail).to.match(/^\{field\} .+[;:,] .+/su);
        const errors = codes(once.issues.filter(({ severity }) => severity === 'error'));
        if (errors.length === 0) expect(formatAddressLines(once.normalized)).to.not.include('');
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('formatAddressLines', () => {
  it('prints the second line where the post of the country looks for it', () => {
    const street = (country: CountryCode, line1: string, line2: string) =>
      formatAddressLines(sample(country, { line1, line2 })).slice(1, 3);
    expect(street('DE', 'Lindenstr. 5', 'Hinterhaus')).to.deep.equal([
      'Hinterhaus',
      'Lindenstr. 5',
    ]);
    expect(street('FR', '8 RUE X', 'BP 1234')).to.deep.equal(['8 RUE X', 'BP 1234']);
    expect(street('DE', 'Postfach 10 01 02', 'Abt. Einkauf')).to.deep.equal([
      'Abt. Einkauf',
      'Postfach 10 01 02',
    ]);
    expect(street('DE', 'Lindenstr. 5', 'Postfach 12')).to.deep.equal([
      'Lindenstr. 5',
      'Postfach 12',
    ]);
    expect(street('FR', '8 RUE X', 'B.P. 1234')).to.deep.equal(['8 RUE X', 'B.P. 1234']);
    expect(street('FR', 'C.S. 1234', '8 RUE X')).to.deep.equal(['8 RUE X', 'C.S. 1234']);
    for (const [box, station] of [
      ['PO BOX 4001', 'STATION A'],
      ['PO BOX 4001', 'STN MAIN'],
      ['P.O.B. 4001', 'RPO WESTDALE'],
      ['C.P. 4001', 'SUCC. A'],
      ['CASE POSTALE 4001', 'SUCCURSALE CENTRE-VILLE'],
    ] as const) {
      expect(street('CA', box, station)).to.deep.equal([box, station]);
    }
    expect(street('GB', 'PO Box 12', 'Station Road')).to.deep.equal(['Station Road', 'PO Box 12']);
    expect(street('FR', '8 RUE X', 'BP n° 12')).to.deep.equal(['8 RUE X', 'BP n° 12']);
    expect(street('DE', 'Lindenstr. 5', 'B. P. Schmidt Haus 4')[0]).to.include('Schmidt');
    expect(street('CA', 'STATION A', 'PO BOX 4001')).to.deep.equal(['STATION A', 'PO BOX 4001']);
    expect(street('US', '150 Calle A', 'Urb Las Gladiolas')).to.deep.equal([
      'Urb Las Gladiolas',
      '150 Calle A',
    ]);
    for (const country of ['US', 'GB', 'CA'] as const) {
      expect(street(country, '1 Main St', 'Apt 5')).to.deep.equal(['1 Main St', 'Apt 5']);
      expect(street(country, '1 Main St', 'c/o Ann Lee')).to.deep.equal([
        'c/o Ann Lee',
        '1 Main St',
      ]);
      expect(street(country, 'PO Box 12', 'Dept. 4')).to.deep.equal(['Dept. 4', 'PO Box 12']);
    }
  });

  it('prints to whom it goes below the name in every country, in whichever line it was given', () => {
    const street = (country: CountryCode, line1: string, line2: string) =>
      formatAddressLines(sample(country, { line1, line2 })).slice(1, 3);
    for (const addressee of [
      ...['c/o Müller', 'Attn Ann Lee', 'z. Hd. Herrn Roth', 'Dept. Sales'],
      ...['FAO Ann Lee', 'F.A.O. Ann Lee', 'For the attention of Ann Lee'],
    ]) {
      for (const country of countryCodes) {
        const printed = [addressee, '12 Main St'];
        expect(street(country, addressee, '12 Main St'), country).to.deep.equal(printed);
        expect(street(country, '12 Main St', addressee), country).to.deep.equal(printed);
      }
    }
    const paris = ['chez Mme Durand', '12 RUE X'];
    expect(street('FR', 'chez Mme Durand', '12 RUE X')).to.deep.equal(paris);
    expect(street('FR', '12 RUE X', 'chez Mme Durand')).to.deep.equal(paris);
    // A hamlet in Charente.
    expect(street('FR', 'Chez Bertaud', 'Bâtiment A')).to.deep.equal([
      'Bâtiment A',
      'Chez Bertaud',
    ]);
  });

  it('prints the lines in the order of the country', () => {
    const lines = (country: CountryCode, company?: string) =>
      formatAddressLines(sample(country, { company, line2: 'Floor 2' }));
    expect(lines('US', 'Acme')).to.deep.equal([
      'Jo Martin',
      'Acme',
      '1600 Pennsylvania Ave NW',
      'Floor 2',
      'WASHINGTON DC 20500',
    ]);
    expect(lines('FR', 'Acme')).to.deep.equal([
      'Acme',
      'Jo Martin',
      'Floor 2',
      '8 RUE DE LONDRES',
      '75009 PARIS',
    ]);
    expect(lines('GB')).to.deep.equal([
      'Jo Martin',
      '10 Downing Street',
      'Floor 2',
      'LONDON',
      'SW1A 2AA',
    ]);
    expect(lines('CA')).to.deep.equal([
      'JO MARTIN',
      '111 WELLINGTON ST',
      'Floor 2',
      'OTTAWA ON  K1A 0A9',
    ]);
    expect(lines('DE')).to.deep.equal([
      'Jo Martin',
      'Floor 2',
      'Platz der Republik 1',
      '11011 Berlin',
    ]);
  });

  it('prints a BFPO number once, on the last line', () => {
    const forces = (city: string, postalCode: string) =>
      formatAddressLines(sample('GB', { line1: '1 Loamshire Regt', city, postalCode })).slice(1);
    for (const city of ['BFPO', 'BFPO 57']) {
      expect(forces(city, 'BFPO 57')).to.deep.equal(['1 Loamshire Regt', 'BFPO 57']);
    }
    expect(forces('BFPO', 'BF1 2AT')).to.deep.equal(['1 Loamshire Regt', 'BFPO', 'BF1 2AT']);
    expect(forces('OPERATION KIPION', 'BFPO 639').slice(1)).to.deep.equal([
      'OPERATION KIPION',
      'BFPO 639',
    ]);
  });

  it('adds the country in English and upper case to an item from abroad, and its town in upper case', () => {
    const abroad = (country: CountryCode) =>
      formatAddressLines(sample(country), { international: true });
    expect(abroad('DE').slice(-2)).to.deep.equal(['11011 BERLIN', 'GERMANY']);
    expect(abroad('GB').slice(-3)).to.deep.equal(['LONDON', 'SW1A 2AA', 'UNITED KINGDOM']);
    expect(countryCodes.map((country) => abroad(country).at(-1))).to.deep.equal([
      'UNITED STATES',
      'FRANCE',
      'UNITED KINGDOM',
      'CANADA',
      'GERMANY',
    ]);
  });

  it('leaves out what is blank', () => {
    expect(formatAddressLines(sample('DE', { company: '', line2: ' ' }))).to.have.length(3);
    expect(formatAddressLines(sample('US', { state: undefined })).at(-1)).to.equal(
      'WASHINGTON 20500',
    );
  });
});
