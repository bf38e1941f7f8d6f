/**
 * The path of a command: load, fold, decide, append.
 * Commands on one stream wait for each other in this process and are folded together into one append, so that
 * they do not conflict on a hot wallet. A cached state is trusted for what it allows, because the append checks
 * its version. Before a command is refused, or found to be carried out already, the state is brought up to date
 * and asked again. Deciding does not change the cached state: after a conflict only the new events of others are
 * read, and all decide again.
 * A command may start another stream in the same commit, if the store has `appendAll`: many letters are paid for
 * and queued in one append of their wallet. All of it is stored or nothing. If such a stream already exists, or
 * has a data key, its command leaves the append: it alone gets the store's error, and the others decide again.
 */

import { AppError } from '../../contract/errors.ts';
import { DataKeyTaken, KeyErased } from '../../events/data-keys.ts';
import type { DomainEvent } from '../../events/definition.ts';
import {
  type AppendResult,
  DuplicateEventId,
  StoreUnavailable,
  WrongExpectedVersion,
} from '../../events/event-store.ts';
import { toTimestamp } from '../../ground/clock.ts';
import type { Span } from '../../ground/tracing.ts';
import { type Aggregate, hasDerivedIds } from './aggregate.ts';
import { type Command, type Decide, type Decided, decideRound } from './decide-round.ts';
import {
  type CommandContext,
  createFolder,
  emptyFold,
  type Folded,
  type StreamPorts,
} from './fold.ts';
import { createStreamCache } from './stream-cache.ts';
import { createStreamQueues } from './stream-queue.ts';
import { endsWith, inAppendSpans, startCommand } from './trace-command.ts';

type CommandOutcome<S, E> = {
  /** State after the command, and maybe after others that were appended with it. */
  state: S;
  /** The appended events; empty if there was nothing left to do. */
  events: E[];
  /** Version of the stream's last event, -1 for no stream. */
  version: bigint;
  /** Log position of the stream's last event, 0 for no stream. */
  position: bigint;
  /** The last event of the stream that began in the same commit, if one did. */
  begun: AppendResult | undefined;
};

type Pending<S, E> = Command<S, E> & {
  /** The stream is expected not to exist: decide before reading it. */
  assumeNew: boolean;
  span: Span;
  resolve: (outcome: CommandOutcome<S, E>) => void;
  reject: (error: unknown) => void;
};

const maxAttempts = 12;

const tooManyConflicts = (): AppError =>
  new AppError(
    'conflict',
    'Other requests are changing the same resource at the moment. Try again.',
  );

/** The stream that an append failed for, where the error tells. */
const streamOf = (error: unknown): string | undefined => {
  if (error instanceof DataKeyTaken) return error.subject;
  return error instanceof WrongExpectedVersion || error instanceof DuplicateEventId
    ? error.stream
    : undefined;
};

/**
 * Finds the cause of a failed append: the index of the command whose new stream is to blame; `conflict` when
 * another process wrote the stream itself, or erased its data key before the first conflict; `one-by-one` when one
 * of several commands made it fail; otherwise `all`.
 */
const blameFor = <E>(
  error: unknown,
  decided: Decided<E>[],
  conflicts: number,
): number | 'conflict' | 'one-by-one' | 'all' => {
  const stream = streamOf(error);
  const blamed = decided.findIndex(({ begun }) => begun && begun.append.stream === stream);
  if (blamed >= 0) return blamed;
  if (error instanceof WrongExpectedVersion) return 'conflict';
  if (error instanceof KeyErased && conflicts === 0) return 'conflict';
  const several = decided.filter(({ events }) => events.length > 0).length > 1;
  return several && !(error instanceof StoreUnavailable) ? 'one-by-one' : 'all';
};

/** Tells every command of a round what came of it, in order. `begun`: of those that began a stream. */
const settle = <S, E>(
  lot: Pending<S, E>[],
  decided: Decided<E>[],
  folded: Folded<S>,
  begun: AppendResult[],
): void => {
  const { state, position } = folded;
  const version = folded.version === 'no-stream' ? -1n : folded.version;
  let next = 0;
  decided.forEach(({ events, error, begun: began }, index) => {
    const { resolve, reject } = lot[index] as Pending<S, E>;
    const own = began && begun[next++];
    if (error !== undefined) reject(error);
    else resolve({ state, events, version, position, begun: own });
  });
};

/**
 * The queue of a command. A stream may have two aggregates. They have separate queues, because a lot is carried out as
 * one aggregate, and the aggregate decides which ids its events get.
 */
const queueOf = <S, E extends DomainEvent>(aggregate: Aggregate<S, E>, id: string): string =>
  `${hasDerivedIds(aggregate) ? 'derived' : 'own'} ${aggregate.stream(id, 0)}`;

export type CommandHandler = ReturnType<typeof createCommandHandler>;

