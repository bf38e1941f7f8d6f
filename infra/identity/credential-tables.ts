import type { Position } from '../../events/position.ts';
import type { Db, TransactionalDb } from '../../ground/db.ts';

/** Where a log lies: the one that is read, or the one that is filled beside it. */
export type LogTables = { credentials: string; tiles: string; log: string };

const tablesOf = (suffix: string): LogTables => ({
  credentials: `identity.credentials${suffix}`,
  tiles: `identity.tiles${suffix}`,
  log: `identity.log${suffix}`,
});

export const liveTables = tablesOf('');
export const nextTables = tablesOf('_next');

const createTables = ({ credentials, tiles, log }: LogTables): string => `
create table if not exists ${credentials} (
  log_index  bigint primary key,            -- leaf of the log: 0, 1, 2 …
  event_id   uuid not null unique,
  stream     text collate "C" not null,
  sequence   bigint not null,               -- version of the event in its stream, plus 1
  position   bigint not null,               -- of the event in the event log
  account_id text collate "C" not null,     -- empty for the service's own
  hash       bytea not null unique,         -- SHA-256 of the credential
  jwt        text collate "C" not null,
  unique (stream, sequence)
);
create index if not exists ${credentials.split('.')[1]}_of_account on ${credentials} (account_id, log_index);
-- Tiles of 256 hashes; the last one of each level grows.
create table if not exists ${tiles} (
  level  int not null,
  index  bigint not null,
  hashes bytea not null,
  primary key (level, index)
);
-- One row: how many leaves there are, and up to where in the event log every event has one.
create table if not exists ${log} (
  one      boolean primary key default true check (one),
  size     bigint not null,
  position bigint not null
);
insert into ${log} (size, position) values (0, 0) on conflict do nothing;`;

const checkpoints = `
-- Signed statements about the log: the latest, and the last one of each hour.
create table if not exists identity.checkpoints (
  size bigint primary key,
  root bytea not null,
  note text not null,
  at   timestamptz not null
);
create index if not exists checkpoints_at on identity.checkpoints (at);`;

/** Told in the transaction that issues credentials. */
export const issuedChannel = 'credentials_issued';

/** Up to here in the event log every event has its credential. */
export const issuedUpTo = async (db: Db): Promise<Position> => {
  const { rows } = await db.query<{ position: Position }>(`select position from ${liveTables.log}`);
  return rows[0]?.position ?? 0n;
};

/** Makes the tables of the log that is read. */
export const prepareCredentialTables = (db: Db) =>
  db.query(`
-- Two processes that start at once must not make the schema at once.
select pg_advisory_xact_lock(7305513262);
create schema if not exists identity;
${createTables(liveTables)}
${checkpoints}`);

const dropTables = ({ credentials, tiles, log }: LogTables): string =>
  `drop table if exists ${credentials}, ${tiles}, ${log};`;

/** Makes the tables beside, empty. */
export const prepareNextTables = (db: Db) =>
  db.query(`${dropTables(nextTables)}${createTables(nextTables)}`);

/** Puts the tables beside in the place of those that are read. For use in a transaction. */
export const flipTables = async (tx: Db): Promise<void> => {
  const named = (table: string): string => table.slice('identity.'.length);
  const renamed = (Object.keys(liveTables) as (keyof LogTables)[]).map(
    (part) => `alter table ${nextTables[part]} rename to ${named(liveTables[part])};`,
  );
  await tx.query(dropTables(liveTables) + renamed.join('\n'));
  await tx.query(
    `alter index identity.${named(nextTables.credentials)}_of_account rename to ${named(liveTables.credentials)}_of_account`,
  );
};

export const dropNextTables = (db: TransactionalDb) => db.query(dropTables(nextTables));
