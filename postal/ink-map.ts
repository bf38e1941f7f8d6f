import type { Box } from './types.ts';

/**
 * Where a page will carry ink, as a summed-area table: any box is counted in constant time.
 * Pixels may be slightly oblong, so that the map covers the page exactly.
 */
export type InkMap = {
  widthPx: number;
  heightPx: number;
  pxPerMmX: number;
  pxPerMmY: number;
  /** (widthPx + 1) × (heightPx + 1) counts of inked pixels above and to the left. */
  sums: Uint32Array;
};

/** CHOICE: lighter greys than this (0 black, 255 white) leave no visible ink on paper. */
export const inkBelowGrey = 245;
/** Ink that is nearer than this belongs to the same block: lines of a paragraph, words of a line. */
const blockGapMm = 2;

/**
 * @param grey one byte per pixel, rows without padding
 * @param page size of what is pictured, mm
 */
export function inkMapOf(
  grey: Uint8Array,
  widthPx: number,
  heightPx: number,
  page: { width: number; height: number },
): InkMap {
  const sums = new Uint32Array((widthPx + 1) * (heightPx + 1));
  for (let y = 0, at = 0; y < heightPx; y++) {
    const above = y * (widthPx + 1);
    const here = above + widthPx + 1;
    for (let x = 0, row = 0; x < widthPx; x++, at++) {
      if ((grey[at] ?? 255) < inkBelowGrey) row++;
      sums[here + x + 1] = (sums[above + x + 1] ?? 0) + row;
    }
  }
  return {
    widthPx,
    heightPx,
    pxPerMmX: widthPx / page.width,
    pxPerMmY: heightPx / page.height,
    sums,
  };
}

/** Pixels from `left` and `top` up to before `right` and `bottom`. */
type Range = { left: number; top: number; right: number; bottom: number };

const clamp = (value: number, max: number): number => Math.min(Math.max(value, 0), max);

/** A pixel belongs to a box when its middle does. */
function rangeOf(map: InkMap, box: Box): Range {
  const { pxPerMmX, pxPerMmY, widthPx, heightPx } = map;
  return {
    left: clamp(Math.ceil(box.x * pxPerMmX - 0.5), widthPx),
    top: clamp(Math.ceil(box.y * pxPerMmY - 0.5), heightPx),
    right: clamp(Math.ceil((box.x + box.width) * pxPerMmX - 0.5), widthPx),
    bottom: clamp(Math.ceil((box.y + box.height) * pxPerMmY - 0.5), heightPx),
  };
}

function countRange({ sums, widthPx }: InkMap, range: Range): number {
  if (range.right <= range.left || range.bottom <= range.top) return 0;
  const at = (x: number, y: number): number => sums[y * (widthPx + 1) + x] ?? 0;
  return (
    at(range.right, range.bottom) -
    at(range.left, range.bottom) -
    at(range.right, range.top) +
    at(range.left, range.top)
  );
}

/** Inked pixels in a box. */
export const countInk = (map: InkMap, box: Box): number => countRange(map, rangeOf(map, box));

/** The smallest number in [low, high] that holds; `high` is known to. */
function firstThat(low: number, high: number, holds: (value: number) => boolean): number {
  let [from, to] = [low, high];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (holds(middle)) to = middle;
    else from = middle + 1;
  }
  return from;
}

/** The smallest box around the ink in a box, mm; undefined where there is none. */
export function inkWithin(map: InkMap, box: Box): Box | undefined {
  const range = rangeOf(map, box);
  if (countRange(map, range) === 0) return undefined;
  const { left, top, right, bottom } = range;
  const inked = (part: Partial<Range>) => countRange(map, { ...range, ...part }) > 0;
  const lastThat = (low: number, high: number, holds: (value: number) => boolean): number =>
    -firstThat(-high, -low, (value) => holds(-value));
  const found = {
    left: firstThat(left + 1, right, (x) => inked({ right: x })) - 1,
    top: firstThat(top + 1, bottom, (y) => inked({ bottom: y })) - 1,
    right: lastThat(left, right - 1, (x) => inked({ left: x })) + 1,
    bottom: lastThat(top, bottom - 1, (y) => inked({ top: y })) + 1,
  };
  return {
    x: found.left / map.pxPerMmX,
    y: found.top / map.pxPerMmY,
    width: (found.right - found.left) / map.pxPerMmX,
    height: (found.bottom - found.top) / map.pxPerMmY,
  };
}

export const pageBox = (map: InkMap): Box => ({
  x: 0,
  y: 0,
  width: map.widthPx / map.pxPerMmX,
  height: map.heightPx / map.pxPerMmY,
});

/** A box with as much more around it. */
export const grown = (box: Box, by: number): Box => ({
  x: box.x - by,
  y: box.y - by,
  width: box.width + 2 * by,
  height: box.height + 2 * by,
});

/** The box around connected ink: grows while there is ink within 2 mm of it. */
export function blockAround(map: InkMap, ink: Box): Box {
  let block = ink;
  for (;;) {
    const next = inkWithin(map, grown(block, blockGapMm)) ?? block;
    if (next.width <= block.width && next.height <= block.height) return block;
    block = next;
  }
}
