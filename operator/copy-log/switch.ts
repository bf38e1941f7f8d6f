/** Lets the database follow the copy of its log instead of the log that was copied. */
import type { Position } from '../../events/position.ts';
import type { Db } from '../../ground/db.ts';
import {
  forgetReadModels,
  moveCredentials,
  movePlaces,
  placesHeld,
} from '../../infra/postgres/move-places.ts';
import { Refused } from '../command.ts';
import { type Pair, type ReadLog, walkPairs } from './compare.ts';

/**
 * Finds for each place in the one log that in the other: of the last event up to there. The pairs come in
 * the order of the log.
 */
const createTranslation = (places: readonly bigint[]) => {
  const moved = new Map<bigint, Position>();
  let next = 0;
  let last: Position = 0n;
  const upTo = (position: bigint | undefined): void => {
    for (; next < places.length; next++) {
      const place = places[next] as bigint;
      if (position !== undefined && place >= position) return;
      moved.set(place, last);
    }
  };
  return {
    see({ from, to }: Pair): void {
      upTo(from.position);
      last = to.position;
    },
    finish(): ReadonlyMap<bigint, Position> {
      upTo(undefined);
      return moved;
    },
  };
};

/**
 * Compares the logs from the first event to the last, and moves every place that the database holds.
 * Read models are left to be filled anew. Returns how many events there are.
 */
export const switchLog = async (tx: Db, source: ReadLog, target: ReadLog): Promise<number> => {
  const translation = createTranslation(await placesHeld(tx));
  const { count, last } = await walkPairs(source, target, async (pairs) => {
    for (const pair of pairs) translation.see(pair);
    await moveCredentials(
      tx,
      pairs.map(({ to }) => to),
    );
  });
  if ((await source.head()) !== (last?.from.position ?? 0n)) {
    throw new Refused(
      'somebody wrote to the log in the meantime. Stop every process of the service and run this again',
    );
  }
  await movePlaces(tx, translation.finish());
  await forgetReadModels(tx);
  return count;
};
