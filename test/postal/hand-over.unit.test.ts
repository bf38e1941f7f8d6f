import { expect } from 'chai';
import fc from 'fast-check';
import { handoverDate } from '../../postal/delivery-window.ts';
import {
  firstSendDate,
  handOverTime,
  sendTime,
  usualHandOverHours,
} from '../../postal/hand-over.ts';
import { type CountryCode, countryCodes } from '../../postal/types.ts';
import { isBusinessDay } from '../support/business-days.ts';

const at = (iso: string): number => Date.parse(iso);
const handOver = (country: CountryCode, iso: string): string =>
  new Date(handOverTime(country, at(iso), usualHandOverHours)).toISOString();

describe('hand-over to the print house', () => {
  const cases: [string, CountryCode, string, string][] = [
    ['at once on a business day', 'GB', '2026-11-18T09:00:00.000Z', '2026-11-18T09:00:00.000Z'],
    ['up to 17:30', 'GB', '2026-11-18T17:29:59.999Z', '2026-11-18T17:29:59.999Z'],
    ['after 17:30 tomorrow', 'GB', '2026-11-18T17:30:00.000Z', '2026-11-19T00:00:00.000Z'],
    ['by summer time', 'GB', '2026-07-01T16:29:00.000Z', '2026-07-01T16:29:00.000Z'],
    ['by summer time, late', 'GB', '2026-07-01T16:30:00.000Z', '2026-07-01T23:00:00.000Z'],
    ['over a weekend', 'FR', '2026-11-20T17:00:00.000Z', '2026-11-22T23:00:00.000Z'],
    ['on a Sunday', 'DE', '2026-11-22T10:00:00.000Z', '2026-11-22T23:00:00.000Z'],
    ['on a Saturday', 'US', '2026-11-21T15:00:00.000Z', '2026-11-23T05:00:00.000Z'],
    ['on a holiday', 'US', '2026-11-26T15:00:00.000Z', '2026-11-27T05:00:00.000Z'],
    ['over Christmas', 'GB', '2026-12-24T18:00:00.000Z', '2026-12-29T00:00:00.000Z'],
    ['over the year', 'CA', '2026-12-31T23:00:00.000Z', '2027-01-04T05:00:00.000Z'],
    [
      'where it is still the day before',
      'US',
      '2026-11-17T03:00:00.000Z',
      '2026-11-17T05:00:00.000Z',
    ],
    [
      'where it is the next day already',
      'DE',
      '2026-11-18T23:30:00.000Z',
      '2026-11-18T23:30:00.000Z',
    ],
    // Clocks go forward on Sunday, 29 March 2026 in Europe, 8 March in America
    [
      'over the change to summer time',
      'FR',
      '2026-03-27T18:00:00.000Z',
      '2026-03-29T22:00:00.000Z',
    ],
    ['over the American change', 'US', '2026-03-07T12:00:00.000Z', '2026-03-09T04:00:00.000Z'],
    // and back on 25 October and 1 November
    [
      'over the change to winter time',
      'DE',
      '2026-10-23T16:00:00.000Z',
      '2026-10-25T23:00:00.000Z',
    ],
    ['over the Canadian change back', 'CA', '2026-10-30T23:00:00.000Z', '2026-11-02T05:00:00.000Z'],
  ];
  for (const [when, country, from, expected] of cases) {
    it(`is ${when} (${country}, ${from})`, () => {
      expect(handOver(country, from)).to.equal(expected);
    });
  }

  const anyTime = fc.integer({ min: at('2026-01-01T00:00:00Z'), max: at('2028-01-01T00:00:00Z') });
  const localDay = (country: CountryCode, ms: number): string => {
    const zones = {
      US: 'America/New_York',
      FR: 'Europe/Paris',
      GB: 'Europe/London',
      CA: 'America/Toronto',
      DE: 'Europe/Berlin',
    };
    return new Date(ms).toLocaleDateString('sv-SE', { timeZone: zones[country] });
  };

  it('is never early, always on a business day, and where it waits at its first moment', () => {
    fc.assert(
      fc.property(fc.constantFrom(...countryCodes), anyTime, (country, from) => {
        const time = handOverTime(country, from, usualHandOverHours);
        expect(time).to.be.at.least(from);
        expect(isBusinessDay(country, localDay(country, time))).to.equal(true);
        expect(handOverTime(country, time, usualHandOverHours)).to.equal(time);
        if (time > from) {
          expect(localDay(country, time - 1)).not.to.equal(localDay(country, time));
          const moment = handOverTime(country, time - 1, usualHandOverHours);
          expect(moment).to.equal(time);
        }
      }),
      { numRuns: 400 },
    );
  });

  it('does not change the day on which the operator gets the letter', () => {
    fc.assert(
      fc.property(fc.constantFrom(...countryCodes), anyTime, (country, from) => {
        const time = handOverTime(country, from, usualHandOverHours);
        expect(handoverDate(country, time)).to.equal(handoverDate(country, from));
      }),
      { numRuns: 400 },
    );
  });

  it('refuses a time that is none', () => {
    expect(() => handOverTime('FR', Number.NaN, usualHandOverHours)).to.throw(RangeError);
  });
});

describe('a send date', () => {
  it('begins when it has come in the country and in UTC', () => {
    expect(new Date(sendTime('DE', '2026-12-01')).toISOString()).to.equal(
      '2026-12-01T00:00:00.000Z',
    );
    expect(new Date(sendTime('US', '2026-12-01')).toISOString()).to.equal(
      '2026-12-01T05:00:00.000Z',
    );
    expect(new Date(sendTime('CA', '2026-07-02')).toISOString()).to.equal(
      '2026-07-02T04:00:00.000Z',
    );
  });

  it('can be the day that has come in the country and in UTC', () => {
    const days = [
      ['US', '2026-10-29T01:00:00Z', '2026-10-28'],
      ['US', '2026-10-29T05:00:00Z', '2026-10-29'],
      ['CA', '2026-07-02T03:59:59Z', '2026-07-01'],
      ['GB', '2026-07-01T23:30:00Z', '2026-07-01'],
      ['DE', '2026-07-01T23:30:00Z', '2026-07-01'],
      ['DE', '2026-07-02T00:00:00Z', '2026-07-02'],
    ] as const;
    for (const [country, at, day] of days) {
      expect(firstSendDate(country, Date.parse(at)), `${country} ${at}`).to.equal(day);
      expect(sendTime(country, day)).to.be.at.most(Date.parse(at));
    }
  });

  it('refuses a day that is none', () => {
    expect(() => sendTime('US', '2026-13-01')).to.throw(RangeError);
  });
});
