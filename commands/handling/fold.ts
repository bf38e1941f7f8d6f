import { randomUUID } from 'node:crypto';
import { type DataKey, type DataKeys, subjectOf, type WrappedKey } from '../../events/data-keys.ts';
import type { DomainEvent } from '../../events/definition.ts';
import {
  type DecodedEvent,
  decodeEvent,
  encodeEvent,
  eventHash,
  openPersonal,
} from '../../events/envelope.ts';
import {
  type AppendResult,
  DuplicateEventId,
  type EventStore,
  type EventToAppend,
  type ExpectedVersion,
  type StreamAppend,
  WrongExpectedVersion,
} from '../../events/event-store.ts';
import type { Traces } from '../../events/traces.ts';
import { canonicalJson } from '../../ground/canonical-json.ts';
import type { Clock } from '../../ground/clock.ts';
import { toTimestamp } from '../../ground/clock.ts';
import type { TraceParent } from '../../ground/tracing.ts';
import { uuidv5 } from '../../ground/uuid.ts';
import { type Aggregate, hasDerivedIds } from './aggregate.ts';

/** The caller, and the id of the command. The same id again must change nothing more. */
export type CommandContext = {
  commandId: string;
  actor: string;
  /**
   * The command changes one stream: under the same id it is refused on another one (DuplicateEventId), by the store
   * where it has `uniqueIds`, otherwise by `CommandStreams`.
   */
  oneStream?: boolean;
  /** False: the id is random, so no other request has it. */
  repeatable?: boolean;
};

/** A stream, folded. */
export type Folded<S> = {
  state: S;
  period: number;
  version: ExpectedVersion;
  /** Hash of the last event: the link that the next one carries. */
  hash: string;
  /** Log position of the last event, 0 for no stream. */
  position: bigint;
  /** Whether it was the stream's end when it was read or written just now. */
  fresh: boolean;
  /** The event count from which it is asked whether to close the books; absent: from now on. */
  booksFrom?: bigint;
};

/** A stream that begins with these events. */
export type NewStream = { stream: string; context: CommandContext; events: DomainEvent[] };

/** The same, encoded: the bytes to append, the data key that they need, their size. */
export type EncodedStream = { append: StreamAppend; keys: WrappedKey[]; bytes: number };

/** The current end of the stream, and of each stream that was started with it. */
type Written = AppendResult & { hash: string; begun: AppendResult[] };

/** Remembers the one stream that a command changes. */
export type CommandStreams = {
  /** Answers with the stream that the command claimed first. */
  claim(commandId: string, stream: string): Promise<string>;
};

export type StreamPorts = {
  store: EventStore;
  /** Absent: the store has `uniqueIds`, or commands are not repeated. */
  commandStreams?: CommandStreams | undefined;
  dataKeys: DataKeys;
  clock: Clock;
  /** Where an aggregate's current period may be found. A hint: the log decides. */
  periodHint?: (id: string) => Promise<number>;
  /** Absent: this process exports no spans. */
  traces?: Pick<Traces, 'note'> | undefined;
};

/** The events that one command writes. `traceparent`: of its append, where a span of it is recorded. */
type Writing<E> = {
  context: CommandContext;
  events: E[];
  begun?: EncodedStream | undefined;
  traceparent?: TraceParent | undefined;
};

const pageSize = 1_000;
/** Bytes of the events of an opening in one append. EventStoreDB takes 1 MiB, with what it adds to each event. */
const openingBytes = 512 * 1024;
const booksNamespace = '5a1c6f62-6f6f-4b73-8c6c-6f7365640000';

export const emptyFold = <S, E extends DomainEvent>(
  aggregate: Aggregate<S, E>,
  period = 0,
): Folded<S> => ({
  state: aggregate.initialState(),
  period,
  version: 'no-stream',
  hash: '',
  position: 0n,
  fresh: false,
});

