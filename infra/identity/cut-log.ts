import type { Position } from '../../events/event-store.ts';
import type { Db } from '../../ground/db.ts';
import { leafHash } from '../../identity/merkle.ts';
import { appendLeaves, type TileId, tileWidth } from '../../identity/tiles.ts';
import { liveTables } from './credential-tables.ts';

const batchLimit = 5_000;

const saveTiles = async (db: Db, tiles: (TileId & { hashes: Buffer })[]): Promise<void> => {
  for (const { level, index, hashes } of tiles) {
    await db.query(
      `insert into ${liveTables.tiles} (level, index, hashes) values ($1, $2, $3)
       on conflict (level, index) do update set hashes = excluded.hashes`,
      [level, index, hashes],
    );
  }
};

/**
 * Removes the credentials from a leaf on, and the checkpoints signed over them. Use it only for a log whose
 * events are lost for good: everybody who kept a later checkpoint can show that the log of credentials was
 * cut.
 * @param to where in the event log the last one that stays belongs
 */
export const cutCredentials = async (tx: Db, size: number, to: Position): Promise<void> => {
  const { credentials, issued, tiles, log } = liveTables;
  await tx.query(`delete from ${issued} where log_index >= $1`, [size]);
  await tx.query('delete from identity.checkpoints where size > $1', [size]);
  await tx.query(`delete from ${tiles}`);
  const edge = new Map<string, Buffer>();
  for (let from = 0; from < size; from += batchLimit) {
    const { rows } = await tx.query<{ jwt: string }>(
      `select jwt from ${credentials} where log_index >= $1 and log_index < $2 order by log_index`,
      [from, from + batchLimit],
    );
    const leaves = rows.map(({ jwt }) => leafHash(jwt));
    const changed = appendLeaves(from, ({ level, index }) => edge.get(`${level}/${index}`), leaves);
    await saveTiles(tx, [...changed.values()]);
    for (const [id, { hashes }] of changed) {
      if (hashes.length < tileWidth * 32) edge.set(id, hashes);
      else edge.delete(id);
    }
  }
  await tx.query(`update ${log} set size = $1, position = $2`, [size, to]);
};
