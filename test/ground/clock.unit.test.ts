import { expect } from 'chai';
import { msAtOrAfter, toTimestamp } from '../../ground/clock.ts';

describe('the first millisecond at or after a time', () => {
  it('is the time itself, unless that is finer', () => {
    const cases = {
      '2026-11-20T09:30:00Z': '2026-11-20T09:30:00.000Z',
      '2026-11-20T10:30:00.5+01:00': '2026-11-20T09:30:00.500Z',
      '2026-11-20T09:30:00.123000Z': '2026-11-20T09:30:00.123Z',
      '2026-11-20T09:30:00.123001Z': '2026-11-20T09:30:00.124Z',
      '2026-11-20T09:30:59.999999999Z': '2026-11-20T09:31:00.000Z',
      '9999-12-31T23:59:59.9999Z': '9999-12-31T23:59:59.999Z',
    };
    for (const [time, first] of Object.entries(cases)) {
      expect(toTimestamp(msAtOrAfter(time)), time).to.equal(first);
    }
  });
});
