/** The database as whoever has a statement for it sees it. */
export type Db = {
  query<R>(text: string, values?: unknown[]): Promise<{ rows: R[]; rowCount: number | null }>;
};

/** A database that can run several statements as one transaction. */
export type TransactionalDb = Db & {
  transaction<T>(work: (db: Db) => Promise<T>): Promise<T>;
};