const decode = async ({ store, dataKeys }: StreamPorts, stream: string, from: bigint) => {
  const recorded = await store.readStream(stream, { from, limit: pageSize });
  const decoded = recorded.map((event) => ({
    event: decodeEvent(event),
    hash: eventHash(event),
  }));
  if (!decoded.some(({ event }) => event.metadata.sealed !== undefined)) return decoded;
  const key = await dataKeys.get(subjectOf(stream));
  return decoded.map(({ event, hash }) => ({ event: openPersonal(event, key), hash }));
};

const evolveOne = <S, E extends DomainEvent>(
  aggregate: Aggregate<S, E>,
  folded: Folded<S>,
  { event, hash }: { event: DecodedEvent; hash: string },
): Folded<S> => {
  if (event.metadata.prev !== folded.hash) {
    throw new Error(`broken hash link in ${event.stream} at version ${event.version}`);
  }
  const { at, command } = event.metadata;
  const state = aggregate.evolve(folded.state, event as unknown as E, at, command);
  return { ...folded, state, version: event.version, hash, position: event.position };
};

const booksContext = (place: string): CommandContext => ({
  commandId: uuidv5(booksNamespace, place),
  actor: 'reactor:books',
});

/** About how many bytes an event takes in the store: a sealed part grows by a third, and there is metadata. */
const storedBytes = (event: DomainEvent): number =>
  1_024 + (4 / 3) * Buffer.byteLength(JSON.stringify(event));

/** The first events of an opening, as many as one append takes. */
const firstAppend = <E extends DomainEvent>(events: E[]): E[] => {
  let bytes = 0;
  const end = events.findIndex((event, index) => {
    bytes += storedBytes(event);
    return index > 0 && bytes > openingBytes;
  });
  return end === -1 ? events : events.slice(0, end);
};

/** Whether a stored event is this one, apart from its personal part, whose key may be gone. */
const isStoredAs = (stored: DomainEvent, event: DomainEvent | undefined): boolean =>
  event !== undefined &&
  stored.type === event.type &&
  canonicalJson(stored.data) === canonicalJson(event.data);

const otherOpening = (stream: string): Error =>
  new Error(`${stream} does not begin with the opening that the period before it leads to`);

/** Encodes what commands decided, in order, for the place behind `folded`. */
const encode = (
  stream: string,
  { version, hash }: Pick<Folded<unknown>, 'version' | 'hash'>,
  decided: { context: CommandContext; events: DomainEvent[] }[],
  at: string,
  idOf: (context: CommandContext, index: number) => string,
  key: DataKey | undefined,
): { append: StreamAppend; hash: string } => {
  const events: EventToAppend[] = [];
  let next = version === 'no-stream' ? 0n : version + 1n;
  let prev = hash;
  for (const { context, events: own } of decided) {
    const { commandId: command, actor } = context;
    for (const [index, event] of own.entries()) {
      const cause = { id: idOf(context, index), at, command, actor };
      const encoded = encodeEvent(event, { stream, version: next, prev }, cause, key);
      events.push(encoded.event);
      prev = encoded.hash;
      next += 1n;
    }
  }
  return { append: { stream, expected: version, events }, hash: prev };
};

/** The ids of the events that a command appends to a stream, by their index. */
const derivedId =
  (stream: string) =>
  ({ commandId, oneStream }: CommandContext, index: number): string =>
    uuidv5(commandId, oneStream ? `${index}` : `${stream}:${index}`);

/** A stream that does not exist yet, ready to be appended with a data key of its own. */
const encodeNewStream = (
  dataKeys: DataKeys,
  { stream, context, events }: NewStream,
  at: string,
): EncodedStream => {
  const decided = [{ context, events }];
  const start = { version: 'no-stream' as const, hash: '' };
  const sealed = events.some((event) => event.personal);
  const drafted = sealed ? dataKeys.draft(subjectOf(stream)) : undefined;
  const { append } = encode(stream, start, decided, at, derivedId(stream), drafted?.key);
  const bytes = append.events.reduce(
    (sum, { data, metadata }) => sum + data.length + metadata.length,
    0,
  );
  return { append, keys: drafted ? [drafted.wrapped] : [], bytes };
};

