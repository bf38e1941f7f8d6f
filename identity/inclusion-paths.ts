/** Audit paths of many leaves at once: shared parts are read and computed once. */
import { mapInSlices } from '../ground/slices.ts';
import type { CredentialLog } from './credential-log.ts';
import { inclusionRanges, type Range } from './merkle.ts';
import { rangeRoot, type TileId, tilesOfRanges, widthAt } from './tiles.ts';

const tilesAtOnce = 32;

/**
 * By leaf. `tile` reads the tiles of the log. Other work of the event loop runs in between.
 * @throws Error when a tile is missing
 */
export const inclusionPaths = async (
  { tile }: Pick<CredentialLog, 'tile'>,
  indexes: readonly number[],
  size: number,
): Promise<Map<number, Buffer[]>> => {
  const nameOf = ([from, to]: Range): string => `${from}-${to}`;
  const ranges = new Map<string, Range>();
  const tileIds = new Map<string, TileId>();
  const want = (range: Range): void => {
    if (ranges.has(nameOf(range))) return;
    ranges.set(nameOf(range), range);
    for (const id of tilesOfRanges([range])) tileIds.set(`${id.level}/${id.index}`, id);
  };
  const rangesOf = new Map(
    await mapInSlices(indexes, (index) => {
      const path = inclusionRanges(index, size);
      for (const range of path) want(range);
      return [index, path] as const;
    }),
  );
  const ids = [...tileIds.values()];
  const tiles = new Map<string, Buffer | undefined>();
  for (let next = 0; next < ids.length; next += tilesAtOnce) {
    await Promise.all(
      ids.slice(next, next + tilesAtOnce).map(async (id) => {
        tiles.set(`${id.level}/${id.index}`, await tile(id.level, id.index, widthAt(id, size)));
      }),
    );
  }
  const rootOf = (range: Range): Buffer =>
    rangeRoot(range, ({ level, index }) => tiles.get(`${level}/${index}`));
  const roots = new Map(
    await mapInSlices([...ranges], ([name, range]) => [name, rootOf(range)] as const),
  );
  const rootsOf = (path: Range[]): Buffer[] =>
    path.map((range) => roots.get(nameOf(range)) as Buffer);
  return new Map(
    await mapInSlices([...rangesOf], ([index, path]) => [index, rootsOf(path)] as const),
  );
};
