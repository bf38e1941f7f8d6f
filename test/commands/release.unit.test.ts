import { expect } from 'chai';
import { createRelease, stillAhead, type Unreleased } from '../../commands/preparation/release.ts';
import { toTimestamp } from '../../ground/clock.ts';
import { handOverTime, usualHandOverHours } from '../../postal/hand-over.ts';

const dayMs = 86_400_000;
/** A Friday, 20:00 in Berlin: after the hours of the print house. */
const now = Date.parse('2026-11-20T19:00:00.000Z');
const release = createRelease({
  clock: () => now,
  cancellationWindowMs: 300_000,
  handOverAt: (country, from) => handOverTime(country, from, usualHandOverHours),
});
const of = (letter: Partial<Unreleased>): string =>
  toTimestamp(
    release.expectedRelease({
      status: 'draft',
      country: 'DE',
      test: false,
      sendDate: undefined,
      releaseAt: undefined,
      ...letter,
    }),
  ).slice(0, 10);

describe('when production of a letter is expected to begin', () => {
  it('of a draft, when it would begin if it were sent now', () => {
    expect(of({})).to.equal('2026-11-22');
    expect(of({ test: true })).to.equal('2026-11-20');
    expect(of({ test: true, sendDate: '2026-12-24' })).to.equal('2026-12-24');
    expect(of({ test: true, sendDate: '2026-11-01' })).to.equal('2026-11-20');
  });

  it('of a draft for today, when it would begin if it were sent now, also in the evening', () => {
    const evening = Date.parse('2026-10-29T01:00:00.000Z');
    const draft = { sendDate: '2026-10-28', country: 'US' } as const;
    expect(stillAhead(draft, evening)).to.equal('2026-10-28');
    expect(stillAhead({ ...draft, country: 'GB' }, evening)).to.equal(undefined);
  });

  it('of a queued letter, when it is due, or now where that has passed', () => {
    const queued = { status: 'queued', test: true } as const;
    expect(of({ ...queued, releaseAt: toTimestamp(now + 9 * dayMs) })).to.equal('2026-11-29');
    expect(of({ ...queued, releaseAt: toTimestamp(now - 9 * dayMs) })).to.equal('2026-11-20');
    const waiting = { ...queued, test: false, releaseAt: toTimestamp(now - dayMs) };
    expect(of(waiting)).to.equal('2026-11-22');
  });

  it('of one that was cancelled, when it would have begun', () => {
    const releaseAt = toTimestamp(now - 9 * dayMs);
    expect(of({ status: 'cancelled', releaseAt })).to.equal('2026-11-11');
  });
});
