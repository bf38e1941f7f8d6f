/** Appends to one log what another has beyond it: in order, with ids and bytes as they are. */
import type { EventStore, RecordedEvent, StreamAppend } from '../../events/event-store.ts';
import type { Position } from '../../events/position.ts';
import { Refused } from '../command.ts';

const pageLimit = 1_000;
/** The size of one append. Servers of EventStoreDB accept 1 MiB by default. */
const maxChars = 300_000;

const sizeOf = ({ data, metadata }: RecordedEvent): number => data.length + metadata.length;

/** Events in a row of one stream, as they are appended together. */
const runsOf = (events: readonly RecordedEvent[]): StreamAppend[] => {
  const runs: StreamAppend[] = [];
  let chars = 0;
  let before: RecordedEvent | undefined;
  for (const event of events) {
    const { id, type, data, metadata, stream, version } = event;
    const goesOn = before?.stream === stream && before.version + 1n === version;
    if (!goesOn || chars + sizeOf(event) > maxChars) {
      runs.push({ stream, expected: version === 0n ? 'no-stream' : version - 1n, events: [] });
      chars = 0;
    }
    runs.at(-1)?.events.push({ id, type, data, metadata });
    chars += sizeOf(event);
    before = event;
  }
  return runs;
};

/** Runs that may be appended in one commit, where the store has one: each stream once. */
const commitsOf = (runs: readonly StreamAppend[]): StreamAppend[][] => {
  const commits: StreamAppend[][] = [];
  let streams = new Set<string>();
  for (const run of runs) {
    if (commits.length === 0 || streams.has(run.stream)) {
      commits.push([]);
      streams = new Set();
    }
    streams.add(run.stream);
    commits.at(-1)?.push(run);
  }
  return commits;
};

/**
 * One append after the other, so that the order of the log is the same. Calls back with how many were
 * copied. Returns how many there were.
 */
export const copyAfter = async (
  source: Pick<EventStore, 'readAll'>,
  target: Pick<EventStore, 'append' | 'appendAll'>,
  after: Position,
  onProgress: (copied: number) => void,
): Promise<number> => {
  let copied = 0;
  for (let place = after; ; ) {
    const page = await source.readAll({ after: place, limit: pageLimit });
    const last = page.at(-1);
    if (!last) return copied;
    const runs = runsOf(page);
    if (target.appendAll) {
      for (const commit of commitsOf(runs)) await target.appendAll(commit, []);
    } else {
      for (const { stream, expected, events } of runs) {
        const { version } = await target.append(stream, expected, events);
        const wanted = (expected === 'no-stream' ? -1n : expected) + BigInt(events.length);
        if (version !== wanted) throw new Refused(`${stream} is at ${version}, not ${wanted}`);
      }
    }
    place = last.position;
    copied += page.length;
    onProgress(copied);
  }
};
