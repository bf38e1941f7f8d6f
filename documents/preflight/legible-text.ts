/** Finds the characters of a page that can be read on paper: nothing else is drawn over or across them. */
import { bottom, right } from '../../postal/preflight-zones.ts';
import type { Box } from '../../postal/types.ts';
import type { Character } from '../pdf/pdf-document.ts';
import { type Picture, rowsOf } from './hidden-text.ts';

/** CHOICE: greys that differ by less than this (of 255) cannot be read. */
const leastContrast = 24;
/** CHOICE: a letter or digit, however thin, fills more than this part of its box. */
const leastShare = 0.04;
/** CHOICE: what has less than this part of the contrast of a character is pale. */
const paleShare = 0.5;
/** The heights of characters of one line differ by roundings. */
const lineToleranceMm = 0.1;

const isLetter = ({ text }: Character): boolean => /[\p{L}\p{N}]/u.test(text);
const isMark = ({ text }: Character): boolean => /\p{M}/u.test(text);
/** TeX sets an accent as a character of its own, above its letter. */
const isAccent = ({ text }: Character): boolean => /[\p{M}\p{Sk}ˆˇ]/u.test(text);

const darkerThan = (contrasts: readonly number[], least: number): number[] =>
  contrasts.filter((contrast) => contrast >= least);

/** The indexes of the pixels of a box in a picture. */
function pixelsOf(picture: Picture, box: Box): number[] {
  const pixels: number[] = [];
  for (const { start, end } of rowsOf(picture, box))
    for (let at = start; at < end; at++) pixels.push(at);
  return pixels;
}

/**
 * Whether the character leaves ink that stands out, and more of it than anything else in its box. A pale watermark or
 * pattern leaves it readable.
 */
function standsOut(character: Character, shown: Picture, without: Picture): boolean {
  const pixels = pixelsOf(shown, character.box);
  const behind = pixels.map((at) => without.grey[at] ?? 255);
  const paper = behind.reduce((lightest, grey) => Math.max(lightest, grey), 0);
  const own = darkerThan(
    pixels.map((at, index) => Math.abs((shown.grey[at] ?? 255) - (behind[index] ?? 255))),
    leastContrast,
  );
  const usual = own.reduce((sum, contrast) => sum + contrast, 0) / own.length;
  const foreign = darkerThan(
    behind.map((grey) => paper - grey),
    Math.max(leastContrast, paleShare * usual),
  );
  const least = isLetter(character) ? leastShare * pixels.length : 1;
  return own.length >= least && own.length >= foreign.length;
}

const isWithin = ({ box }: Character, { box: other }: Character): boolean => {
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  return other.x < x && x < right(other) && other.y < y && y < bottom(other);
};

/** Kerning moves a character over the second half of the one before it, such as a point after an r. */
const isKerned = (before: Character, after: Character): boolean =>
  after.font.name === before.font.name &&
  after.sizePt === before.sizePt &&
  Math.abs(after.box.y - before.box.y) < lineToleranceMm &&
  after.box.x > before.box.x + before.box.width / 2 &&
  right(after.box) > right(before.box);

/** Another text stands at the same place, so that one of them hides the other or neither can be read. */
const isCrossed = (character: Character, all: readonly Character[]): boolean =>
  all.some(
    (other) =>
      other.textObject !== character.textObject &&
      other.text !== character.text &&
      !isAccent(other) &&
      !isKerned(character, other) &&
      !isKerned(other, character) &&
      (isWithin(other, character) || isWithin(character, other)),
  );

/**
 * @param shown the page as it is printed
 * @param without the page without the characters
 */
export const legibleIn = (
  shown: Picture,
  without: Picture,
  characters: readonly Character[],
): Character[] =>
  characters.filter(
    (character) =>
      isMark(character) ||
      (standsOut(character, shown, without) && !isCrossed(character, characters)),
  );
