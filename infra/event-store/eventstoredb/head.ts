import type { Position } from '../../../events/position.ts';
import { singleFlight } from '../../../ground/single-flight.ts';
import { newestFirst, type Reads } from './reads.ts';
import { isOurs, usablePosition } from './recorded.ts';

/** The result of a search. Nothing between `head` and `record`, a record by any writer, is ours. */
type Searched = { head: Position; record: { position: Position; id: string } };

/**
 * Searches backwards for the last event of ours. A server writes a record of its own every few seconds, so that after
 * an idle week they are tens of thousands: a search ends at the newest record of the one before. Where that
 * record is missing, because the server has another log or a shorter one, the search goes on.
 */
async function search(reads: Reads, before: Searched | undefined): Promise<Searched | undefined> {
  let record: Searched['record'] | undefined;
  for await (const { event } of newestFirst(reads)) {
    const position = usablePosition(event?.position);
    if (event === undefined || position === undefined) continue;
    record ??= { position, id: event.id };
    const isKnown = position === before?.record.position && event.id === before.record.id;
    if (isKnown) return { head: before.head, record };
    if (isOurs(event)) return { head: position, record };
  }
  return record && { head: 0n, record };
}

/** Reads the position of the last event of ours, `0n` without one. */
export const createHeadReader = (reads: Reads): (() => Promise<Position>) => {
  let searched: Searched | undefined;
  const find = async (): Promise<Position> => {
    const found = await search(reads, searched);
    searched = found;
    return found?.head ?? 0n;
  };
  const findFirst = singleFlight(find);
  return async () => {
    // The first search may be long. Callers that come meanwhile wait for it and search what was written since.
    if (searched === undefined) await findFirst();
    return find();
  };
};
