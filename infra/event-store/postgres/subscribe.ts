import {
  type EventBatch,
  type RecordedEvent,
  StoreUnavailable,
} from '../../../events/event-store.ts';
import type { Position } from '../../../events/position.ts';
import { createBackoff } from '../../../ground/backoff.ts';
import { pause } from '../../../ground/pause.ts';
import type { createSameLogCheck } from '../same-log.ts';
import type { createWaker } from './waker.ts';

/** How often the database, or a connection to it, was lost: it may have come back with a backup. */
export type Link = {
  losses: number /** The losses after which the log was found to be the same. */;
  checked: number;
};

/** A connection that hears of appends. `get` opens it where it is not open. */
export type Listener = { get(): Promise<unknown>; close(): Promise<void> };

type Ports = Omit<ReturnType<typeof createWaker>, 'wake'> & {
  listener: Pick<Listener, 'get'>;
  sameLog: Pick<ReturnType<typeof createSameLogCheck>, 'keep' | 'check'>;
  readAll: (after: Position, limit: number) => Promise<RecordedEvent[]>;
  link: Link;
};

/** Follows the log from a position on, through notifications and polls. */
export const createSubscribe = ({
  listener,
  sameLog,
  readAll,
  link,
  nextWake,
  knownHead,
}: Ports) => {
  return async function* (
    after: Position,
    limit: number,
    signal: AbortSignal,
    onIncident: (error: unknown) => void,
    onIdle: () => void,
  ): AsyncGenerator<EventBatch> {
    let position = after;
    const backoff = createBackoff({ firstMs: 50, mostMs: 2_000 });
    while (!signal.aborted) {
      try {
        // A connection that could not be made may have been ended by a restore.
        listener.get().catch(() => {
          link.losses++;
        });
        const { losses } = link;
        if (losses > link.checked) {
          await sameLog.check();
          link.checked = losses;
        }
        const events = await readAll(position, limit);
        backoff.reset();
        const last = events.at(-1);
        sameLog.keep(last);
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
        link.losses++;
        onIncident(error);
        await pause(backoff.nextMs(), signal);
      }
    }
  };
};
