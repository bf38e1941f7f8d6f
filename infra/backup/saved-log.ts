/**
 * A log in a backup that is not in PostgreSQL: one event a line, in the order of the log. It is written and read page
 * by page, so that memory does not grow with the log.
 */
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline, type Writable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { EventStore, RecordedEvent } from '../../events/event-store.ts';
import { asPosition, type Position } from '../../events/position.ts';
import { type Content, writeContent } from './hashed-file.ts';

type SavedEvents = Content & { file: string };

/** The log of a backup: its files in order, and when the first event of it was read. */
export type SavedLog = { beganAt: string; files: SavedEvents[] };

const pageLimit = 500;
/** Characters of the events that are handed over together. */
const pageChars = 4 * 1024 * 1024;

const lineOf = ({ stream, version, position, id, type, data, metadata }: RecordedEvent): string =>
  `${JSON.stringify({ stream, version: `${version}`, position: `${position}`, id, type, data, metadata })}\n`;

const eventIn = (line: string): RecordedEvent => {
  const { version, position, ...rest } = JSON.parse(line) as Record<
    'stream' | 'version' | 'position' | 'id' | 'type' | 'data' | 'metadata',
    string
  >;
  return { ...rest, version: BigInt(version), position: asPosition(BigInt(position)) };
};

const writePage = async (sink: Writable, page: readonly RecordedEvent[]): Promise<void> => {
  for (const event of page) if (!sink.write(lineOf(event))) await once(sink, 'drain');
};

type SavedPart = { content: SavedEvents; last: RecordedEvent | undefined };

/** Saves the events after one position, up to another. `last`: of these events. */
export const saveEvents = async (
  store: Pick<EventStore, 'readAll'>,
  folder: string,
  { file, after, upTo }: { file: string; after: Position; upTo: Position },
): Promise<SavedPart> => {
  let last: RecordedEvent | undefined;
  const content = await writeContent(join(folder, file), async (sink) => {
    for (let place = after; place < upTo; ) {
      const read = await store.readAll({ after: place, limit: pageLimit });
      const page = read.filter(({ position }) => position <= upTo);
      await writePage(sink, page);
      last = page.at(-1) ?? last;
      if (last === undefined || page.length < read.length || page.length === 0) return;
      place = last.position;
    }
  });
  return { content: { ...content, file }, last };
};

async function* eventsIn(path: string): AsyncGenerator<RecordedEvent> {
  const source = pipeline(createReadStream(path), createGunzip(), () => undefined);
  let rest = '';
  for await (const text of source.setEncoding('utf8')) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield eventIn(line);
  }
}

async function* allEvents(folder: string, files: readonly SavedEvents[]) {
  for (const { file } of files) yield* eventsIn(join(folder, file));
}

/** The saved log, as a store that is read from its beginning to its end. */
export const openSavedLog = (
  folder: string,
  { files }: SavedLog,
  head: Position,
): Pick<EventStore, 'readAll' | 'head'> => {
  let events = allEvents(folder, files);
  let reached: Position = 0n;
  const begin = async (): Promise<void> => {
    await events.return(undefined);
    events = allEvents(folder, files);
    reached = 0n;
  };
  return {
    head: async () => head,
    readAll: async ({ after, limit = pageLimit }) => {
      if (after < reached) await begin();
      const page: RecordedEvent[] = [];
      for (let chars = 0; page.length < limit && chars < pageChars; ) {
        const { value: event } = await events.next();
        if (!event) break;
        reached = event.position;
        if (event.position <= after) continue;
        page.push(event);
        chars += event.data.length + event.metadata.length;
      }
      return page;
    },
  };
};
