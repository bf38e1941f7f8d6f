import {
  type EventBatch,
  type RecordedEvent,
  StoreUnavailable,
} from '../../../events/event-store.ts';
import type { Position } from '../../../events/position.ts';
import { createBackoff } from '../../../ground/backoff.ts';
import { pause } from '../../../ground/pause.ts';
import type { createAnchor } from '../anchor.ts';
import type { createConnection } from './connection.ts';
import type { createWaker } from './waker.ts';

type Ports = Omit<ReturnType<typeof createWaker>, 'wake'> & {
  listener: Pick<ReturnType<typeof createConnection>, 'get'>;
  anchor: ReturnType<typeof createAnchor>;
  readAll: (after: Position, limit: number) => Promise<RecordedEvent[]>;
  /** The database was away, or a connection to it: it may have come back with a backup. */
  link: { wasAway: boolean };
};

/** Follows the log from a position on, through notifications and polls. */
export const createSubscribe = ({
  listener,
  anchor,
  readAll,
  link,
  nextWake,
  knownHead,
}: Ports) => {
  return async function* (
    after: Position,
    limit: number,
    signal: AbortSignal,
    onTrouble: (error: unknown) => void,
    onIdle: () => void,
  ): AsyncGenerator<EventBatch> {
    let position = after;
    const backoff = createBackoff({ firstMs: 50, mostMs: 2_000 });
    while (!signal.aborted) {
      try {
        listener.get().catch(() => {});
        if (link.wasAway) await anchor.check();
        link.wasAway = false;
        const events = await readAll(position, limit);
        backoff.reset();
        const last = events.at(-1);
        anchor.keep(last);
        if (last) {
          position = last.position;
          yield { events, position };
        }
        // Everything known has been read. Poll anyway, in case a notification was lost.
        if (position >= knownHead() && !signal.aborted) {
          onIdle();
          await nextWake(position, signal);
        }
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error;
        link.wasAway = true;
        onTrouble(error);
        await pause(backoff.nextMs(), signal);
      }
    }
  };
};