/** The keys of an append under which its trace is found. */
const keysOf = ({ stream, expected }: StreamAppend, events: readonly EventToAppend[]): string[] => [
  ...(expected === 'no-stream' ? [stream] : []),
  ...events.map(({ id }) => id),
];

/** The trace of each event that is about to be appended, and of each stream that begins with it. */
const parentsIn = (append: StreamAppend, decided: Writing<unknown>[]): Map<string, TraceParent> => {
  const parents = new Map<string, TraceParent>();
  let next = 0;
  for (const { events, begun, traceparent } of decided) {
    const own = append.events.slice(next, next + events.length);
    next += events.length;
    if (traceparent === undefined) continue;
    const begins = begun ? keysOf(begun.append, begun.append.events) : [];
    for (const key of [...keysOf(append, own), ...begins]) parents.set(key, traceparent);
  }
  return parents;
};

/** @throws DuplicateEventId when a command claimed another stream before */
const claimStream = async (
  { commandStreams }: StreamPorts,
  stream: string,
  decided: Writing<unknown>[],
): Promise<void> => {
  if (!commandStreams) return;
  for (const { context, events } of decided) {
    const { commandId, oneStream, repeatable = true } = context;
    if (!oneStream || !repeatable || events.length === 0) continue;
    if ((await commandStreams.claim(commandId, stream)) !== stream) {
      throw new DuplicateEventId(stream);
    }
  }
};

/**
 * Appends what commands decided, in order, as one append; with the streams that begin, as one commit.
 * Throws what the store throws.
 * Another process that obeys the same command at the same moment writes other bytes (the time, another
 * request under the same key). Where the store does not tell, each needs ids of its own, so that one of
 * them wins and the other decides again; so do the events of a cached aggregate that does not derive them.
 */
const writeTo = async <S, E extends DomainEvent>(
  ports: StreamPorts,
  aggregate: Aggregate<S, E>,
  id: string,
  folded: Pick<Folded<S>, 'period' | 'version' | 'hash'>,
  decided: Writing<E>[],
  at = toTimestamp(ports.clock()),
  begun: EncodedStream[] = [],
): Promise<Written> => {
  const { store, dataKeys, traces } = ports;
  const stream = aggregate.stream(id, folded.period);
  const derives = hasDerivedIds(aggregate);
  if (derives) await claimStream(ports, stream, decided);
  const sealed = decided.some(({ events }) => events.some((event) => event.personal));
  const key = sealed ? await dataKeys.create(subjectOf(stream)) : undefined;
  const idOf = store.uniqueIds && derives ? derivedId(stream) : () => randomUUID();
  const { append, hash } = encode(stream, folded, decided, at, idOf, key);
  if (traces) await traces.note(parentsIn(append, decided));
  if (begun.length === 0) {
    const result = await store.append(stream, folded.version, append.events);
    return { ...result, hash, begun: [] };
  }
  if (!store.appendAll) throw new Error('this store does not append to several streams at once');
  const [result, ...others] = await store.appendAll(
    [append, ...begun.map((one) => one.append)],
    begun.flatMap(({ keys }) => keys),
  );
  return { ...(result as AppendResult), hash, begun: others };
};

/** Appends the next events of an opening, unless another process does: every process writes the same. */
const continueOpening = async <S, E extends DomainEvent>(
  ports: StreamPorts,
  aggregate: Aggregate<S, E>,
  id: string,
  folded: Folded<S>,
  opening: E[],
): Promise<void> => {
  const written = folded.version === 'no-stream' ? 0 : Number(folded.version) + 1;
  const context = booksContext(`${aggregate.stream(id, folded.period)}:${written}`);
  const events = firstAppend(opening.slice(written));
  try {
    await writeTo(ports, aggregate, id, folded, [{ context, events }]);
  } catch (error) {
    if (!(error instanceof WrongExpectedVersion)) throw error;
  }
};

