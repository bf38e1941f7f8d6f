/** Audit paths of many leaves at once: what they share is read and computed once. */
import type { CredentialLog } from './credential-log.ts';
import { inclusionRanges, type Range } from './merkle.ts';
import { rangeRoot, tilesOfRanges, widthAt } from './tiles.ts';

const tilesAtOnce = 32;

/** By leaf. `tile` reads the tiles of the log. @throws Error when a tile is missing */
export const inclusionPaths = async (
  { tile }: Pick<CredentialLog, 'tile'>,
  indexes: readonly number[],
  size: number,
): Promise<Map<number, Buffer[]>> => {
  const nameOf = ([from, to]: Range): string => `${from}-${to}`;
  const rangesOf = new Map(indexes.map((index) => [index, inclusionRanges(index, size)]));
  const ranges = new Map([...rangesOf.values()].flat().map((range) => [nameOf(range), range]));
  const ids = tilesOfRanges([...ranges.values()]);
  const tiles = new Map<string, Buffer | undefined>();
  for (let next = 0; next < ids.length; next += tilesAtOnce) {
    await Promise.all(
      ids.slice(next, next + tilesAtOnce).map(async (id) => {
        tiles.set(`${id.level}/${id.index}`, await tile(id.level, id.index, widthAt(id, size)));
      }),
    );
  }
  const roots = new Map(
    [...ranges].map(([name, range]) => [
      name,
      rangeRoot(range, ({ level, index }) => tiles.get(`${level}/${index}`)),
    ]),
  );
  return new Map(
    [...rangesOf].map(([index, path]) => [
      index,
      path.map((range) => roots.get(nameOf(range)) as Buffer),
    ]),
  );
};
