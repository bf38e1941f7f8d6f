/** COPY … FROM STDIN of rows that are in memory. */
import type { Connection } from 'pg';
import pg from 'pg';

type CopyConnection = Connection & {
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
};

/** A query that answers the server's question for rows. */
class CopyIn extends pg.Query {
  readonly #rows: readonly Buffer[];
  /** Read by the client. */
  readonly query_timeout: number;

  constructor(
    text: string,
    rows: readonly Buffer[],
    timeoutMs: number,
    done: (error: Error | null | undefined) => void,
  ) {
    super({ text }, undefined as never, done as never);
    this.#rows = rows;
    this.query_timeout = timeoutMs;
  }

  handleCopyInResponse(connection: CopyConnection): void {
    for (const chunk of this.#rows) connection.sendCopyFromChunk(chunk);
    connection.endCopyFrom();
  }
}

/** Adds rows to a table, in the text format of COPY and UTF-8. A chunk may end anywhere. */
export const copyIn = (
  client: pg.ClientBase,
  { into, rows, timeoutMs }: { into: string; rows: readonly Buffer[]; timeoutMs: number },
): Promise<void> =>
  new Promise((resolve, reject) => {
    const done = (error: Error | null | undefined): void => (error ? reject(error) : resolve());
    client.query(new CopyIn(`copy ${into} from stdin`, rows, timeoutMs, done));
  });
