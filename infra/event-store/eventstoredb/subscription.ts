import { setTimeout as sleep } from 'node:timers/promises';
import type { AllStreamSubscription, EventStoreDBClient } from '@eventstore/db-client';
import { streamNameFilter } from '@eventstore/db-client';
import {
  type EventBatch,
  InvalidPosition,
  OtherLog,
  type RecordedEvent,
  StoreUnavailable,
} from '../../../events/event-store.ts';
import { asPosition, type Position } from '../../../events/position.ts';
import type { RetryOptions } from './calls.ts';
import { deniedReason, freshTurn, retryPauseMs } from './calls.ts';
import { isInvalidPosition, positionAt } from './reads.ts';
import { recordedEvent } from './recorded.ts';

/** In windows of 32 events, the server's default: a checkpoint every 256 events. */
const checkpointInterval = 8;

type Options = {
  client: EventStoreDBClient;
  retry: RetryOptions;
  caller: string | undefined;
  /** A subscription that is not confirmed within this time is made again. */
  timeoutMs: number;
  onIncident: (error: unknown) => void;
  /** Called whenever the server has confirmed a subscription. */
  onConfirmed: () => void;
  after: Position;
  limit: number;
  stop: AbortSignal;
  /** Called before it subscribes again. */
  check: () => Promise<void>;
};

/**
 * Subscribes again from its own position whenever the server's subscription fails or ends, also
 * when it ends without an error. Ends only when `stop` aborts.
 * @throws InvalidPosition where no record begins at `after`; OtherLog, if `check` does
 */
export async function* subscription(options: Options): AsyncGenerator<EventBatch, void> {
  const { retry, onIncident, stop } = options;
  let position = options.after;
  for (let failures = 0; !stop.aborted; ) {
    let reason: unknown = new Error('the subscription was ended by the server');
    try {
      if (failures > 0) await options.check();
      for await (const batch of connected(options, position)) {
        position = batch.position;
        failures = 0;
        yield batch;
      }
    } catch (error) {
      if (error instanceof OtherLog) throw error;
      if (position === options.after && isInvalidPosition(error)) {
        throw new InvalidPosition(position);
      }
      const denied = deniedReason(error, options.caller);
      reason =
        denied === undefined
          ? error
          : new StoreUnavailable(`reading the log is refused: ${denied}`, error);
    }
    if (stop.aborted) return;
    failures += 1;
    onIncident(reason);
    await sleep(retryPauseMs(failures, retry), undefined, { signal: stop }).catch(() => {});
  }
}

/** Batches of one subscription, until it ends or `stop` aborts. @throws what ended it */
async function* connected(options: Options, after: Position): AsyncGenerator<EventBatch, void> {
  const { limit, stop } = options;
  await freshTurn(stop);
  const source = open(options, after);
  stop.addEventListener('abort', source.wake);
  let position: Position = after;
  try {
    while (!stop.aborted) {
      await source.news();
      // Once more through the event loop: what arrived together becomes one batch.
      await freshTurn(stop);
      while (!stop.aborted) {
        const { events, drained } = take(source.stream, limit, position);
        // A checkpoint counts only once every event before it was taken.
        const reached: Position = drained ? source.checkpoint() : 0n;
        const last = events.at(-1)?.position ?? position;
        const next = reached > last ? reached : last;
        if (next === position) break;
        position = next;
        yield { events, position };
      }
      if (source.failure() !== undefined) throw source.failure();
      if (source.ended()) return;
    }
  } finally {
    source.close();
    stop.removeEventListener('abort', source.wake);
    source.stream.unsubscribe().catch(() => {});
    source.stream.destroy();
  }
}

/** At most `limit` events of ours after `after`, without waiting. */
function take(stream: AllStreamSubscription, limit: number, after: bigint) {
  const events: RecordedEvent[] = [];
  while (events.length < limit) {
    const resolved = stream.read();
    if (resolved === null) return { events, drained: true };
    const event = recordedEvent(resolved);
    if (event !== undefined && event.position > (events.at(-1)?.position ?? after)) {
      events.push(event);
    }
  }
  return { events, drained: false };
}

/** A subscription and what happened to it. */
function open({ client, limit, timeoutMs, onConfirmed }: Options, after: Position) {
  let checkpoint: Position = 0n;
  let [over, stirred] = [false, false];
  let failure: Error | undefined;
  let resume = () => {};
  const wake = () => {
    stirred = true;
    resume();
  };
  const stream = client.subscribeToAll(
    {
      fromPosition: positionAt(after),
      filter: streamNameFilter({
        regex: '^[^$]',
        checkpointInterval,
        // Must never throw: the client would wait for ever without saying so.
        checkpointReached: (_, position) => {
          checkpoint = asPosition(position.commit);
          wake();
        },
      }),
    },
    { highWaterMark: limit },
  );
  // The listeners stay: an error that comes late would otherwise end the process.
  stream.on('error', (error: Error) => {
    failure = error;
    wake();
  });
  for (const event of ['end', 'close'] as const) {
    stream.on(event, () => {
      over = true;
      wake();
    });
  }
  stream.on('readable', wake);
  // The client gives subscriptions no deadline: one that the server forgot would be silent for ever.
  const confirming = setTimeout(() => {
    failure ??= new Error(`the subscription was not confirmed within ${timeoutMs} ms`);
    wake();
  }, timeoutMs);
  stream.once('confirmation', () => {
    clearTimeout(confirming);
    onConfirmed();
  });
  return {
    stream,
    wake,
    checkpoint: () => checkpoint,
    close: () => clearTimeout(confirming),
    failure: () => failure,
    ended: () => over,
    /** Resolves when something happened since the last call. */
    news: async () => {
      if (!stirred) await new Promise<void>((resolve) => (resume = resolve));
      stirred = false;
    },
  };
}
