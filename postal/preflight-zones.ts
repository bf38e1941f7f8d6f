import type { Geometry } from './geometry.ts';
import type { Box } from './types.ts';

/**
 * A place that a supplied document must leave free: the address field, which shows in the window of
 * the envelope and which we print ourselves, other places that belong to the post or to machines,
 * and the edges that a printer cannot reach.
 */
export type ControlZone = { name: string; kind: 'window' | 'no_print' | 'edge'; box: Box };

const addressField = 'address_field';

/** The windows of the envelope: that of the recipient, and one for the sender where there is one. */
export const isWindow = ({ name }: { name: string }): boolean =>
  name === addressField || name === 'return_address_field';

export const right = (box: Box): number => box.x + box.width;
export const bottom = (box: Box): number => box.y + box.height;

export const contains = (outer: Box, inner: Box): boolean =>
  outer.x <= inner.x &&
  outer.y <= inner.y &&
  right(outer) >= right(inner) &&
  bottom(outer) >= bottom(inner);

export const overlaps = (a: Box, b: Box): boolean =>
  a.x < right(b) && b.x < right(a) && a.y < bottom(b) && b.y < bottom(a);

/** The smallest box around two boxes. */
export function united(a: Box, b: Box): Box {
  const [x, y] = [Math.min(a.x, b.x), Math.min(a.y, b.y)];
  const [width, height] = [Math.max(right(a), right(b)) - x, Math.max(bottom(a), bottom(b)) - y];
  return { x, y, width, height };
}

/** The area inside the safe margins, mm. */
export const safeArea = ({ page, safeMargins }: Geometry): Box => ({
  x: safeMargins.left,
  y: safeMargins.top,
  width: page.width - safeMargins.left - safeMargins.right,
  height: page.height - safeMargins.top - safeMargins.bottom,
});

function edges({ page, safeMargins: { top, left, ...far } }: Geometry): ControlZone[] {
  const { width, height } = page;
  const edge = (name: string, box: Box): ControlZone => ({ name, kind: 'edge', box });
  return [
    edge('top_edge', { x: 0, y: 0, width, height: top }),
    edge('right_edge', { x: width - far.right, y: 0, width: far.right, height }),
    edge('bottom_edge', { x: 0, y: height - far.bottom, width, height: far.bottom }),
    edge('left_edge', { x: 0, y: 0, width: left, height }),
  ];
}

/** The field of our address block: the window and its surroundings. */
export const windowBox = ({ noPrint, window }: Geometry): Box =>
  noPrint.find(({ name }) => name === addressField)?.box ?? window;

/**
 * The zones of one page: the edges of every page, on the first one the address field and the
 * no-print zones too. A zone inside of the address field is part of it, unless the field must not be empty.
 * @param isAddressed the document brings the address along in the field
 */
export function controlZones(
  sheet: Geometry,
  firstPage: boolean,
  isAddressed = false,
): ControlZone[] {
  if (!firstPage) return edges(sheet);
  const window = windowBox(sheet);
  const others = sheet.noPrint.filter(
    ({ name, box }) => name !== addressField && (isAddressed || !contains(window, box)),
  );
  return [
    { name: addressField, kind: 'window', box: window },
    ...others.map(({ name, box }): ControlZone => ({ name, kind: 'no_print', box })),
    ...edges(sheet),
  ];
}