export const createCommandHandler = (ports: StreamPorts) => {
  const folder = createFolder(ports);
  const queues = createStreamQueues();
  const cache = createStreamCache(folder);

  /** Appends what a round decided. Returns the stream as it is then. @throws what the store throws */
  const store = async <S, E extends DomainEvent>(
    aggregate: Aggregate<S, E>,
    id: string,
    folded: Folded<S>,
    lot: Pending<S, E>[],
    { state, decided, at }: { state: S; decided: Decided<E>[]; at: string },
  ): Promise<{ after: Folded<S>; begun: AppendResult[] }> => {
    if (decided.every(({ events }) => events.length === 0)) return { after: folded, begun: [] };
    const begins = decided.flatMap(({ begun }) => begun ?? []);
    const { begun, ...end } = await inAppendSpans(lot, decided, (writing) =>
      folder.write(aggregate, id, folded, writing, at, begins),
    );
    return { after: { ...folded, ...end, state, fresh: true }, begun };
  };

  /** Works off a lot of commands, round by round. Returns the stream as it is in the end. */
  const run = async <S, E extends DomainEvent>(
    aggregate: Aggregate<S, E>,
    id: string,
    lot: Pending<S, E>[],
    begin: Folded<S>,
    onProgress: (folded: Folded<S>) => void,
  ): Promise<void> => {
    let folded = begin;
    let limit = Number.POSITIVE_INFINITY;
    let conflicts = 0;
    while (lot.length > 0) {
      const at = toTimestamp(ports.clock());
      const round = decideRound(aggregate, folded, lot, { limit, at }, folder.encodeNew);
      const { decided } = round;
      if (decided.length === 0) {
        folded = await folder.refresh(aggregate, id, folded);
        continue;
      }
      try {
        const { after, begun } = await store(aggregate, id, folded, lot, { ...round, at });
        folded = after;
        onProgress(folded);
        settle(lot.splice(0, decided.length), decided, folded, begun);
      } catch (error) {
        const blame = blameFor(error, decided, conflicts);
        if (blame === 'one-by-one') limit = 1;
        else if (typeof blame === 'number') lot.splice(blame, 1)[0]?.reject(error);
        else {
          if (blame === 'all') for (const one of lot.splice(0, decided.length)) one.reject(error);
          else if (++conflicts === maxAttempts) throw tooManyConflicts();
          folded = await folder.refresh(aggregate, id, folded);
          onProgress(folded);
        }
      }
    }
    onProgress(await folder.closeBooks(aggregate, id, folded));
  };

  const workOff = async <S, E extends DomainEvent>(
    aggregate: Aggregate<S, E>,
    id: string,
    lot: Pending<S, E>[],
  ): Promise<void> => {
    try {
      const isNew = lot.every(({ assumeNew }) => assumeNew);
      const start =
        cache.find(aggregate, id) ??
        (isNew ? emptyFold(aggregate) : await cache.readOnce(aggregate, id));
      await run(aggregate, id, lot, start, (folded) => cache.remember(aggregate, id, folded));
    } catch (error) {
      cache.failed(aggregate, id, error);
      for (const { reject } of lot) reject(error);
    }
  };

  return {
    /** Whether commands may `begin` another stream. */
    beginsStreams: ports.store.appendAll !== undefined,

    /**
     * Decides on the stream's current state and appends what was decided.
     * @throws AppError what `decide` throws; conflict when others keep winning; store errors, and
     * with `begin` WrongExpectedVersion or DataKeyTaken when that stream is not new
     */
    handle<S, E extends DomainEvent>(
      aggregate: Aggregate<S, E>,
      id: string,
      context: CommandContext,
      decide: Decide<S, E>,
      { assumeNew = false, begin }: { assumeNew?: boolean; begin?: Command<S, E>['begin'] } = {},
    ): Promise<CommandOutcome<S, E>> {
      return new Promise((resolve, reject) => {
        const span = startCommand(aggregate);
        const told = endsWith<CommandOutcome<S, E>>(span, resolve, reject);
        const pending: Pending<S, E> = { context, decide, begin, assumeNew, span, ...told };
        const work = (lot: Pending<S, E>[]) => workOff(aggregate, id, lot);
        queues.add(queueOf(aggregate, id), pending, work);
      });
    },

    prefetch: cache.prefetch,

    /**
     * The state of a stream as it is now. Iterate the maps of a cached aggregate synchronously: the states of later commands
     * share them.
     */
    async load<S, E extends DomainEvent>(
      aggregate: Aggregate<S, E>,
      id: string,
    ): Promise<{ state: S; version: bigint; position: bigint }> {
      const { state, version, position } = await cache.readNow(aggregate, id);
      return { state, version: version === 'no-stream' ? -1n : version, position };
    },

    /**
     * The id of the first event that a command appended to the stream of an aggregate that never closes its books.
     * @throws Error when it appended none
     */
    eventIdOf<S, E extends DomainEvent>(
      aggregate: Aggregate<S, E>,
      id: string,
      commandId: string,
    ): Promise<string> {
      return folder.eventIdOf(aggregate.stream(id, 0), commandId);
    },

    forget: cache.forget,

    /** Number of streams that have commands waiting or running. */
    busy: queues.busy,
  };
};
