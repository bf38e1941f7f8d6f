import { openRecordFile, type ProposedEvent } from './eventstoredb-record-file.ts';

export type { ProposedEvent } from './eventstoredb-record-file.ts';

/** One event of the log, as EventStoreDB keeps it. */
export type StoredEvent = ProposedEvent & {
  stream: string;
  revision: bigint;
  /** Byte offset of its record. Commit and prepare position are equal for what gRPC writes. */
  position: bigint;
  /** .NET ticks (100 ns) since 1970. */
  created: bigint;
};

export type Expected = 'any' | 'no-stream' | 'exists' | bigint;

/** `revision` -1n: no stream yet, for an append without events. `fresh`: written by this call. */
export type AppendOutcome =
  | { kind: 'written'; fresh: boolean; revision: bigint; position: bigint }
  | { kind: 'wrong-version'; current: bigint | undefined }
  | { kind: 'deleted' };

export type EventStoreDbLog = ReturnType<typeof openLog>;

/** Framing and fixed fields of a prepare record; names, data and metadata come on top. */
const recordBytes = 88;
const largestRevision = 2n ** 63n - 1n;
const emptyId = '00000000-0000-4000-8000-000000000000';

const sizeOf = ({ type, data, metadata }: ProposedEvent, stream: string): bigint =>
  BigInt(recordBytes + stream.length + type.length + data.length + metadata.length);