/** `writeTo`, bound to the ports of this process. */
type Write = <S, E extends DomainEvent>(
  aggregate: Aggregate<S, E>,
  id: string,
  folded: Pick<Folded<S>, 'period' | 'version' | 'hash'>,
  decided: Writing<E>[],
  at?: string,
  begun?: EncodedStream[],
) => Promise<Written>;

/** Reads and writes one stream as a folded aggregate. */
export const createFolder = (ports: StreamPorts) => {
  const { store, dataKeys, clock } = ports;

  const write: Write = (...decided) => writeTo(ports, ...decided);

  /** Brings a folded stream up to date, going on into the periods that follow. */
  const refresh = async <S, E extends DomainEvent>(
    aggregate: Aggregate<S, E>,
    id: string,
    stale: Folded<S>,
  ): Promise<Folded<S>> => {
    let folded = stale;
    let opening: E[] = [];
    let beginsSo = false;
    for (;;) {
      const from = folded.version === 'no-stream' ? 0n : folded.version + 1n;
      const page = await decode(ports, aggregate.stream(id, folded.period), from);
      for (const item of page) {
        beginsSo &&= isStoredAs(item.event, opening[Number(item.event.version)]);
        folded = evolveOne(aggregate, folded, item);
      }
      if (page.length === pageSize) continue;
      const successor = aggregate.books?.successor(folded.state);
      if (successor) {
        folded = emptyFold(aggregate, successor.period);
        opening = successor.opening;
        beginsSo = true;
      } else if (opening.length === 0 || aggregate.books?.isOpen(folded.state)) {
        return { ...folded, fresh: true };
      } else {
        if (!beginsSo) throw otherOpening(aggregate.stream(id, folded.period));
        await continueOpening(ports, aggregate, id, folded, opening);
      }
    }
  };

  /** Reads a stream from its beginning, or from the beginning of its hinted period. */
  const read = async <S, E extends DomainEvent>(
    aggregate: Aggregate<S, E>,
    id: string,
  ): Promise<Folded<S>> => {
    const hint = aggregate.books && ports.periodHint ? await ports.periodHint(id) : 0;
    const folded = await refresh(aggregate, id, emptyFold(aggregate, hint));
    // A period that is not open yet is opened by a reader of the one before.
    return hint === 0 || aggregate.books?.isOpen(folded.state)
      ? folded
      : refresh(aggregate, id, emptyFold(aggregate));
  };

  /** Closes the books when it is time and opens the next period. */
  const closeBooks = async <S, E extends DomainEvent>(
    aggregate: Aggregate<S, E>,
    id: string,
    folded: Folded<S>,
  ): Promise<Folded<S>> => {
    if (!aggregate.books || folded.version === 'no-stream') return folded;
    const { period, state } = folded;
    const count = folded.version + 1n;
    if (count < (folded.booksFrom ?? 0n)) return folded;
    const at = toTimestamp(clock());
    const closing = aggregate.books.close(state, period, count, at);
    if (closing.length === 0) {
      return { ...folded, booksFrom: aggregate.books.nextLook(state, count, at) };
    }
    const context = booksContext(`${aggregate.stream(id, folded.period)}:close`);
    await write(aggregate, id, folded, [{ context, events: closing }]);
    return refresh(aggregate, id, folded);
  };

  const encodeNew = (stream: NewStream, at: string): EncodedStream =>
    encodeNewStream(dataKeys, stream, at);

  const eventIdOf = async (stream: string, commandId: string): Promise<string> => {
    for (let from = 0n; ; from += BigInt(pageSize)) {
      const page = await store.readStream(stream, { from, limit: pageSize });
      const found = page.find((event) => decodeEvent(event).metadata.command === commandId);
      if (found) return found.id;
      if (page.length < pageSize) throw new Error(`${stream} has no event of this command`);
    }
  };

  return { read, refresh, write, encodeNew, closeBooks, eventIdOf };
};
