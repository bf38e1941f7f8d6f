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

  constructor(text: string, sink: Writable, done: (error: Error | null | undefined) => void) {
    super({ text }, undefined as never, done as never);
    this.#sink = sink;
  }

  handleCopyData({ chunk }: { chunk: Buffer }, connection: Connection): void {
    const { stream } = connection as Connection & { stream: NodeJS.ReadableStream };
    // The client may use the memory of the chunk again.
    if (this.#sink.write(Buffer.from(chunk))) return;
    stream.pause();
    this.#sink.once('drain', () => stream.resume());
  }
}

/** Writes the rows of a query in the text format of COPY. The stream stays open. */
export const copyOut = (client: pg.ClientBase, query: string, sink: Writable): Promise<void> =>
  new Promise((resolve, reject) => {
    const done = (error: Error | null | undefined): void => (error ? reject(error) : resolve());
    client.query(new CopyOut(`copy (${query}) to stdout`, sink, done));
  });