/** Index of the first event at or after a position. */
export function firstIndex(all: readonly StoredEvent[], position: bigint): number {
  let [low, high] = [0, all.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((all[middle]?.position ?? 0n) < position) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The semantics of an EventStoreDB log: expected revisions, idempotency by event id, positions that are
 * byte offsets, deleted streams, and system events among the others.
 * @param dataFile one line of JSON per append; a half-written last line is dropped at the start
 */
/** `appendsPerStatsEvent`: a server writes statistics by the clock, this one after this many appends. */
export function openLog(dataFile?: string, appendsPerStatsEvent = 20) {
  const file = dataFile === undefined ? undefined : openRecordFile(dataFile);
  const listeners = new Set<() => void>();
  let all: StoredEvent[] = [];
  let streams = new Map<string, StoredEvent[]>();
  /** First revision that can be read, of soft-deleted streams. */
  let truncated = new Map<string, bigint>();
  let tombstones = new Set<string>();
  /** Records without an event: appends of nothing. */
  let bare = new Set<bigint>();
  let end = 0n;
  let appends = 0;

  function write(stream: string, proposed: ProposedEvent[], created: bigint): StoredEvent[] {
    const events = streams.get(stream) ?? [];
    streams.set(stream, events);
    return proposed.map((event) => {
      const stored = { ...event, stream, revision: BigInt(events.length), position: end, created };
      end += sizeOf(event, stream);
      events.push(stored);
      all.push(stored);
      return stored;
    });
  }

  function store(stream: string, events: ProposedEvent[]): StoredEvent[] {
    const created = BigInt(Date.now()) * 10_000n;
    file?.add({ stream, events, created });
    return write(stream, events, created);
  }

  function storeSystemEvent(stream: string, type: string, content = '{"system":true}'): void {
    store(stream, [systemEvent(type, content)]);
  }

  /** Nothing but what the server itself writes first. `mark` makes its records differ in length. */
  function begin(mark = ''): void {
    [all, streams, truncated, tombstones, bare] = [[], new Map(), new Map(), new Set(), new Set()];
    [end, appends] = [0n, 0];
    storeSystemEvent('$scavenges', '$scavengeIndexInitialized', JSON.stringify({ mark }));
    storeSystemEvent('$users', '$User');
  }

  function statistics(): void {
    appends += 1;
    if (appends % appendsPerStatsEvent !== 0) return;
    storeSystemEvent('$stats-127.0.0.1:2113', '$statsCollected');
    // An event of a system stream whose type does not begin with `$`.
    storeSystemEvent('$persistentSubscriptionConfig', 'PersistentConfig1');
  }

  const changed = (): void => {
    for (const listener of [...listeners]) listener();
  };

  const stream = (name: string): readonly StoredEvent[] => {
    const events = streams.get(name) ?? [];
    return truncated.has(name) ? events.slice(Number(truncated.get(name))) : events;
  };

  const isRecord = (position: bigint): boolean =>
    bare.has(position) || position === end || all[firstIndex(all, position)]?.position === position;

  const stored = file?.read() ?? [];
  if (stored.length === 0) begin();
  else {
    for (const { stream, events, created } of stored) write(stream, events, created);
    appends = stored.filter((append) => !append.stream.startsWith('$')).length;
  }

  return {
    get all(): readonly StoredEvent[] {
      return all;
    },
    /** Where the next record will begin. */
    get end(): bigint {
      return end;
    },
    /** The readable part of a stream: its events behind those that were deleted. */
    stream,
    isDeleted: (name: string): boolean => tombstones.has(name),
    /** Whether a record begins at a position, or would. */
    isRecord,

    append(name: string, expected: Expected, events: ProposedEvent[]): AppendOutcome {
      if (tombstones.has(name)) return { kind: 'deleted' };
      const existing = streams.get(name) ?? [];
      const verdict = check(existing, stream(name), expected, events);
      if (verdict !== 'write') return verdict;
      if (events.length === 0) {
        bare.add(end);
        const position = end;
        end += BigInt(recordBytes + name.length);
        return {
          kind: 'written',
          fresh: true,
          revision: BigInt(existing.length) - 1n,
          position,
        };
      }
      const written = store(name, events);
      statistics();
      changed();
      const { revision, position } = written.at(-1) ?? { revision: -1n, position: end };
      return { kind: 'written', fresh: true, revision, position };
    },

    /** Soft delete: the events stay in the log, the stream goes on counting. */
    delete(name: string): void {
      truncated.set(name, BigInt(streams.get(name)?.length ?? 0));
      const content = JSON.stringify({ $tb: String(largestRevision) });
      storeSystemEvent(`$$${name}`, '$metadata', content);
      changed();
    },

    tombstone(name: string): void {
      tombstones.add(name);
      storeSystemEvent(name, '$streamDeleted');
      changed();
    },

    /** Takes back the last `records` events, as a cluster does that lost its tail, or an older backup. */
    loseTail(records: number): void {
      const kept = all.slice(0, Math.max(0, all.length - records));
      end = all[kept.length]?.position ?? end;
      all = kept;
      streams = Map.groupBy(kept, (event) => event.stream);
      bare = new Set([...bare].filter((position) => position < end));
      file?.replace(kept.map((event) => ({ ...event, events: [event] })));
    },

    /** Becomes the empty log of another server. */
    replace(): void {
      file?.replace([]);
      begin('another log');
    },

    /** Calls back after every append until the returned function is called. */
    onAppend(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/**
 * The server's commit check: ids are compared only where `expected` lies behind the stream; a right expected
 * revision with a known id appends a duplicate.
 */
function check(
  existing: readonly StoredEvent[],
  visible: readonly StoredEvent[],
  expected: Expected,
  events: ProposedEvent[],
): AppendOutcome | 'write' {
  const current = BigInt(existing.length) - 1n;
  const wrong = { kind: 'wrong-version', current: current < 0n ? undefined : current } as const;
  if (expected === 'exists') return visible.length > 0 ? 'write' : wrong;
  // A stream whose events were all deleted counts as missing.
  if (expected === 'no-stream' && visible.length === 0) return 'write';
  const known = existing.findIndex(({ id }) => id === events[0]?.id);
  if (expected === 'any' && known < 0) return 'write';
  const at = expected === 'any' ? known - 1 : expected === 'no-stream' ? -1 : Number(expected);
  if (expected !== 'any' && BigInt(at) === current) return 'write';
  const there = existing.slice(at + 1, at + 1 + events.length);
  const last = there.at(-1);
  if (!last || !events.every(({ id }, index) => id === there[index]?.id)) return wrong;
  return { kind: 'written', fresh: false, revision: last.revision, position: last.position };
}

const systemEvent = (type: string, content: string): ProposedEvent => ({
  id: emptyId,
  type,
  contentType: 'application/json',
  data: Buffer.from(content),
  metadata: new Uint8Array(),
});
