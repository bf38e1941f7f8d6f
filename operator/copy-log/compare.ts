/** Walks two logs side by side: events by their ids, bytes, streams and versions, in one order. */
import type { EventStore, RecordedEvent } from '../../events/event-store.ts';
import type { Position } from '../../events/position.ts';
import { Refused } from '../command.ts';

export type Pair = { from: RecordedEvent; to: RecordedEvent };

const pageLimit = 1_000;

export type ReadLog = Pick<EventStore, 'readAll' | 'head'>;

/** Events of a log, one after the other, up to a position. */
async function* eventsOf(store: ReadLog, upTo: Position): AsyncGenerator<RecordedEvent[]> {
  let after: Position = 0n;
  let next = store.readAll({ after, limit: pageLimit });
  next.catch(() => {});
  for (;;) {
    const page = (await next).filter(({ position }) => position <= upTo);
    const last = page.at(-1);
    if (!last) return;
    after = last.position;
    next = store.readAll({ after, limit: pageLimit });
    next.catch(() => {});
    yield page;
  }
}

const fields = ['id', 'stream', 'version', 'type', 'data', 'metadata'] as const;

const assertSame = ({ from, to }: Pair): void => {
  const differing = fields.find((field) => from[field] !== to[field]);
  if (differing === undefined) return;
  throw new Refused(
    `the logs differ in ${differing}: ${from.type} (${from.stream}, version ${from.version}) ` +
      `at position ${from.position} of the one, ${to.type} (${to.stream}, version ${to.version}) ` +
      `at position ${to.position} of the other. The target log must be empty or contain the ` +
      'beginning of the source log',
  );
};

/**
 * Calls back with the pairs of both logs, page by page, as far as the second reaches. Returns how many there
 * are, and the additional events of the first.
 * @throws Refused where they differ, or the second has more events
 */
export const walkPairs = async (
  source: ReadLog,
  target: ReadLog,
  onPairs: (pairs: Pair[]) => Promise<void> = async () => {},
): Promise<{ count: number; last: Pair | undefined }> => {
  const upTo = await target.head();
  const sourcePages = eventsOf(source, await source.head());
  let waiting: RecordedEvent[] = [];
  let count = 0;
  let last: Pair | undefined;
  for await (const page of eventsOf(target, upTo)) {
    while (waiting.length < page.length) {
      const more = await sourcePages.next();
      if (more.done) {
        const alone = page[waiting.length];
        throw new Refused(
          `the target log continues alone with ${alone?.type} (${alone?.stream}) at position ` +
            `${alone?.position}: it is not a copy`,
        );
      }
      waiting = [...waiting, ...more.value];
    }
    const pairs = page.map((to, n) => ({ from: waiting[n] as RecordedEvent, to }));
    for (const pair of pairs) assertSame(pair);
    waiting = waiting.slice(page.length);
    count += pairs.length;
    last = pairs.at(-1) ?? last;
    await onPairs(pairs);
  }
  return { count, last };
};
