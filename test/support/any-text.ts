import fc from 'fast-check';

/** Code points from here on, as many as these, are halves of characters. */
const firstHalf = 0xd800;
const halves = 0x800;

const pointOf = (text: unknown): number => {
  const point = typeof text === 'string' ? text.codePointAt(0) : undefined;
  if (point === undefined || String.fromCodePoint(point) !== text || !text.isWellFormed())
    throw new Error('not one character');
  return point;
};

/** Each character of Unicode, by its place among them. */
const anyCharacter = fc.nat({ max: 0x10ffff - halves }).map(
  (place) => String.fromCodePoint(place < firstHalf ? place : place + halves),
  (character) => {
    const point = pointOf(character);
    return point < firstHalf ? point : point - halves;
  },
);

/**
 * Texts of any characters. The unit `binary` of fast-check draws the same ones, but makes a list of all characters first:
 * a second of CPU time in each process.
 */
export const anyText = (constraints: Omit<fc.StringConstraints, 'unit'> = {}) =>
  fc.string({ ...constraints, unit: anyCharacter });
