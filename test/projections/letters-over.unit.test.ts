import { expect } from 'chai';
import type { LetterStatus } from '../../contract/letter-status.ts';
import { overAt } from '../../projections/letters/over.ts';
import type { LetterDoc } from '../../projections/letters/query.ts';
import { sampleTerms } from '../support/letter-samples.ts';

const created = '2026-03-01T12:00:00.000Z';
const changed = '2026-03-02T12:00:00.000Z';
const ended = '2026-03-04T08:00:00.000Z';

/** The window of the sample ends on 5 March. */
const docOf = (more: Partial<LetterDoc> = {}): LetterDoc => ({
  terms: sampleTerms(),
  createdAt: created,
  updatedAt: changed,
  timeline: [
    { status: 'queued', at: created, source: 'api' },
    { status: 'posted', at: ended, source: 'partner' },
  ],
  ...more,
});

describe('when a letter is over', () => {
  for (const status of ['queued', 'processing'] as LetterStatus[]) {
    it(`is never while it is ${status}: it may still be printed`, () => {
      expect(overAt(status, docOf())).to.equal(null);
    });
  }

  for (const status of ['delivered', 'cancelled', 'failed'] as LetterStatus[]) {
    it(`is when it was ${status}, whatever is said of it later`, () => {
      expect(overAt(status, docOf({ updatedAt: '2026-05-01T00:00:00.000Z' }))).to.equal(ended);
    });
  }

  it('is when it came back, although its status stays', () => {
    expect(overAt('in_transit', docOf({ deliveryOutcome: 'returned' }))).to.equal(ended);
  });

  it('is the last change of a draft', () => {
    expect(overAt('draft', docOf())).to.equal(changed);
  });

  it('is never while a draft waits for approval', () => {
    expect(overAt('draft', docOf({ holdReason: 'approval' }))).to.equal(null);
    expect(overAt('draft', docOf({ holdReason: 'requested' }))).to.equal(changed);
  });

  for (const status of ['posted', 'in_transit'] as LetterStatus[]) {
    it(`is two weeks after its window for a ${status} letter that nobody tracks`, () => {
      expect(overAt(status, docOf())).to.equal('2026-03-20T00:00:00.000Z');
    });

    it(`is three months after its window for a ${status} letter with a tracking number`, () => {
      const over = overAt(status, docOf({ trackingNumber: 'LL 12345678 9 FR' }));
      expect(over).to.equal('2026-06-04T00:00:00.000Z');
    });
  }

  it('is two weeks after the window from its posting, if it was posted late', () => {
    const releaseAt = '2026-03-02T08:00:00.000Z';
    const late = (more: Partial<LetterDoc['timeline'][number]>): LetterDoc =>
      docOf({
        releaseAt,
        timeline: [
          { status: 'posted', at: '2026-05-04T08:00:00.000Z', source: 'partner', ...more },
        ],
      });
    const inTime = '2026-03-20T00:00:00.000Z';
    expect(overAt('posted', late({ occurred_at: releaseAt }))).to.equal(inTime);
    expect(overAt('posted', late({ inferred: true }))).to.equal(inTime);
    expect(overAt('posted', late({}))).to.equal('2026-05-22T00:00:00.000Z');
  });

  it('does not come again for a letter that was erased', () => {
    for (const status of ['draft', 'in_transit', 'delivered'] as LetterStatus[]) {
      expect(overAt(status, docOf({ erased: true }))).to.equal(null);
    }
  });
});
