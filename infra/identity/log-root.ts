import type { Db } from '../../ground/db.ts';
import type { Range } from '../../identity/merkle.ts';
import { rangeRoot, tilesOfRanges } from '../../identity/tiles.ts';
import type { LogTables } from './credential-tables.ts';

/** Root of the log at a size. @throws Error when a tile is missing */
export const rootOf = async (db: Db, tables: LogTables, size: number): Promise<Buffer> => {
  const whole: Range = [0, size];
  const tiles = new Map<string, Buffer>();
  for (const { level, index } of tilesOfRanges([whole])) {
    const { rows } = await db.query<{ hashes: Buffer }>(
      `select hashes from ${tables.tiles} where level = $1 and index = $2`,
      [level, index],
    );
    if (rows[0]) tiles.set(`${level}/${index}`, rows[0].hashes);
  }
  return rangeRoot(whole, ({ level, index }) => tiles.get(`${level}/${index}`));
};
