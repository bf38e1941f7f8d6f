import type { Position } from '../../events/position.ts';
import type { Db, TransactionalDb } from '../../ground/db.ts';

/** Where a log lies: in the live tables, or in the second set that a reissue fills. */
export type LogTables = { credentials: string; tiles: string; log: string };

const tablesOf = (suffix: string): LogTables => ({
  credentials: `identity.credentials${suffix}`,
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

const dropTables = ({ credentials, tiles, log }: LogTables): string =>
  `drop table if exists ${credentials}, ${tiles}, ${log};`;

/** Makes the second set of tables, empty and shaped like the live ones. */
export const prepareNextTables = (db: Db) => {
  const made = (Object.keys(liveTables) as (keyof LogTables)[]).map(
    (part) => `create table ${nextTables[part]} (like ${liveTables[part]} including all);`,
  );
  return db.query(
    `${dropTables(nextTables)}${made.join('')}
     insert into ${nextTables.log} (size, position) values (0, 0);`,
  );
};

/** Replaces the live tables by the second set. For use in a transaction. */
export const flipTables = async (tx: Db): Promise<void> => {
  const named = (table: string): string => table.slice('identity.'.length);
  const renamed = (Object.keys(liveTables) as (keyof LogTables)[]).map(
    (part) => `alter table ${nextTables[part]} rename to ${named(liveTables[part])};`,
  );
  await tx.query(dropTables(liveTables) + renamed.join('\n'));
};

export const dropNextTables = (db: TransactionalDb) => db.query(dropTables(nextTables));
