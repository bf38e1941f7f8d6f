/** COPY … TO STDOUT into a stream, at the pace of the stream. */
import type { Writable } from 'node:stream';
import type { Connection } from 'pg';
import pg from 'pg';

/** The longest time of a timer: 24 days. Copying a large table has no shorter limit. */
const maxTimeoutMs = 2 ** 31 - 1;

/** A query that passes the rows on as they come. */
class CopyOut extends pg.Query {
  readonly #sink: Writable;
  /** Read by the client. */
  readonly query_timeout = maxTimeoutMs;
  #paused: NodeJS.ReadableStream | undefined;

  constructor(text: string, sink: Writable, done: (error: Error | null | undefined) => void) {
    super({ text }, undefined as never, done as never);
    this.#sink = sink;
  }

  handleCopyData({ chunk }: { chunk: Buffer }, connection: Connection): void {
    if (this.#sink.destroyed) return;
    // The client may use the memory of the chunk again.
    if (this.#sink.write(Buffer.from(chunk)) || this.#paused) return;
    const { stream } = connection as Connection & { stream: NodeJS.ReadableStream };
    this.#paused = stream.pause();
    for (const event of ['drain', 'close']) this.#sink.once(event, this.resume);
  }

  /** Also to be called at the end: a stream that is ended before it drains never says so. */
  readonly resume = (): void => {
    for (const event of ['drain', 'close']) this.#sink.off(event, this.resume);
    this.#paused?.resume();
    this.#paused = undefined;
  };
}

/** Writes the rows of a query in the text format of COPY. The stream stays open. */
export const copyOut = (client: pg.ClientBase, query: string, sink: Writable): Promise<void> =>
  new Promise((resolve, reject) => {
    const copying = new CopyOut(`copy (${query}) to stdout`, sink, (error) => {
      copying.resume();
      if (error) reject(error);
      else resolve();
    });
    client.query(copying);
  });
