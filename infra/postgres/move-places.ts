/** Translates the positions that this database holds, for a log that was copied to another store. */

import type { EventMark } from '../../events/event-store.ts';
import { asPosition, type Position } from '../../events/position.ts';
import type { Db } from '../../ground/db.ts';
import { liveTables } from '../identity/credential-tables.ts';
import { logCheckpoints, markColumns } from './log-checkpoints.ts';

/** Columns whose positions are translated by number, with the condition on their rows. */
const columns = logCheckpoints
  .filter(({ onCopy }) => onCopy === 'translate')
  .flatMap(({ table, column, consumer, where = 'true' }) => [
    { table, column, where },
    ...(consumer === undefined ? [] : [{ table, column: markColumns[0], where: 'true' }]),
  ]);

/** Every position that this database holds, the first one first, without those before the first event. */
export const placesHeld = async (tx: Db): Promise<bigint[]> => {
  const each = columns.map(
    ({ table, column, where }) => `select ${column} from ${table} where ${where}`,
  );
  const { rows } = await tx.query<{ place: bigint }>(
    `select place from (${each.join(' union ')}) as held (place) where place > 0 order by place`,
  );
  return rows.map(({ place }) => place);
};

/** The last event that the database knows of: of its consumers, and of its credentials. */
export const lastPlaceHeld = async (tx: Pick<Db, 'query'>): Promise<Position> => {
  const each = logCheckpoints.map(
    ({ table, column, where = 'true' }) => `select max(${column}) from ${table} where ${where}`,
  );
  const { rows } = await tx.query<{ place: string }>(
    `select coalesce(max(place), 0)::text as place from (${each.join(' union all ')}) as held (place)`,
  );
  return asPosition(BigInt(rows[0]?.place ?? 0));
};

/** Puts the place of each event, in the log that is followed from now on, to its credential. */
export const moveCredentials = async (tx: Db, events: readonly EventMark[]): Promise<void> => {
  await tx.query(
    `update ${liveTables.issued} c set position = moved.position
     from unnest($1::uuid[], $2::bigint[]) as moved (id, position) where c.event_id = moved.id`,
    [events.map(({ id }) => id), events.map(({ position }) => position)],
  );
};

/** Each column in one statement, so that no position is moved twice. */
export const movePlaces = async (tx: Db, moved: ReadonlyMap<bigint, Position>): Promise<void> => {
  for (const { table, column, where } of columns) {
    await tx.query(
      `update ${table} held set ${column} = moved.place
       from unnest($1::bigint[], $2::bigint[]) as moved (old, place)
       where ${where} and held.${column} = moved.old`,
      [[...moved.keys()], [...moved.values()]],
    );
  }
};

/** Read models belong to no log then: the next start fills them, as it does after an upgrade. */
export const forgetReadModels = async (tx: Db): Promise<void> => {
  await tx.query(
    `delete from read_models.checkpoints c where generation > coalesce(
       (select p.generation from read_models.projections p where p.name = c.name), 0)`,
  );
  await tx.query(
    'update read_models.checkpoints set position = 0, event_position = null, event_id = null',
  );
  await tx.query('update read_models.projections set version = 0');
};

/** Sets every position back to one up to which the log and this database are the same. */
export const setBackTo = async (tx: Db, position: bigint): Promise<void> => {
  for (const { table, column, consumer, where = 'true', onSetBack } of logCheckpoints) {
    if (onSetBack === 'delete') {
      await tx.query(`delete from ${table} where ${column} > $1`, [position]);
    }
    if (onSetBack !== 'set') continue;
    const unmarked = consumer ? markColumns.map((mark) => `, ${mark} = null`).join('') : '';
    await tx.query(
      `update ${table} set ${column} = least(${column}, $1)${unmarked} where ${where}`,
      [position],
    );
  }
};
