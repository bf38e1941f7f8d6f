/** The database as modules with their own statements see it. */
export type Db = {
  query<R>(text: string, values?: unknown[]): Promise<{ rows: R[]; rowCount: number | null }>;
};

/** The database within a transaction. */
export type Transaction = Db & {
  /** Adds rows to a table, in the text format of COPY, with all its columns. A chunk may end within a row. */
  copyIn(into: string, rows: readonly Buffer[]): Promise<void>;
};

/** A database that can run several statements as one transaction. */
export type TransactionalDb = Db & {
  /** `unlimited`: its statements, and the time between them, may take as long as they take. */
  transaction<T>(
    work: (tx: Transaction) => Promise<T>,
    options?: { unlimited: boolean },
  ): Promise<T>;
};

export const allRows = async <R>(db: Db, text: string, values?: unknown[]): Promise<R[]> =>
  (await db.query<R>(text, values)).rows;

/** The first row of the answer; undefined when the answer has no rows. */
export const oneRow = async <R>(db: Db, text: string, values?: unknown[]): Promise<R | undefined> =>
  (await allRows<R>(db, text, values))[0];
