import type { Position } from '../../events/position.ts';
import type { Db, TransactionalDb } from '../../ground/db.ts';

/** Where a log is stored: the current one, or the one that is filled next to it. */
export type LogTables = {
  /** The view that credentials are read by. */
  credentials: string;
  /** The table of the columns that the view does not derive. */
  issued: string;
  tiles: string;
  log: string;
};

const tablesOf = (suffix: string): LogTables => ({
  credentials: `identity.credentials${suffix}`,
  issued: `identity.issued${suffix}`,
  tiles: `identity.tiles${suffix}`,
  log: `identity.log${suffix}`,
});

export const liveTables = tablesOf('');
export const nextTables = tablesOf('_next');

/** Told in the transaction that issues credentials. */
export const issuedChannel = 'credentials_issued';

/** Up to here in the event log every event has its credential. */
export const issuedUpTo = async (db: Db): Promise<Position> => {
  const { rows } = await db.query<{ position: Position }>(`select position from ${liveTables.log}`);
  return rows[0]?.position ?? 0n;
};

const parts = ['issued', 'tiles', 'log'] as const;

const named = (table: string): string => table.slice('identity.'.length);

const makeView = ({ credentials, issued }: LogTables): string =>
  `select identity.make_credentials_view('${named(credentials)}', '${named(issued)}');`;

const dropTables = ({ credentials, issued, tiles, log }: LogTables): string =>
  `drop view if exists ${credentials}; drop table if exists ${issued}, ${tiles}, ${log};`;

/** Makes tables next to those that are read: the same ones, and empty. */
export const prepareNextTables = (db: Db) => {
  const made = parts.map(
    (part) => `create table ${nextTables[part]} (like ${liveTables[part]} including all);`,
  );
  return db.query(
    `${dropTables(nextTables)}${made.join('')}${makeView(nextTables)}
     insert into ${nextTables.log} (size, position) values (0, 0);`,
  );
};

/** Replaces the tables that are read. For use in a transaction. */
export const flipTables = async (tx: Db): Promise<void> => {
  const renamed = parts.map(
    (part) => `alter table ${nextTables[part]} rename to ${named(liveTables[part])};`,
  );
  await tx.query(
    `${dropTables(liveTables)} drop view ${nextTables.credentials};
     ${renamed.join('\n')}${makeView(liveTables)}`,
  );
};

export const dropNextTables = (db: TransactionalDb) => db.query(dropTables(nextTables));
