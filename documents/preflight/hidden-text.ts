/**
 * Finds the words of a page that can be seen on paper: those that are darker or lighter than their
 * surroundings.
 */
import { bottom, right, united } from '../../postal/preflight-zones.ts';
import { mmPerPt } from '../../postal/text-layout.ts';
import type { Box } from '../../postal/types.ts';
import type { Character, PdfPage } from '../pdf/pdf-document.ts';

/** A page as a picture: one byte per pixel. */
export type Picture = {
  grey: Uint8Array;
  widthPx: number;
  heightPx: number;
  page: { width: number; height: number };
};

/** CHOICE: greys that differ by less than this (of 255) look the same on paper. */
const leastContrast = 6;
/** Characters that are further apart than this part of their size belong to two words. */
const wordGapEm = 0.2;
/** Smaller text is not looked for in the picture, but reported as small type; mm. */
const leastHeightMm = 0.7;

type Word = { text: string; box: Box; letters: number; isOurFont: boolean };

/**
 * The part of a line that no neighbour reaches: that of small letters, where the word has any. Fonts that a
 * letter brings may have them anywhere in the line.
 */
const core = ({ text, box, isOurFont }: Word): Box =>
  isOurFont && /[\p{L}\p{N}]/u.test(text) && box.width > box.height / 2
    ? { ...box, y: box.y + 0.3 * box.height, height: 0.5 * box.height }
    : box;

/** The indexes of the pixels of a box in a picture, row by row. `end` follows the last pixel of a row. */
export function* rowsOf(
  { widthPx, heightPx, page }: Picture,
  box: Box,
): Generator<{ start: number; end: number }> {
  const [perX, perY] = [widthPx / page.width, heightPx / page.height];
  const left = Math.max(0, Math.floor(box.x * perX));
  const top = Math.max(0, Math.floor(box.y * perY));
  const to = {
    x: Math.min(widthPx, Math.ceil(right(box) * perX)),
    y: Math.min(heightPx, Math.ceil(bottom(box) * perY)),
  };
  for (let y = top; y < to.y; y++) yield { start: y * widthPx + left, end: y * widthPx + to.x };
}

/** Narrower words are judged with the pixels at their sides, px. */
const leastInnerPx = 6;

/** Without the pixels at the sides of a word, which may show the edge of a box that begins or ends with the word. */
const inner = ({ widthPx, page }: Picture, box: Box): Box => {
  const pixel = page.width / widthPx;
  return box.width < leastInnerPx * pixel
    ? box
    : { ...box, x: box.x + pixel, width: box.width - 2 * pixel };
};

function isSeen(picture: Picture, box: Box): boolean {
  let [darkest, lightest] = [255, 0];
  for (const { start, end } of rowsOf(picture, inner(picture, box))) {
    for (let at = start; at < end; at++) {
      const value = picture.grey[at] ?? 255;
      if (value < darkest) darkest = value;
      if (value > lightest) lightest = value;
      if (lightest - darkest >= leastContrast) return true;
    }
  }
  return false;
}

const follows = ({ box: before }: Word, { box, sizePt }: Character): boolean => {
  const gap = wordGapEm * sizePt * mmPerPt;
  const besides = box.x - right(before) <= gap && before.x - right(box) <= gap;
  return besides && box.y < bottom(before) && bottom(box) > before.y;
};

/** @param revealed the page with all of its text in sight, which stands where it does in the picture */
export function hiddenWords(picture: Picture, revealed: PdfPage) {
  let showsText = false;
  let hiddenText: Box | undefined;
  let word: Word | undefined;
  const judge = (): void => {
    if (word === undefined) return;
    const { box, letters } = word;
    if (isSeen(picture, core(word))) showsText = true;
    else if (letters > 1 && box.height >= leastHeightMm) {
      hiddenText = hiddenText ? united(hiddenText, box) : box;
    }
  };
  revealed.eachCharacter((character) => {
    if (character.text === '') return;
    if (word && follows(word, character)) {
      word.text += character.text;
      word.box = united(word.box, character.box);
      word.letters++;
      return;
    }
    judge();
    const { text, box, font } = character;
    word = { text, box, letters: 1, isOurFont: font.name.startsWith('Noto') };
  });
  judge();
  return { showsText, hiddenText };
}
