/** Reads streams, as many in one query as are asked for at the same time. */

import type { RecordedEvent } from '../../../events/event-store.ts';
import { createBatchLoader } from '../../../ground/batch-loader.ts';

type Asked = { stream: string; from: bigint; limit: number };
/** `n`: number of the read that the event belongs to, from 1. */
type Row = RecordedEvent & { n: bigint };

const readStreams = {
  name: 'read-streams',
  text: `
    select r.n, e.version, e.position, e.id, e.type, e.data, e.metadata
    from unnest($1::text[], $2::bigint[], $3::int[]) with ordinality as r (stream, first, count, n)
    cross join lateral (
      select * from event_log.events e
      where e.stream = r.stream and e.version >= r.first order by e.version limit r.count
    ) e
    order by r.n, e.version`,
};

/** Bounds the memory of one query: this many reads, of up to a page each. */
const maxBatch = 64;
const running = 3;

export const createStreamReader = (
  query: (text: object, values: unknown[]) => Promise<Row[]>,
): ((asked: Asked) => Promise<RecordedEvent[]>) =>
  createBatchLoader({
    maxBatch,
    running,
    async load(asked: Asked[]) {
      const rows = await query(readStreams, [
        asked.map(({ stream }) => stream),
        asked.map(({ from }) => from),
        asked.map(({ limit }) => limit),
      ]);
      const read: RecordedEvent[][] = asked.map(() => []);
      for (const { n, version, position, id, type, data, metadata } of rows) {
        const index = Number(n) - 1;
        const stream = asked[index]?.stream ?? '';
        read[index]?.push({ stream, version, position, id, type, data, metadata });
      }
      return read;
    },
  });
