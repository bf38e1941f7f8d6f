import { expect } from 'chai';
import fc from 'fast-check';
import { isTimeZone, windowAt } from '../../commands/policies/windows.ts';

const at = (text: string): number => Date.parse(text);
const shown = ({ since, until }: { since: number; until: number | undefined }) => ({
  since: new Date(since).toISOString(),
  until: until === undefined ? undefined : new Date(until).toISOString(),
});

const localDay = (timeZone: string, time: number): string =>
  new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }).format(time);

describe('the window of a limit', () => {
  it('is the day in the time zone of the policy', () => {
    expect(
      shown(windowAt('America/New_York', 'day', at('2026-07-02T03:59:59.999Z'))),
    ).to.deep.equal({
      since: '2026-07-01T04:00:00.000Z',
      until: '2026-07-02T04:00:00.000Z',
    });
    expect(shown(windowAt('UTC', 'day', at('2026-07-02T00:00:00.000Z')))).to.deep.equal({
      since: '2026-07-02T00:00:00.000Z',
      until: '2026-07-03T00:00:00.000Z',
    });
  });

  it('is a day of 23 or 25 hours when clocks change', () => {
    expect(shown(windowAt('Europe/Berlin', 'day', at('2026-03-29T12:00:00Z')))).to.deep.equal({
      since: '2026-03-28T23:00:00.000Z',
      until: '2026-03-29T22:00:00.000Z',
    });
    expect(shown(windowAt('Europe/Berlin', 'day', at('2026-10-25T12:00:00Z')))).to.deep.equal({
      since: '2026-10-24T22:00:00.000Z',
      until: '2026-10-25T23:00:00.000Z',
    });
  });

  it('is the month of the zone, and the hour of a zone whose hours are not those of UTC', () => {
    expect(shown(windowAt('Europe/Berlin', 'month', at('2026-03-31T22:30:00Z')))).to.deep.equal({
      since: '2026-03-31T22:00:00.000Z',
      until: '2026-04-30T22:00:00.000Z',
    });
    expect(shown(windowAt('Asia/Kolkata', 'hour', at('2026-03-31T22:15:00Z')))).to.deep.equal({
      since: '2026-03-31T21:30:00.000Z',
      until: '2026-03-31T22:30:00.000Z',
    });
  });

  it('never ends for a limit in total', () => {
    expect(windowAt('UTC', 'total', 7)).to.deep.equal({ since: 0, until: undefined });
  });

  it('holds its moment, and exactly one local day, wherever and whenever', () => {
    const zones = [
      'UTC',
      'Europe/Berlin',
      'America/New_York',
      'Asia/Beirut',
      'Australia/Lord_Howe',
    ];
    const times = fc.integer({ min: at('2024-01-01'), max: at('2035-01-01') });
    fc.assert(
      fc.property(fc.constantFrom(...zones), times, (zone, time) => {
        const { since, until = 0 } = windowAt(zone, 'day', time);
        expect(since <= time && time < until).to.equal(true);
        expect(localDay(zone, since)).to.equal(localDay(zone, time));
        expect(localDay(zone, until - 1)).to.equal(localDay(zone, time));
        expect(localDay(zone, since - 1)).not.to.equal(localDay(zone, time));
        expect(localDay(zone, until)).not.to.equal(localDay(zone, time));
      }),
      { numRuns: 200, seed: 20_261_123 },
    );
  });

  it('knows names of time zones, and nothing else', () => {
    expect(['Europe/Berlin', 'UTC'].map(isTimeZone)).to.deep.equal([true, true]);
    expect(['Berlin', '+02:00', 'Mars/Olympus', ''].map(isTimeZone)).to.deep.equal([
      ...[false, false, false, false],
    ]);
  });
});
