import type { AnyEvent } from '../../events/envelope.ts';
import { isLetterStream, letterIdIn, letterStream } from '../../events/letter.ts';
import type { Projection } from '../projection.ts';
import { type AttainmentRow, attainmentTable } from './table.ts';

/**
 * A letter's row after one more event; `undefined` while it was not sent. The first report of a step counts,
 * by when it happened where the report tells.
 */
const foldWay = (row: AttainmentRow | undefined, event: AnyEvent): AttainmentRow | undefined => {
  const { at } = event.metadata;
  if (event.type === 'LetterQueued') {
    const { test, intent, service, country } = event.data.terms;
    return {
      letter_id: letterIdIn(event.stream),
      test,
      intent,
      service,
      country,
      production_at: null,
      posted_at: null,
      counts_from: null,
      delivered_at: null,
      returned_at: null,
    };
  }
  if (!row) return undefined;
  switch (event.type) {
    case 'LetterUpdated': {
      const { intent, service, country } = event.data.terms;
      return { ...row, intent, service, country };
    }
    case 'LetterProcessingStarted':
      return { ...row, production_at: row.production_at ?? at };
    case 'LetterPosted': {
      const { inferred, reportedAt = at } = event.data;
      const from = inferred ? (row.production_at ?? at) : reportedAt;
      return {
        ...row,
        posted_at: row.posted_at ?? reportedAt,
        counts_from: row.counts_from ?? from,
      };
    }
    case 'LetterDelivered':
      return { ...row, delivered_at: row.delivered_at ?? event.data.reportedAt ?? at };
    case 'LetterReturned':
      return { ...row, returned_at: row.returned_at ?? event.data.reportedAt ?? at };
    default:
      return row;
  }
};

const own = new Set<string>([
  ...['LetterQueued', 'LetterUpdated', 'LetterProcessingStarted'],
  ...['LetterPosted', 'LetterDelivered', 'LetterReturned'],
]);

/** When each letter was posted and delivered, for how often and how fast that succeeds. */
export const attainment: Projection = {
  name: 'attainment',
  version: 1,
  streams: [letterStream('')],
  tables: [attainmentTable],
  async project(source, events) {
    const mine = events.filter(({ type, stream }) => own.has(type) && isLetterStream(stream));
    if (mine.length === 0) return [];
    const news = new Set(mine.filter(({ type }) => type === 'LetterQueued').map((e) => e.stream));
    const olds = new Set(mine.map(({ stream }) => stream).filter((stream) => !news.has(stream)));
    const rows = await source.load(attainmentTable, 'letter_id', [...olds].map(letterIdIn));
    for (const event of mine) {
      const id = letterIdIn(event.stream);
      const row = foldWay(rows.get(id), event);
      if (row) rows.set(id, row);
    }
    const first = new Set(mine.filter(({ version }) => version === 0n).map(({ stream }) => stream));
    const isNew = ({ letter_id }: AttainmentRow): boolean => first.has(letterStream(letter_id));
    return [
      ...attainmentTable.add([...rows.values()].filter(isNew)),
      ...attainmentTable.save([...rows.values()].filter((row) => !isNew(row))),
    ];
  },
};
