import type { Geometry } from './geometry.ts';
import { countInk, grown, type InkMap, inkWithin, pageBox } from './ink-map.ts';
import { bottom, controlZones, isWindow, right, safeArea } from './preflight-zones.ts';
import type { Box } from './types.ts';

/** How a page comes onto the sheet: its scale, and where its top left corner stands, mm. */
export type Placement = { scale: number; x: number; y: number };

/** CHOICE: a page of the sheet's own size that is smaller than this looks like a copy. */
const minScale = 0.9;
/** CHOICE: Legal and A3 come down to the sheet, A5 and A6 stay as they are in the middle of it. */
const largestPage = 1 / 0.7;
const smallestPage = 0.45;
/** CHOICE: content that is moved further no longer stands where its author meant it. */
const maxShiftMm = 20;
/**
 * CHOICE: content that we move does not come nearer to a window, where it would show when the sheet slips.
 */
const windowGapMm = 5;
const stepMm = 0.5;

/** From the page's own size down to where the whole of a larger page is on the sheet. */
function scalesFor(page: Box, sheet: Geometry): number[] {
  const whole = Math.min(sheet.page.width / page.width, sheet.page.height / page.height);
  const least = Math.min(100 * minScale, Math.floor(100 * whole + 1e-6));
  return Array.from({ length: 101 - least }, (_, percent) => 1 - percent / 100);
}

/** Where a box of the sheet lies on the page that was placed there. */
const onPage = (box: Box, { scale, x, y }: Placement): Box => ({
  x: (box.x - x) / scale,
  y: (box.y - y) / scale,
  width: box.width / scale,
  height: box.height / scale,
});

/** Offsets between `low` and `high`, at most `maxShiftMm` from `middle`. */
function offsets(low: number, high: number, middle: number): number[] {
  const from = Math.max(low, middle - maxShiftMm);
  const to = Math.min(high, middle + maxShiftMm);
  if (from > to) return [];
  const nearest = Math.min(Math.max(middle, from), to);
  const steps = [nearest];
  for (let x = middle - maxShiftMm; x <= to; x += stepMm) if (x > from) steps.push(x);
  return [...steps, from, to];
}

/** Placements at one scale that keep the ink inside the safe area, the smallest shift first. */
function placementsAt(scale: number, ink: Box, page: Box, sheet: Geometry): Placement[] {
  const safe = safeArea(sheet);
  const centreX = (sheet.page.width - scale * page.width) / 2;
  const centreY = (sheet.page.height - scale * page.height) / 2;
  const xs = offsets(safe.x - scale * ink.x, right(safe) - scale * right(ink), centreX);
  const ys = offsets(safe.y - scale * ink.y, bottom(safe) - scale * bottom(ink), centreY);
  const shift = ({ x, y }: Placement) => Math.hypot(x - centreX, y - centreY);
  return xs
    .flatMap((x) => ys.map((y): Placement => ({ scale, x, y })))
    .sort((a, b) => shift(a) - shift(b));
}

/**
 * The gentlest placement that clears every control zone: unscaled before scaled, then the smallest
 * shift. Undefined where scaling to 90 %, or to the size of the sheet, and shifting
 * by 20 mm is not enough.
 */
export function findPlacement(
  map: InkMap,
  sheet: Geometry,
  firstPage: boolean,
): Placement | undefined {
  const page = pageBox(map);
  const zones = controlZones(sheet, firstPage)
    .filter(({ kind }) => kind !== 'edge')
    .map((zone) => (isWindow(zone) ? grown(zone.box, windowGapMm) : zone.box));
  const ink = inkWithin(map, page) ?? {
    x: page.width / 2,
    y: page.height / 2,
    width: 0,
    height: 0,
  };
  for (const scale of scalesFor(page, sheet)) {
    const found = placementsAt(scale, ink, page, sheet).find((placement) =>
      zones.every((box) => countInk(map, onPage(box, placement)) === 0),
    );
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Pages of other sizes that can be placed on the sheet. */
export const isNearSheet = (page: { width: number; height: number }, sheet: Geometry): boolean =>
  [page.width / sheet.page.width, page.height / sheet.page.height].every(
    (ratio) => ratio >= smallestPage && ratio <= largestPage,
  );
