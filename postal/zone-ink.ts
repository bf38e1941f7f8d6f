import type { Geometry } from './geometry.ts';
import { blockAround, countInk, type InkMap, inkWithin } from './ink-map.ts';
import type { Shift } from './preflight-findings.ts';
import {
  bottom,
  type ControlZone,
  contains,
  controlZones,
  isWindow,
  right,
  safeArea,
} from './preflight-zones.ts';
import type { Box } from './types.ts';

/** Ink in a zone, and the box of everything that hangs together with it. */
export type ZoneInk = { zone: ControlZone; ink: Box; block: Box };

/** Anti-aliasing darkens one pixel around a drawing; less ink than this inside a zone does not count. */
const inkToleranceMm = 0.3;

/** The part of a zone in which ink counts: its borders inside of the page are blurred. */
function strictBox({ box }: ControlZone, page: { width: number; height: number }): Box {
  const x = box.x <= 0 ? box.x : box.x + inkToleranceMm;
  const y = box.y <= 0 ? box.y : box.y + inkToleranceMm;
  const far = right(box) >= page.width ? page.width : right(box) - inkToleranceMm;
  const low = bottom(box) >= page.height ? page.height : bottom(box) - inkToleranceMm;
  return { x, y, width: far - x, height: low - y };
}

/**
 * The zones of a page that are not free, with the ink in them.
 * @param isAddressed its windows contain the addresses, and only the other zones must be free
 */
export function measureZones(
  map: InkMap,
  sheet: Geometry,
  firstPage: boolean,
  isAddressed = false,
): ZoneInk[] {
  return controlZones(sheet, firstPage, isAddressed).flatMap((zone) => {
    if (isAddressed && isWindow(zone)) return [];
    if (countInk(map, strictBox(zone, sheet.page)) === 0) return [];
    const ink = inkWithin(map, zone.box);
    return ink === undefined ? [] : [{ zone, ink, block: blockAround(map, ink) }];
  });
}

/** Away from zero, so that a shift by the rounded figure is enough. */
const shiftTenths = (mm: number): number =>
  (Math.sign(mm) * Math.ceil(Math.abs(mm) * 10 - 1e-6)) / 10;
/** Shifts of a block that take it to one side of a zone. At an edge of the page there is one side. */
function waysOut({ zone, block }: ZoneInk): Shift[] {
  const { box, name } = zone;
  const left = { x: box.x - right(block), y: 0 };
  const rightwards = { x: right(box) - block.x, y: 0 };
  const up = { x: 0, y: box.y - bottom(block) };
  const down = { x: 0, y: bottom(box) - block.y };
  if (zone.kind !== 'edge') return [left, rightwards, up, down];
  if (name === 'left_edge') return [rightwards];
  if (name === 'right_edge') return [left];
  return [name === 'top_edge' ? down : up];
}

/** The part of the safe area that matters for a shift: only the axis along which it goes. */
function staysSafe(block: Box, { x, y }: Shift, sheet: Geometry): boolean {
  const safe = safeArea(sheet);
  const lane: Box =
    x === 0
      ? { x: block.x, width: block.width, y: safe.y, height: safe.height }
      : { x: safe.x, width: safe.width, y: block.y, height: block.height };
  return contains(lane, { ...block, x: block.x + x, y: block.y + y });
}

/** The smallest shift that frees a zone without leaving the safe area. */
export function shiftOutOf(zoneInk: ZoneInk, sheet: Geometry): Shift | undefined {
  const [smallest] = waysOut(zoneInk)
    .map((shift) => ({ x: shiftTenths(shift.x), y: shiftTenths(shift.y) }))
    .filter((shift) => staysSafe(zoneInk.block, shift, sheet))
    .sort((a, b) => Math.hypot(a.x, a.y) - Math.hypot(b.x, b.y));
  return smallest;
}
