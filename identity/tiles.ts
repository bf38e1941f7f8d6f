/**
 * The tree in tiles of 256 hashes, as C2SP tlog-tiles has it: level 0 are the leaves, an entry of level
 * L is the root of a complete subtree of 256ᴸ leaves. A tile that is full never changes; the last one of
 * each level grows.
 */
import { foldRange, type Node, nodeHash, nodesOfRange, type Range } from './merkle.ts';

export const tileWidth = 256;
const hashBytes = 32;
/** Binary levels in a tile. */
const height = 8;

export type TileId = { level: number; index: number };

/** Hashes one after the other, 32 bytes each. */
type Tiles = (id: TileId) => Buffer | undefined;

class MissingTile extends Error {
  constructor({ level, index }: TileId) {
    super(`tile ${level}/${index} of the log is not there or too short`);
    this.name = 'MissingTile';
  }
}

/** Which entries of which tile a node is computed of. */
const placeOf = ({ level, index }: Node): TileId & { first: number; count: number } => {
  const count = 2 ** (level % height);
  const entry = index * count;
  return {
    level: Math.floor(level / height),
    index: Math.floor(entry / tileWidth),
    first: entry % tileWidth,
    count,
  };
};

/** Tiles that are needed to compute the roots of these ranges. */
export const tilesOfRanges = (ranges: readonly Range[]): TileId[] => {
  const wanted = new Map<string, TileId>();
  for (const [from, to] of ranges) {
    for (const node of nodesOfRange(from, to)) {
      const { level, index } = placeOf(node);
      wanted.set(`${level}/${index}`, { level, index });
    }
  }
  return [...wanted.values()];
};

/** Root of `count` entries of a tile, a power of two. */
const combine = (tile: Buffer, first: number, count: number): Buffer => {
  let row = Array.from({ length: count }, (_, n) =>
    tile.subarray((first + n) * hashBytes, (first + n + 1) * hashBytes),
  );
  while (row.length > 1) {
    row = row.flatMap((left, n) => (n % 2 === 0 ? [nodeHash(left, row[n + 1] as Buffer)] : []));
  }
  return row[0] as Buffer;
};

const nodeOf = (node: Node, tiles: Tiles): Buffer => {
  const { first, count, ...id } = placeOf(node);
  const tile = tiles(id);
  if (!tile || tile.length < (first + count) * hashBytes) throw new MissingTile(id);
  return combine(tile, first, count);
};

/** Root of the leaves of a range. @throws Error when a tile is missing */
export const rangeRoot = ([from, to]: Range, tiles: Tiles): Buffer =>
  foldRange(nodesOfRange(from, to).map((node) => nodeOf(node, tiles)));

/** How many hashes tile `index` of `level` has in a tree of `size` leaves; 0: there is none. */
export const widthAt = ({ level, index }: TileId, size: number): number => {
  const entries = Math.floor(size / tileWidth ** level);
  return Math.max(0, Math.min(tileWidth, entries - index * tileWidth));
};

/** `000`, `x001/x234/067` */
const numberPath = (index: number): string => {
  const groups: string[] = [];
  let rest = index;
  do {
    groups.unshift(String(rest % 1_000).padStart(3, '0'));
    rest = Math.floor(rest / 1_000);
  } while (rest > 0);
  return groups.map((group, n) => (n < groups.length - 1 ? `x${group}` : group)).join('/');
};

/** Path of a tile behind `tile/`: `0/x001/067`, with `.p/<width>` unless it is full. */
export const tilePath = ({ level, index }: TileId, width = tileWidth): string =>
  `${level}/${numberPath(index)}${width === tileWidth ? '' : `.p/${width}`}`;

const pathPattern = /^(\d{1,2})\/((?:x\d{3}\/){0,4}\d{3})(?:\.p\/([1-9]\d{0,2}))?$/;

/** The tile that a path names. Undefined unless the path has its one canonical form. */
export const parseTilePath = (path: string): (TileId & { width: number }) | undefined => {
  const [, level, digits = '', width] = pathPattern.exec(path) ?? [];
  if (level === undefined) return undefined;
  const index = Number(digits.replaceAll(/[x/]/g, ''));
  const tile = {
    level: Number(level),
    index,
    width: width === undefined ? tileWidth : Number(width),
  };
  const canonical = tile.width <= tileWidth && tilePath(tile, tile.width) === path;
  return canonical ? tile : undefined;
};

/**
 * Appends leaves to a tree of `size` leaves whose last tiles are given; O(1) hashes per leaf. Returns the
 * tiles that changed, whole. The given tiles are not changed.
 */
export const appendLeaves = (
  size: number,
  edge: Tiles,
  leaves: readonly Buffer[],
): Map<string, TileId & { hashes: Buffer }> => {
  const changed = new Map<string, TileId & { hashes: Buffer }>();
  let level = 0;
  let entries = size;
  let news = leaves;
  while (news.length > 0) {
    const above: Buffer[] = [];
    for (let taken = 0; taken < news.length; ) {
      const index = Math.floor(entries / tileWidth);
      const used = entries % tileWidth;
      const more = news.slice(taken, taken + tileWidth - used);
      const before = used === 0 ? Buffer.alloc(0) : edge({ level, index });
      if (!before || before.length < used * hashBytes) {
        throw new MissingTile({ level, index });
      }
      const hashes = Buffer.concat([before.subarray(0, used * hashBytes), ...more]);
      changed.set(`${level}/${index}`, { level, index, hashes });
      taken += more.length;
      entries += more.length;
      if (entries % tileWidth === 0) {
        above.push(combine(hashes, 0, tileWidth));
      }
    }
    entries = Math.floor(size / tileWidth ** (level + 1));
    news = above;
    level++;
  }
  return changed;
};
