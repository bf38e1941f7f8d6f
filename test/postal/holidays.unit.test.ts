import { expect } from 'chai';
import Holidays from 'date-holidays';
import fc from 'fast-check';
import { addBusinessDays, easterSunday, isoOf } from '../../postal/holidays.ts';
import { type CountryCode, countryCodes } from '../../postal/types.ts';
import { holidaysOf, isBusinessDay } from '../support/business-days.ts';

const years = [2024, 2025, 2026, 2027, 2028, 2029, 2030];

const weekday = (isoDate: string): number => new Date(`${isoDate}T00:00:00Z`).getUTCDay();
const isWeekend = (isoDate: string): boolean => weekday(isoDate) % 6 === 0;

/** All days of the oracle, weekends included. England stands for the whole of GB, as in our rules. */
function oracleDays(
  country: CountryCode,
  year: number,
  accept: (day: { name: string; type: string }) => boolean,
): string[] {
  // The Northwest Territories keep every federal holiday of Canada; the nationwide list lacks most.
  const regions: Partial<Record<CountryCode, string>> = { GB: 'ENG', CA: 'NT' };
  const region = regions[country];
  const oracle = region === undefined ? new Holidays(country) : new Holidays(country, region);
  const days = oracle.getHolidays(year).filter(accept);
  return [...new Set(days.map((day) => day.date.slice(0, 10)))].sort();
}

const isPublic = (day: { type: string }): boolean => day.type === 'public';

describe('public holidays', () => {
  for (const country of ['FR', 'GB', 'DE'] as const) {
    it(`of ${country} are those of the oracle`, () => {
      for (const year of years) {
        const expected = oracleDays(country, year, isPublic).filter((day) => !isWeekend(day));
        expect(holidaysOf(country, year)).to.deep.equal(expected);
      }
    });
  }

  it('of US are those of the oracle, without the Fridays on which only other offices are closed', () => {
    // The oracle has no substitute for Veterans Day; 5 U.S.C. 6103 moves it off a Sunday as any other.
    const moved: Record<number, string[]> = { 2029: ['2029-11-12'] };
    const fridays = ['2026-07-03', '2027-06-18', '2027-12-24', '2027-12-31'];
    for (const year of years) {
      const days = oracleDays('US', year, isPublic).filter((day) => !isWeekend(day));
      const expected = days.filter((day) => !fridays.includes(day));
      expect(holidaysOf('US', year)).to.deep.equal([...expected, ...(moved[year] ?? [])].sort());
    }
  });

  it('of US that fall on a Saturday leave the Friday a working day of the post', () => {
    for (const friday of ['2020-07-03', '2021-12-24', '2021-12-31', '2023-11-10', '2026-07-03']) {
      expect(isBusinessDay('US', friday), friday).to.equal(true);
    }
    for (const monday of ['2016-12-26', '2017-01-02']) {
      expect(isBusinessDay('US', monday), monday).to.equal(false);
    }
  });

  it('of CA are the federal ones, and a day of the weekend is made up for on the next working day', () => {
    // The oracle counts Truth and Reconciliation an observance although federal employers (the post
    // among them) keep it, has a day of the territory alone, and knows no substitute days.
    const territorial = ['National Indigenous Peoples Day'];
    const isFederal = ({ name, type }: { name: string; type: string }) =>
      (type === 'public' && !territorial.includes(name)) ||
      name === 'National Day for Truth and Reconciliation';
    for (const year of years) {
      const federal = oracleDays('CA', year, isFederal);
      const ours = holidaysOf('CA', year);
      expect(ours).to.include.members(federal.filter((day) => !isWeekend(day)));
      const substitutes = ours.filter((day) => !federal.includes(day));
      expect(substitutes).to.have.length(federal.filter(isWeekend).length);
      for (const day of substitutes) expect(weekday(day), day).to.be.oneOf([1, 2]);
    }
    expect(holidaysOf('CA', 2027)).to.include.members(['2027-12-27', '2027-12-28']);
  });

  it('of CA are those of the schedule of Canada Post, apart from days of single provinces', () => {
    const early = {
      2025: ['01-01', '04-18', '04-21', '05-19'],
      2026: ['01-01', '04-03', '04-06', '05-18'],
    };
    const late = {
      2025: ['07-01', '08-04', '09-01', '09-30', '10-13', '11-11', '12-25', '12-26'],
      2026: ['07-01', '08-03', '09-07', '09-30', '10-12', '11-11', '12-25', '12-28'],
    };
    for (const year of [2025, 2026] as const) {
      const days = [...early[year], ...late[year]].map((day) => `${year}-${day}`);
      expect(holidaysOf('CA', year)).to.deep.equal(days);
    }
  });

  it('move on in GB when Christmas or Boxing Day fall on a weekend', () => {
    expect(holidaysOf('GB', 2021).slice(-2)).to.deep.equal(['2021-12-27', '2021-12-28']);
    expect(holidaysOf('GB', 2022).slice(-2)).to.deep.equal(['2022-12-26', '2022-12-27']);
    expect(holidaysOf('GB', 2020).slice(-2)).to.deep.equal(['2020-12-25', '2020-12-28']);
  });

  it('know Easter Sunday, the earliest and the latest included', () => {
    const known = [
      '1818-03-22',
      '1943-04-25',
      '2000-04-23',
      '2024-03-31',
      '2026-04-05',
      '2038-04-25',
    ];
    for (const day of known) expect(isoOf(easterSunday(Number(day.slice(0, 4))))).to.equal(day);
  });
});

describe('addBusinessDays', () => {
  it('skips weekends and holidays', () => {
    expect(addBusinessDays('DE', '2026-12-23', 1)).to.equal('2026-12-24');
    expect(addBusinessDays('DE', '2026-12-23', 2)).to.equal('2026-12-28');
    expect(addBusinessDays('GB', '2026-12-24', 1)).to.equal('2026-12-29');
    expect(addBusinessDays('FR', '2026-11-20', 1)).to.equal('2026-11-23');
  });

  it('goes to the first business day for n = 0', () => {
    expect(addBusinessDays('FR', '2026-11-20', 0)).to.equal('2026-11-20');
    expect(addBusinessDays('FR', '2026-11-21', 0)).to.equal('2026-11-23');
  });

  it('passes exactly n business days', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...countryCodes),
        fc.integer({ min: 19_000, max: 24_000 }),
        fc.integer({ min: 1, max: 30 }),
        (country, day, n) => {
          const end = addBusinessDays(country, isoOf(day), n);
          let passed = 0;
          for (let one = day + 1; isoOf(one) <= end; one += 1) {
            if (isBusinessDay(country, isoOf(one))) passed += 1;
          }
          expect(passed).to.equal(n);
          expect(isBusinessDay(country, end)).to.equal(true);
        },
      ),
    );
  });

  it('refuses what is no date or no count', () => {
    expect(() => addBusinessDays('FR', '2026-13-01', 1)).to.throw(RangeError);
    expect(() => addBusinessDays('FR', 'tomorrow', 1)).to.throw(RangeError);
    expect(() => addBusinessDays('FR', '2026-11-20', -1)).to.throw(RangeError);
    expect(() => addBusinessDays('FR', '2026-11-20', 0.5)).to.throw(RangeError);
  });
});
