/** Generations of a read model's tables: the live one, which views show, and the one that is being filled. */

import { OutdatedProgram } from '../contract/store-refusals.ts';
import { type Db, oneRow, type TransactionalDb } from '../ground/db.ts';
import type { Place } from './batch.ts';
import { generationTable, type Projection } from './projection.ts';
import type { SealedSql } from './upsert.ts';

type Registered = { version: number; generation: number };

export const registered = (db: Db, name: string): Promise<Registered | undefined> =>
  oneRow(db, 'select version, generation from read_models.projections where name = $1', [name]);

/** The generation whose tables are read; 0 before there is one. */
export const liveGeneration = async (db: Db, name: string): Promise<number> =>
  (await registered(db, name))?.generation ?? 0;

/** @throws OutdatedProgram when a newer version of the projection fills the read model */
export const assertNotNewer = (
  known: Registered | undefined,
  { name, version }: Pick<Projection, 'name' | 'version'>,
): void => {
  if (known === undefined || known.version <= version) return;
  throw new OutdatedProgram(
    `the read model ${name} has version ${known.version}, and this program fills version ${version}`,
  );
};

/** The generation that a projection of this version may continue. @throws OutdatedProgram */
export const followedGeneration = async (
  db: Db,
  projection: Pick<Projection, 'name' | 'version'>,
): Promise<number> => {
  const known = await registered(db, projection.name);
  assertNotNewer(known, projection);
  return known?.generation ?? 0;
};

/** Statements without parameters, as one text: a rebuild has hundreds and would wait for each. */
const inOne = (statements: string[]): string => statements.join(';\n');

/**
 * The state in which a rebuild found its tables. The comment of a table names its version; a minus means that
 * its own indexes are not made yet. Programs that do not know the minus fill such tables anew.
 */
export type Prepared = { empty: boolean; indexed: boolean };

/** Makes the tables of a generation, empty, unless a rebuild that was cut short left them. */
export const prepare = (
  db: TransactionalDb,
  { name, version, tables }: Projection,
  generation: number,
  sealed: SealedSql | undefined,
): Promise<Prepared> =>
  db.transaction(
    async (tx) => {
      await tx.query('select pg_advisory_xact_lock(7305513263)');
      const { rows } = await tx.query<{ version: number }>(
        `select coalesce(obj_description(to_regclass($1)), '0')::int as version
         from read_models.checkpoints where name = $2 and generation = $3`,
        [generationTable(generation)(tables[0]?.name ?? ''), name, generation],
      );
      const found = rows[0]?.version;
      if (found === version || found === -version) return { empty: false, indexed: found > 0 };
      const made = tables.flatMap((table) => {
        const as = generationTable(generation)(table.name);
        return [
          `drop table if exists ${as} cascade`,
          table.create(as, sealed),
          `comment on table ${as} is '${-version}'`,
        ];
      });
      await tx.query(inOne(made));
      await tx.query(
        `insert into read_models.checkpoints (name, generation, position) values ($1, $2, 0)
         on conflict (name, generation)
           do update set position = 0, event_position = null, event_id = null`,
        [name, generation],
      );
      return { empty: true, indexed: false };
    },
    { unlimited: true },
  );

/**
 * Makes the indexes that loading and saving rows needs, all or none.
 * @param analyzed whether the planner is to know the rows before `index` is called
 */
export const makeOwnIndexes = (
  db: TransactionalDb,
  { projection: { tables, version }, generation }: Place,
  { analyzed }: { analyzed: boolean },
): Promise<void> =>
  db.transaction(
    async (tx) => {
      const statements = tables.flatMap((table) => {
        const as = generationTable(generation)(table.name);
        return [
          ...table.ownIndexes(as),
          // Nobody looks for rows of a table that only grows until readers do.
          ...(analyzed && !table.grows ? [`analyze ${as}`] : []),
          `comment on table ${as} is '${version}'`,
        ];
      });
      await tx.query(inOne(statements));
    },
    { unlimited: true },
  );

/** Makes the indexes of a generation that are not there yet, and lets the planner know its rows. */
export const index = async (db: Db, { projection, generation }: Place): Promise<void> => {
  for (const { name, indexes } of projection.tables) {
    const table = generationTable(generation)(name);
    for (const [n, { on, unique }] of indexes.entries()) {
      await db.query(
        `create ${unique ? 'unique ' : ''}index if not exists ${name}_g${generation}_index_${n}
         on ${table} ${on}`,
      );
    }
    await db.query(`analyze ${table}`);
  }
};

/** Drops the read models that a projection replaces, and what rebuilds of them that were cut short left. */
const dropReplaced = async (tx: Db, { replaces = [] }: Projection): Promise<void> => {
  await tx.query('delete from read_models.projections where name = any($1)', [replaces]);
  const { rows } = await tx.query<{ name: string; generation: number }>(
    'delete from read_models.checkpoints where name = any($1) returning name, generation',
    [replaces],
  );
  const views = replaces.map((name) => `drop view if exists read_models.${name}`);
  const tables = rows.map(
    ({ name, generation }) => `drop table if exists ${generationTable(generation)(name)}`,
  );
  for (const statement of [...views, ...tables]) await tx.query(statement);
};

/** Makes a generation the live one and drops the one before. */
export const flip = async (
  tx: Db,
  { projection, generation }: Place,
  sealed: SealedSql | undefined,
): Promise<void> => {
  const { name, version, tables } = projection;
  const before = [...tables.map((table) => table.name), ...(projection.retired ?? [])];
  const views = tables.map((table) => {
    const view = table.view(generationTable(generation)(table.name), sealed);
    return `create view read_models.${table.name} as ${view}`;
  });
  const dropped = before.map((base) => `drop view if exists read_models.${base}`);
  await tx.query(inOne([...dropped, ...views]));
  await tx.query(
    `insert into read_models.projections (name, version, generation) values ($1, $2, $3)
     on conflict (name) do update set version = $2, generation = $3`,
    [name, version, generation],
  );
  await tx.query('delete from read_models.checkpoints where name = $1 and generation < $2', [
    name,
    generation,
  ]);
  const old = before.map((base) => `drop table if exists ${generationTable(generation - 1)(base)}`);
  await tx.query(inOne(old));
  await dropReplaced(tx, projection);
};
