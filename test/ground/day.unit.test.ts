import { expect } from 'chai';
import fc from 'fast-check';
import { addDays, dayMs, dayOf, isDay } from '../../ground/day.ts';

describe('days of the calendar', () => {
  const somewhen = fc.date({
    min: new Date('1970-01-01'),
    max: new Date('9999-11-01'),
    noInvalidDate: true,
  });

  it('are those that exist', () => {
    for (const day of ['1970-01-01', '2024-02-29', '2026-12-31', '9999-12-31']) {
      expect(isDay(day), day).to.equal(true);
    }
    for (const text of [
      '',
      '2026-02-29',
      '2026-02-30',
      '2026-13-01',
      '2026-00-10',
      '2026-1-1',
      '2026-11-29T00:00:00Z',
      ' 2026-11-29',
      '+012026-11-29',
    ]) {
      expect(isDay(text), text).to.equal(false);
    }
  });

  it('follow each other over months, leap days and years', () => {
    expect(addDays('2026-12-31', 1)).to.equal('2027-01-01');
    expect(addDays('2028-03-01', -1)).to.equal('2028-02-29');
    expect(addDays('2026-03-28', 2)).to.equal('2026-03-30');
    fc.assert(
      fc.property(somewhen, fc.integer({ min: -20, max: 20 }), (date, count) => {
        const day = dayOf(date.getTime() + 20 * dayMs);
        const other = addDays(day, count);
        expect(isDay(day) && isDay(other)).to.equal(true);
        expect((Date.parse(other) - Date.parse(day)) / dayMs).to.equal(count);
        expect(addDays(other, -count)).to.equal(day);
      }),
    );
  });
});
