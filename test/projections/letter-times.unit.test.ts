import { expect } from 'chai';
import type { LetterEvent } from '../../events/letter.ts';
import { foldLetter } from '../../projections/letters/project.ts';
import type { LetterRow } from '../../projections/letters/table.ts';
import { queued, samplePersonal, sampleTerms } from '../support/letter-samples.ts';

const before = '2026-03-01T12:05:00.000Z';
const after = '2026-03-02T05:00:00.000Z';

const rowAfter = (...events: LetterEvent[]): LetterRow => {
  let row: LetterRow | undefined;
  for (const [version, event] of events.entries()) {
    row = foldLetter(row, {
      ...event,
      id: `event-${version}`,
      stream: 'letter-1',
      version: BigInt(version),
      position: BigInt(version + 1),
      metadata: { at: before, sealed: 'sealed' },
    } as unknown as Parameters<typeof foldLetter>[1]);
  }
  if (!row) throw new Error('no row');
  return row;
};

const updated = (times: { cancellableUntil?: string; releaseAt?: string }): LetterEvent => ({
  type: 'LetterUpdated',
  data: { terms: sampleTerms(), changed: ['to'], ...times },
  personal: samplePersonal(),
});

describe('the release time of a letter in lists', () => {
  const timesOf = ({ release_at, doc: { releaseAt, cancellableUntil } }: LetterRow) => [
    release_at,
    releaseAt,
    cancellableUntil,
  ];

  it('is that of the last change that names one', () => {
    const moved = updated({ cancellableUntil: after, releaseAt: after });
    expect(timesOf(rowAfter(queued(), moved))).to.deep.equal([after, after, after]);
    expect(timesOf(rowAfter(queued(), moved, updated({})))).to.deep.equal([after, after, after]);
  });

  it('stays where a change names none, as changes of earlier versions do', () => {
    expect(timesOf(rowAfter(queued(), updated({})))).to.deep.equal([before, before, before]);
  });
});
