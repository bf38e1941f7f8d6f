/**
 * The way of a command: load, fold, decide, append.
 *
 * Commands on one stream wait for each other in this process and are folded together into one append,
 * so that a hot wallet does not fight itself. A cached state is trusted for what it allows, since the
 * append checks its version; before a command is refused, or found to be obeyed already, the state is
 * brought up to date and asked again.
 */
import { toTimestamp } from '../../contract/clock.ts';
import { AppError } from '../../contract/errors.ts';
import type { DomainEvent } from '../../events/definition.ts';
import { StoreUnavailable, WrongExpectedVersion } from '../../events/event-store.ts';
import type { Aggregate } from './aggregate.ts';
import {
  type CommandContext,
  createFolder,
  emptyFold,
  type Folded,
  type StreamPorts,
} from './fold.ts';

export type CommandOutcome<S, E> = {
  /** State after the command. Read it at once: it may be folded further later. */
  state: S;
  /** What was appended; empty when there was nothing left to do. */
  events: E[];
  /** Version of the stream's last event, -1 for no stream. */
  version: bigint;
  /** Log position of the stream's last event, 0 for no stream. */
  position: bigint;
};

/** `version` is the stream's, -1 for no stream. It throws what the caller is told. */
export type Decide<S, E> = (state: S, version: bigint) => E[];

type Pending<S, E> = {
  context: CommandContext;
  decide: Decide<S, E>;
  /** The stream is expected not to exist: decide before reading it. */
  assumeNew: boolean;
  resolve: (outcome: CommandOutcome<S, E>) => void;
  reject: (error: unknown) => void;
};

type Decided<S, E> = { pending: Pending<S, E>; context: CommandContext } & (
  | { events: E[]; error?: undefined }
  | { events: never[]; error: unknown }
);

const maxAttempts = 12;
const maxEventsPerAppend = 400;
const maxCachedStreams = 20_000;

export type CommandHandler = ReturnType<typeof createCommandHandler>;

