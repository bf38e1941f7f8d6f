/** The database as whoever has a statement for it sees it. */
export type Db = {
  query<R>(text: string, values?: unknown[]): Promise<{ rows: R[]; rowCount: number | null }>;
};

/** A database that can run several statements as one transaction. */
export type TransactionalDb = Db & {
  /** `unlimited`: its statements, and the time between them, may take as long as they take. */
  transaction<T>(work: (db: Db) => Promise<T>, options?: { unlimited: boolean }): Promise<T>;
};
