import { expect } from 'chai';
import fc from 'fast-check';
import { countries } from '../../postal/countries.ts';
import { expectedDelivery, handoverDate, windowFrom } from '../../postal/delivery-window.ts';
import { addBusinessDays } from '../../postal/holidays.ts';
import { services } from '../../postal/services.ts';
import { type CountryCode, type ServiceId, serviceIds } from '../../postal/types.ts';
import { isBusinessDay } from '../support/business-days.ts';

const at = (iso: string): number => Date.parse(iso);

describe('handoverDate', () => {
  it('is the same business day before 16:00 local time, in summer and in winter', () => {
    expect(handoverDate('FR', at('2026-07-01T13:59:59.999Z'))).to.equal('2026-07-01');
    expect(handoverDate('FR', at('2026-07-01T14:00:00Z'))).to.equal('2026-07-02');
    expect(handoverDate('FR', at('2026-11-18T14:59:59Z'))).to.equal('2026-11-18');
    expect(handoverDate('FR', at('2026-11-18T15:00:00Z'))).to.equal('2026-11-19');
    expect(handoverDate('GB', at('2026-07-01T14:59:59Z'))).to.equal('2026-07-01');
    expect(handoverDate('GB', at('2026-07-01T15:00:00Z'))).to.equal('2026-07-02');
  });

  it('goes by the day of the country, not that of UTC', () => {
    // 22:30 on Thursday in New York is past the cut-off; 23:30 UTC on Thursday is Friday in Berlin.
    expect(handoverDate('US', at('2026-11-20T03:30:00Z'))).to.equal('2026-11-20');
    expect(handoverDate('DE', at('2026-11-19T23:30:00Z'))).to.equal('2026-11-20');
    expect(handoverDate('US', at('2026-11-20T04:30:00Z'))).to.equal('2026-11-20');
  });

  it('waits for the first business day over weekends and holidays', () => {
    expect(handoverDate('US', at('2026-11-25T22:00:00Z'))).to.equal('2026-11-27');
    expect(handoverDate('FR', at('2026-11-20T18:00:00Z'))).to.equal('2026-11-23');
    expect(handoverDate('GB', at('2026-12-25T09:00:00Z'))).to.equal('2026-12-29');
  });

  it('agrees with the calendar of the zone at any minute', () => {
    const zones: [CountryCode, string][] = [
      ['US', 'America/New_York'],
      ['FR', 'Europe/Paris'],
      ['GB', 'Europe/London'],
      ['CA', 'America/Toronto'],
      ['DE', 'Europe/Berlin'],
    ];
    const localOf = new Map(
      zones.map(([country, timeZone]) => [
        country,
        new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' }),
      ]),
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.integer({
          min: at('2026-01-01T00:00:00Z') / 6e4,
          max: at('2028-01-01T00:00:00Z') / 6e4,
        }),
        ([country], minute) => {
          const [day = '', time = ''] =
            localOf
              .get(country)
              ?.format(minute * 6e4)
              .split(' ') ?? [];
          const inTime = time < '16:00' && isBusinessDay(country, day);
          const expected = inTime ? day : addBusinessDays(country, day, 1);
          expect(handoverDate(country, minute * 6e4)).to.equal(expected);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('refuses a time that is none', () => {
    expect(() => handoverDate('FR', Number.NaN)).to.throw(RangeError);
  });
});

describe('expectedDelivery', () => {
  const to = undefined;

  const daysTo = (service: ServiceId, postalCode: string): string[] => {
    const releaseAt = at('2026-06-01T12:00:00Z');
    const { earliest, latest } = expectedDelivery({ service, releaseAt, to: { postalCode } });
    return [earliest, latest];
  };

  it('is later overseas, in remote places and with the forces than on the mainland', () => {
    for (const [service, near, ...far] of [
      ['us_first_class', '62701', '09012', '34002', '96201-1234', '00901', '96910', '99501'],
      ['us_priority', '10118-1234', '96799', '00802', '96813', '96960'],
      ['fr_lettre_verte', '75008', '97110', '97400', '97500', '98800', '98600', '00200'],
      ['gb_first_class', 'SW1A 1AA', 'GY1 1AA', 'IM1 1AA', 'JE2 3AB', 'BFPO 57', 'IV1 1AA'],
      ['gb_special_delivery', 'EH1 1AA', 'ZE1 0AA', 'HS1 2AA', 'KW15 1AA', 'PA75 6AA', 'TR21 0AA'],
      [
        'ca_lettermail',
        'H2X 1Y4',
        'X0A 0H0',
        'Y1A 1A1',
        'X1A 2B3',
        'J0M 1G0',
        'A0P 1S0',
        'R0B 0A0',
      ],
    ] as const) {
      const [earliest = '', latest = ''] = daysTo(service, near);
      for (const code of far) {
        const [first = '', last = ''] = daysTo(service, code);
        expect(first >= earliest && last > latest, `${code}: ${first} to ${last}`).to.equal(true);
      }
    }
  });

  it('is the same everywhere on the mainland', () => {
    for (const [service, near, ...others] of [
      ['us_first_class', '62701', '10118', '99201', '98101'],
      ['fr_lettre_verte', '75008', '20000', '98000', '13001'],
      ['gb_first_class', 'SW1A 1AA', 'PA1 1AA', 'PH1 1AA', 'TR1 1AA', 'BT1 1AA', 'G1 1AA'],
      ['ca_lettermail', 'H2X 1Y4', 'A1A 1A1', 'V5K 0A1', 'T2P 1J9'],
      ['de_standardbrief', '10969', '27498', '00901'],
    ] as const) {
      for (const code of others)
        expect(daysTo(service, code), code).to.deep.equal(daysTo(service, near));
    }
  });

  it('counts the further days in business days', () => {
    // Hand-over on Monday; Memorial Day was the week before, Juneteenth is on the 19th.
    expect(daysTo('us_first_class', '09012')).to.deep.equal(['2026-06-05', '2026-06-30']);
    expect(daysTo('fr_lettre_verte', '97400')).to.deep.equal(['2026-06-05', '2026-06-11']);
  });

  it('counts business days from hand-over', () => {
    const releaseAt = at('2026-11-20T12:00:00Z');
    expect(expectedDelivery({ service: 'gb_special_delivery', releaseAt, to })).to.deep.equal({
      earliest: '2026-11-23',
      latest: '2026-11-23',
    });
    expect(expectedDelivery({ service: 'us_first_class', releaseAt, to })).to.deep.equal({
      earliest: '2026-11-23',
      latest: '2026-11-30',
    });
  });

  it('is a window of business days after hand-over, for every service', () => {
    const soon = { min: at('2026-01-01T00:00:00Z'), max: at('2028-01-01T00:00:00Z') };
    fc.assert(
      fc.property(fc.constantFrom(...serviceIds), fc.integer(soon), (service, releaseAt) => {
        const { country } = services[service];
        const { earliest, latest } = expectedDelivery({ service, releaseAt, to });
        expect(handoverDate(country, releaseAt) < earliest && earliest <= latest).to.equal(true);
        expect(isBusinessDay(country, earliest) && isBusinessDay(country, latest)).to.equal(true);
      }),
    );
  });
});

describe('windowFrom', () => {
  const windowOf = (service: ServiceId, releaseAt: number, postalCode = '') =>
    expectedDelivery({ service, releaseAt, to: { postalCode } });

  it('is that of the day of posting if that was later than planned, and otherwise stays', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...serviceIds),
        fc.integer({ min: at('2026-01-01T00:00:00Z'), max: at('2026-12-31T00:00:00Z') }),
        fc.integer({ min: -3, max: 90 }),
        fc.constantFrom('', '97400', '99501'),
        (service, released, days, postalCode) => {
          const posted = released + days * 86_400_000;
          const { country } = services[service];
          const moved = windowFrom({
            country,
            expected: windowOf(service, released, postalCode),
            releaseAt: new Date(released).toISOString(),
            postedAt: new Date(posted).toISOString(),
          });
          const { timeZone } = countries[country];
          const day = new Date(posted).toLocaleDateString('sv-SE', { timeZone });
          const noon = at(`${day}T12:00:00Z`);
          const isLate = handoverDate(country, noon) > handoverDate(country, released);
          const from = isLate ? noon : released;
          expect(moved).to.deep.equal(windowOf(service, from, postalCode));
        },
      ),
    );
  });

  it('stays for a letter that is posted in the evening of the planned day', () => {
    const releaseAt = '2026-03-02T08:00:00.000Z';
    const expected = windowOf('fr_lettre_verte', at(releaseAt));
    const postedAt = '2026-03-02T18:30:00.000Z';
    expect(windowFrom({ country: 'FR', expected, releaseAt, postedAt })).to.deep.equal(expected);
  });

  it('stays while the letter is not known to be posted', () => {
    const expected = { earliest: '2026-03-03', latest: '2026-03-05' };
    const releaseAt = '2026-03-02T08:00:00.000Z';
    const of = { country: 'FR' as const, expected };
    expect(windowFrom({ ...of, releaseAt, postedAt: undefined })).to.equal(expected);
    expect(windowFrom({ ...of, releaseAt: undefined, postedAt: releaseAt })).to.equal(expected);
  });
});