export const createCommandHandler = (ports: StreamPorts) => {
  const folder = createFolder(ports);
  const cache = new Map<string, Folded<unknown>>();
  const queues = new Map<string, unknown[]>();

  const remember = (key: string, folded: Folded<unknown>): void => {
    cache.delete(key);
    cache.set(key, { ...folded, fresh: false });
    if (cache.size <= maxCachedStreams) return;
    const oldest = cache.keys().next();
    if (!oldest.done) cache.delete(oldest.value);
  };

  /**
   * Lets at most `limit` commands decide one after the other, until the append is full or a stale
   * state refuses one. What was refused on a fresh state is settled only after the append: it may rest on it.
   */
  const decideRound = <S, E extends DomainEvent>(
    aggregate: Aggregate<S, E>,
    start: Folded<S>,
    waiting: Pending<S, E>[],
    limit: number,
  ): { state: S; decided: Decided<S, E>[]; at: string } => {
    const at = toTimestamp(ports.clock());
    const decided: Decided<S, E>[] = [];
    let state = start.state;
    let version = start.version === 'no-stream' ? -1n : start.version;
    let count = 0;
    for (const pending of waiting) {
      if (count >= maxEventsPerAppend || decided.length >= limit) break;
      const { context } = pending;
      try {
        const events = pending.decide(state, version);
        if (events.length === 0 && !start.fresh) break;
        for (const event of events) state = aggregate.evolve(state, event, at);
        decided.push({ pending, context, events });
        count += events.length;
        version += BigInt(events.length);
      } catch (error) {
        if (!start.fresh) break;
        decided.push({ pending, context, events: [], error });
      }
    }
    return { state, decided, at };
  };

  const settle = <S, E>(decided: Decided<S, E>[], folded: Folded<S>): void => {
    const version = folded.version === 'no-stream' ? -1n : folded.version;
    for (const { pending, events, error } of decided) {
      if (error !== undefined) pending.reject(error);
      else {
        pending.resolve({
          state: folded.state,
          events,
          version,
          position: folded.position,
        });
      }
    }
  };

  /**
   * One round: decide, append, settle. Returns the state after it, or why the append failed:
   * `conflict`, `failed` (and told so), `one-by-one` when only one of several commands made it fail.
   */
  const round = async <S, E extends DomainEvent>(
    aggregate: Aggregate<S, E>,
    id: string,
    folded: Folded<S>,
    waiting: Pending<S, E>[],
    limit: number,
  ): Promise<Folded<S> | 'conflict' | 'failed' | 'one-by-one'> => {
    const { state, decided, at } = decideRound(aggregate, folded, waiting, limit);
    if (decided.length === 0) return folder.refresh(aggregate, id, folded);
    const written = decided.filter(({ events }) => events.length > 0);
    try {
      const after =
        written.length === 0
          ? folded
          : {
              ...folded,
              ...(await folder.write(aggregate, id, folded, written, at)),
              state,
              fresh: true,
            };
      settle(decided, after);
      waiting.splice(0, decided.length);
      return after;
    } catch (error) {
      if (error instanceof WrongExpectedVersion) return 'conflict';
      if (written.length > 1 && !(error instanceof StoreUnavailable)) return 'one-by-one';
      for (const { pending } of decided) pending.reject(error);
      waiting.splice(0, decided.length);
      return 'failed';
    }
  };

  const run = async <S, E extends DomainEvent>(
    aggregate: Aggregate<S, E>,
    id: string,
    key: string,
    waiting: Pending<S, E>[],
  ): Promise<void> => {
    let conflicts = 0;
    let folded =
      (cache.get(key) as Folded<S> | undefined) ??
      (waiting.every((pending) => pending.assumeNew)
        ? emptyFold(aggregate)
        : await folder.read(aggregate, id));
    cache.delete(key);
    let limit = Number.POSITIVE_INFINITY;
    while (waiting.length > 0) {
      const next = await round(aggregate, id, folded, waiting, limit);
      if (next === 'one-by-one') limit = 1;
      if (next === 'conflict' && ++conflicts === maxAttempts) {
        throw new AppError('conflict', 'Others change the same resource right now; try again.');
      }
      folded = typeof next === 'string' ? await folder.read(aggregate, id) : next;
    }
    if (!aggregate.cached) return;
    remember(key, await folder.closeBooks(aggregate, id, folded));
  };

  /** Works off a stream's queue until it is empty. */
  const drain = async <S, E extends DomainEvent>(
    aggregate: Aggregate<S, E>,
    id: string,
    key: string,
    queue: Pending<S, E>[],
  ): Promise<void> => {
    while (queue.length > 0) {
      const waiting = queue.splice(0, queue.length);
      try {
        await run(aggregate, id, key, waiting);
      } catch (error) {
        cache.delete(key);
        for (const pending of waiting) pending.reject(error);
      }
    }
    queues.delete(key);
  };

  return {
    /**
     * Decides on the stream's current state and appends what was decided.
     * @throws AppError what `decide` throws; conflict when others keep winning; store errors
     */
    handle<S, E extends DomainEvent>(
      aggregate: Aggregate<S, E>,
      id: string,
      context: CommandContext,
      decide: Decide<S, E>,
      options: { assumeNew?: boolean } = {},
    ): Promise<CommandOutcome<S, E>> {
      const key = aggregate.stream(id, 0);
      return new Promise((resolve, reject) => {
        const assumeNew = options.assumeNew ?? false;
        const pending: Pending<S, E> = { context, decide, assumeNew, resolve, reject };
        const running = queues.get(key) as Pending<S, E>[] | undefined;
        if (running) {
          running.push(pending);
          return;
        }
        const queue = [pending];
        queues.set(key, queue);
        void drain(aggregate, id, key, queue);
      });
    },

    /** The state of a stream as it is now. */
    async load<S, E extends DomainEvent>(
      aggregate: Aggregate<S, E>,
      id: string,
    ): Promise<{ state: S; version: bigint }> {
      const { state, version } = await folder.read(aggregate, id);
      return { state, version: version === 'no-stream' ? -1n : version };
    },

    /** Number of streams that have commands waiting or running. */
    busy: (): number => queues.size,
  };
};
