import type { Geometry } from '../../postal/geometry.ts';
import { bottom, contains, windowBox } from '../../postal/preflight-zones.ts';
import { mmPerPt } from '../../postal/text-layout.ts';
import type { Character } from '../pdf/pdf-document.ts';

/** Characters that are further apart than this part of their size have a space between them. */
const spaceEm = 0.2;
/** Narrow fonts have narrower blanks, which leave this at least; right-to-left text has its blanks elsewhere. */
const blankEm = 0.05;
/** CHOICE: an address has up to six lines, a return line two; longer texts are not addresses. */
const charactersMax = 2_000;

const middle = ({ box }: Character): number => box.y + box.height / 2;

function textOf(line: Character[]): string {
  let text = '';
  let end = Number.NEGATIVE_INFINITY;
  for (const { box, sizePt, text: letter, afterBlank } of line.sort((a, b) => a.box.x - b.box.x)) {
    const least = (afterBlank ? blankEm : spaceEm) * sizePt * mmPerPt;
    if (text !== '' && box.x - end > least) text += ' ';
    text += letter;
    end = box.x + box.width;
  }
  return text;
}

/** Collects the painted text in the window of a page, whole characters only. */
export function windowText(sheet: Geometry) {
  const window = windowBox(sheet);
  const characters: Character[] = [];
  return {
    characters,
    add(character: Character): void {
      const isPainted = !character.unpainted && contains(window, character.box);
      if (isPainted && characters.length < charactersMax) characters.push(character);
    },
  };
}

/** Characters as text, line by line from the top. */
export function linesOf(characters: readonly Character[]): string[] {
  const lines: Character[][] = [];
  for (const character of characters.toSorted((a, b) => middle(a) - middle(b))) {
    const line = lines.at(-1);
    const first = line?.[0];
    if (line && first && middle(character) < bottom(first.box)) line.push(character);
    else lines.push([character]);
  }
  return lines.map(textOf);
}
