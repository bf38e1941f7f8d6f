import { appendFileSync, existsSync, readFileSync, truncateSync } from 'node:fs';

/** One record of the log, as EventStoreDB keeps it. Positions are byte offsets, so not dense. */
export type StoredEvent = {
  id: string;
  stream: string;
  revision: bigint;
  type: string;
  contentType: string;
  data: Uint8Array;
  metadata: Uint8Array;
  /** Commit and prepare position are equal for events that were written over gRPC. */
  position: bigint;
  /** .NET ticks (100 ns) since 1970. */
  created: bigint;
};

export type ProposedEvent = Pick<StoredEvent, 'id' | 'type' | 'contentType' | 'data' | 'metadata'>;

export type Expected = 'any' | 'no-stream' | 'exists' | bigint;

/** `position` is absent for an append that was there already, as on the real server. */
export type AppendOutcome =
  | { written: true; revision: bigint; position?: bigint }
  | { written: false; current: bigint | undefined };

export type EventStoreDbLog = {
  readonly all: readonly StoredEvent[];
  stream(name: string): readonly StoredEvent[];
  append(stream: string, expected: Expected, events: ProposedEvent[]): AppendOutcome;
  /** Calls back after every append until the returned function is called. */
  onAppend(listener: () => void): () => void;
};

const recordOverheadBytes = 83;
const appendsPerStatsEvent = 20;

/**
 * The semantics of an EventStoreDB log: expected revisions, idempotency by event id, byte
 * positions, and system events among the others.
 * @param dataFile one line of JSON per append; a half-written last line is dropped at the start
 */
export function openLog(dataFile?: string): EventStoreDbLog {
  const all: StoredEvent[] = [];
  const streams = new Map<string, StoredEvent[]>();
  const listeners = new Set<() => void>();
  let nextPosition = 0n;
  let appends = 0;

  function write(stream: string, proposed: ProposedEvent[], created: bigint): StoredEvent[] {
    const events = streams.get(stream) ?? [];
    streams.set(stream, events);
    const written = proposed.map((event) => {
      const stored = {
        ...event,
        stream,
        revision: BigInt(events.length),
        position: nextPosition,
        created,
      };
      nextPosition += BigInt(recordOverheadBytes + event.data.length + event.metadata.length);
      events.push(stored);
      all.push(stored);
      return stored;
    });
    return written;
  }

  function writeSystemEvent(stream: string, type: string): void {
    write(stream, [systemEvent(type)], 0n);
  }

  function accept(stream: string, events: ProposedEvent[], created: bigint): StoredEvent[] {
    const written = write(stream, events, created);
    appends += 1;
    if (appends % appendsPerStatsEvent === 0) {
      writeSystemEvent('$stats-127.0.0.1:2113', '$statsCollected');
      // An event of a system stream whose type does not begin with `$`.
      writeSystemEvent('$persistentSubscriptionConfig', 'PersistentConfig1');
    }
    return written;
  }

  writeSystemEvent('$scavenges', '$scavengeIndexInitialized');
  writeSystemEvent('$users', '$User');
  if (dataFile !== undefined) {
    for (const { stream, events, created } of readLines(dataFile)) accept(stream, events, created);
  }

  return {
    all,
    stream: (name) => streams.get(name) ?? [],
    append: (stream, expected, events) => {
      const existing = streams.get(stream) ?? [];
      const verdict = check(existing, expected, events);
      if (verdict !== 'write') return verdict;
      const created = BigInt(Date.now()) * 10_000n;
      if (dataFile !== undefined) appendFileSync(dataFile, line(stream, events, created));
      const last = accept(stream, events, created).at(-1);
      for (const listener of [...listeners]) listener();
      return { written: true, revision: last?.revision ?? -1n, position: last?.position };
    },
    onAppend: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/**
 * What the server's commit check does: ids are compared only where `expected` lies behind the
 * stream; a right expected revision with a known id appends a duplicate.
 */
function check(
  existing: StoredEvent[],
  expected: Expected,
  events: ProposedEvent[],
): AppendOutcome | 'write' {
  const current = BigInt(existing.length) - 1n;
  if (expected === 'any') return 'write';
  if (expected === 'exists')
    return current >= 0n ? 'write' : { written: false, current: undefined };
  const at = expected === 'no-stream' ? -1n : expected;
  if (at === current) return 'write';
  const there = existing.slice(Number(at) + 1, Number(at) + 1 + events.length);
  if (events.every((event, index) => event.id === there[index]?.id)) {
    return { written: true, revision: at + BigInt(events.length) };
  }
  return { written: false, current: current < 0n ? undefined : current };
}

const systemEvent = (type: string): ProposedEvent => ({
  id: '00000000-0000-4000-8000-000000000000',
  type,
  contentType: 'application/json',
  data: Buffer.from('{"system":true}'),
  metadata: new Uint8Array(),
});

type Line = { stream: string; created: string; events: [string, string, string, string, string][] };

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');

function line(stream: string, events: ProposedEvent[], created: bigint): string {
  const content: Line = {
    stream,
    created: created.toString(),
    events: events.map((e) => [e.id, e.type, e.contentType, base64(e.data), base64(e.metadata)]),
  };
  return `${JSON.stringify(content)}\n`;
}

function* readLines(dataFile: string) {
  if (!existsSync(dataFile)) return;
  const text = readFileSync(dataFile);
  const end = text.lastIndexOf('\n') + 1;
  truncateSync(dataFile, end);
  for (const json of text.subarray(0, end).toString('utf8').split('\n').slice(0, -1)) {
    const { stream, created, events } = JSON.parse(json) as Line;
    yield {
      stream,
      created: BigInt(created),
      events: events.map(([id, type, contentType, data, metadata]) => ({
        id,
        type,
        contentType,
        data: Buffer.from(data, 'base64'),
        metadata: Buffer.from(metadata, 'base64'),
      })),
    };
  }
}
