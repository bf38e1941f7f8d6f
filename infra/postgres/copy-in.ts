/** COPY … FROM STDIN of rows that are in memory. */
import type { Connection } from 'pg';
import pg from 'pg';

/** Text that goes to the server at once. */
const chunkLength = 256 * 1024;

/** Parts of a text, of at most `length` characters and one more where a part would end within a character. */
export function* chunksOf(text: string, length: number): Generator<string> {
  for (let from = 0, to = 0; from < text.length; from = to) {
    to = Math.min(from + length, text.length);
    const last = text.charCodeAt(to - 1);
    // The first half of a character beyond U+FFFF would be written as a replacement character.
    if (last >= 0xd800 && last <= 0xdbff && to < text.length) to += 1;
    yield text.slice(from, to);
  }
}

type CopyConnection = Connection & {
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
};

/** A query that answers the server's question for rows. */
class CopyIn extends pg.Query {
  readonly #rows: string;
  /** Read by the client. */
  readonly query_timeout: number;

  constructor(
    text: string,
    rows: string,
    timeoutMs: number,
    done: (error: Error | null | undefined) => void,
  ) {
    super({ text }, undefined as never, done as never);
    this.#rows = rows;
    this.query_timeout = timeoutMs;
  }

  handleCopyInResponse(connection: CopyConnection): void {
    for (const chunk of chunksOf(this.#rows, chunkLength)) {
      connection.sendCopyFromChunk(Buffer.from(chunk));
    }
    connection.endCopyFrom();
  }
}

/** Adds rows to a table, in the text format of COPY. */
export const copyIn = (
  client: pg.ClientBase,
  { into, rows, timeoutMs }: { into: string; rows: string; timeoutMs: number },
): Promise<void> =>
  new Promise((resolve, reject) => {
    const done = (error: Error | null | undefined): void => (error ? reject(error) : resolve());
    client.query(new CopyIn(`copy ${into} from stdin`, rows, timeoutMs, done));
  });
