import { PDFArray, PDFNumber, type PDFObject } from '@cantoo/pdf-lib';

/** Points, y upwards. */
export type Rectangle = { x: number; y: number; width: number; height: number };

/** As `cm` takes it. */
export type Matrix = readonly [a: number, b: number, c: number, d: number, e: number, f: number];

/** Undefined where one of them is no number. */
export function numbersOf(objects: readonly (PDFObject | undefined)[]): number[] | undefined {
  const numbers = objects.map((item) => (item instanceof PDFNumber ? item.asNumber() : Number.NaN));
  return numbers.every(Number.isFinite) ? numbers : undefined;
}

const listOf = (object: PDFObject | undefined): number[] | undefined =>
  object instanceof PDFArray
    ? numbersOf(object.asArray().map((_, index) => object.lookup(index)))
    : undefined;

const around = (xs: readonly number[], ys: readonly number[]): Rectangle => {
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y };
};

/** Given by two opposite corners; undefined where it is no rectangle or has no area. */
export function rectangleOf(object: PDFObject | undefined): Rectangle | undefined {
  const list = listOf(object);
  if (list?.length !== 4) return undefined;
  const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = list;
  const rectangle = around([x1, x2], [y1, y2]);
  return rectangle.width > 0 && rectangle.height > 0 ? rectangle : undefined;
}

/** The matrix of a drawing; the identity where it has none. */
export function matrixOf(object: PDFObject | undefined): Matrix {
  const list = listOf(object);
  if (list?.length !== 6) return [1, 0, 0, 1, 0, 0];
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = list;
  return [a, b, c, d, e, f];
}

/** The rectangle around another one after a transformation. */
export function transformed(
  { x, y, width, height }: Rectangle,
  [a, b, c, d, e, f]: Matrix,
): Rectangle {
  const corners = [x, x + width].flatMap((cx) => [y, y + height].map((cy) => ({ cx, cy })));
  return around(
    corners.map(({ cx, cy }) => a * cx + c * cy + e),
    corners.map(({ cx, cy }) => b * cx + d * cy + f),
  );
}
