/** The records that a stand-in server keeps between two runs: one line of JSON per append, unsynced. */
import { appendFileSync, existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';

export type ProposedEvent = {
  id: string;
  type: string;
  contentType: string;
  data: Uint8Array;
  metadata: Uint8Array;
};

type Append = { stream: string; events: ProposedEvent[]; created: bigint };

type Line = { stream: string; created: string; events: [string, string, string, string, string][] };

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');

function lineOf({ stream, events, created }: Append): string {
  const line: Line = {
    stream,
    created: created.toString(),
    events: events.map((e) => [e.id, e.type, e.contentType, base64(e.data), base64(e.metadata)]),
  };
  return `${JSON.stringify(line)}\n`;
}

function appendOf(json: string): Append {
  const { stream, created, events } = JSON.parse(json) as Line;
  return {
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

export const openRecordFile = (path: string) => ({
  add: (append: Append): void => appendFileSync(path, lineOf(append)),
  replace: (appends: Append[]): void => writeFileSync(path, appends.map(lineOf).join('')),
  /** A half-written last line is dropped. */
  read(): Append[] {
    if (!existsSync(path)) return [];
    const bytes = readFileSync(path);
    const end = bytes.lastIndexOf('\n') + 1;
    truncateSync(path, end);
    return bytes.subarray(0, end).toString('utf8').split('\n').slice(0, -1).map(appendOf);
  },
});
