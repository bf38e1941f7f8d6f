import { isAppError } from '../../contract/errors.ts';
import { streamsOf } from '../../events/data-keys.ts';
import type { DomainEvent } from '../../events/definition.ts';
import { StoreUnavailable, WrongExpectedVersion } from '../../events/event-store.ts';
import { createBoundedMap } from '../../ground/bounded-map.ts';
import { singleFlightByKey } from '../../ground/single-flight.ts';
import type { Aggregate } from './aggregate.ts';
import type { createFolder, Folded } from './fold.ts';

/**
 * About 1,600,000 letters that wallets know. Once the wallets in use no longer fit, each send reads the stream of its
 * wallet again, which costs 20 to 30 microseconds for each of its events.
 */
const maxBytes = 256 * 1024 * 1024;
/** Streams that were forgotten last. A read that began before may end within seconds. */
const forgottenStreams = 1_000;

/** Whether what is in memory is still valid after an error. */
const isPassing = (error: unknown): boolean =>
  isAppError(error) || error instanceof StoreUnavailable || error instanceof WrongExpectedVersion;

/** Streams of cached aggregates, folded, in memory. Others may have appended to them since. */
const createMemory = () => {
  const streams = createBoundedMap<string, { folded: Folded<unknown>; bytes: number }>(
    maxBytes,
    ({ bytes }) => bytes,
  );
  const forgotten = createBoundedMap<string, true>(forgottenStreams);
  return {
    find: <S, E extends DomainEvent>(
      aggregate: Aggregate<S, E>,
      id: string,
    ): Folded<S> | undefined =>
      streams.get(aggregate.stream(id, 0))?.folded as Folded<S> | undefined,

    remember<S, E extends DomainEvent>(
      aggregate: Aggregate<S, E>,
      id: string,
      folded: Folded<S>,
    ): void {
      const bytes = aggregate.cachedBytes?.(folded.state);
      const stream = aggregate.stream(id, 0);
      // It may have been read while its key was still there.
      if (bytes === undefined || forgotten.has(stream)) return;
      streams.set(stream, { folded: { ...folded, fresh: false }, bytes });
    },

    /** Forgets a stream after an error that its state in memory may have caused. */
    failed<S, E extends DomainEvent>(aggregate: Aggregate<S, E>, id: string, error: unknown): void {
      if (!isPassing(error)) streams.delete(aggregate.stream(id, 0));
    },

    /** Forgets the personal data of a subject whose data key was erased; without a subject, that of all subjects. */
    forget(subject?: string): void {
      if (subject === undefined) streams.clear();
      for (const stream of subject === undefined ? [] : streamsOf(subject)) {
        streams.delete(stream);
        forgotten.set(stream, true);
      }
    },
  };
};

/** Streams of cached aggregates in memory, and the reads that use and fill it. */
export const createStreamCache = (folder: ReturnType<typeof createFolder>) => {
  const memory = createMemory();
  const { find, remember } = memory;
  const read = singleFlightByKey<string, Folded<unknown>>();

  /** Reads a whole stream, once for all who need it meanwhile, so that others may write before its end is used. */
  const readOnce = <S, E extends DomainEvent>(
    aggregate: Aggregate<S, E>,
    id: string,
    begins = (): void => {},
  ): Promise<Folded<S>> => {
    const work = async () => {
      begins();
      return { ...(await folder.read(aggregate, id)), fresh: false };
    };
    return read(aggregate.stream(id, 0), work) as Promise<Folded<S>>;
  };

  /** Reads a whole stream as it is now. Of what another reader began to read before, only the end is read again. */
  const readFresh = async <S, E extends DomainEvent>(
    aggregate: Aggregate<S, E>,
    id: string,
  ): Promise<Folded<S>> => {
    let isOwn = false;
    const folded = await readOnce(aggregate, id, () => {
      isOwn = true;
    });
    return isOwn ? folded : folder.refresh(aggregate, id, folded);
  };

  return {
    ...memory,
    readOnce,

    /** Reads a stream that a command will need, unless it is in memory. If that fails, the command tells. */
    prefetch<S, E extends DomainEvent>(aggregate: Aggregate<S, E>, id: string): void {
      if (find(aggregate, id)) return;
      readOnce(aggregate, id).then(
        (folded) => {
          if (!find(aggregate, id)) remember(aggregate, id, folded);
        },
        () => {},
      );
    },

    /** The stream as it is now. Of one in memory, only what was appended since is read. */
    async readNow<S, E extends DomainEvent>(
      aggregate: Aggregate<S, E>,
      id: string,
    ): Promise<Folded<S>> {
      if (!aggregate.cachedBytes) return folder.read(aggregate, id);
      try {
        const known = find(aggregate, id);
        const folded = known
          ? await folder.refresh(aggregate, id, known)
          : await readFresh(aggregate, id);
        const kept = find(aggregate, id);
        if (!kept || kept.position < folded.position) remember(aggregate, id, folded);
        return folded;
      } catch (error) {
        memory.failed(aggregate, id, error);
        throw error;
      }
    },
  };
};
