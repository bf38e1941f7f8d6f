/** When each letter was posted and delivered, for how often and how fast that succeeds. */
import type { AnyEvent } from '../../events/envelope.ts';
import { letterIdIn } from '../../events/letter.ts';
import type { Change } from '../upsert.ts';
import type { LetterDoc } from './doc.ts';
import { type JourneyRow, journeyTable, type LetterRow } from './table.ts';

type Step = LetterDoc['timeline'][number];

/** When the step happened, if the report says so; otherwise when it was recorded. */
const timeOf = (step: Step | undefined): string | undefined =>
  step && (step.occurred_at ?? step.at);

/** The first report of a step counts. Undefined before the letter is posted. */
const journeyOf = ({ letter_id, doc }: LetterRow): JourneyRow | undefined => {
  const first = (status: Step['status']): Step | undefined =>
    doc.timeline.find((step) => step.status === status);
  const posted = first('posted');
  const postedAt = timeOf(posted);
  if (!posted || postedAt === undefined) return undefined;
  const { test, intent, service, country } = doc.terms;
  return {
    letter_id,
    test,
    intent,
    service,
    country,
    posted_at: postedAt,
    counts_from: posted.inferred ? (first('processing')?.at ?? postedAt) : postedAt,
    delivered_at: timeOf(first('delivered')) ?? null,
    returned_at: timeOf(first('returned')) ?? null,
  };
};

const reports = new Set<AnyEvent['type']>(['LetterPosted', 'LetterDelivered', 'LetterReturned']);

/** @param rows letters by their ids, after the events */
export const journeyChanges = (
  rows: ReadonlyMap<string, LetterRow>,
  events: readonly AnyEvent[],
): Change[] => {
  const reported = events.filter(({ type }) => reports.has(type));
  const ids = new Set(reported.map(({ stream }) => letterIdIn(stream)));
  return journeyTable.save(
    [...ids].flatMap((id) => {
      const row = rows.get(id);
      return (row && journeyOf(row)) ?? [];
    }),
  );
};
