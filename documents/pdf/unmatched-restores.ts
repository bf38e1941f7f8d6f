/** Characters that end a name, a number or an operator. */
const ends = new Uint8Array(256);
for (const character of '\0\t\n\f\r ()<>[]{}/%') ends[character.charCodeAt(0)] = 1;

const code = (character: string): number => character.charCodeAt(0);
const [backslash, open, close, less, greater] = ['\\', '(', ')', '<', '>'].map(code);
const [slash, percent, save, restore] = ['/', '%', 'q', 'Q'].map(code);
const [lineFeed, carriageReturn, imageI, imageD] = ['\n', '\r', 'I', 'D'].map(code);

/** The place behind a string that begins at `start`. */
function afterString(content: Uint8Array, start: number): number {
  let depth = 0;
  for (let at = start; at < content.length; at++) {
    if (content[at] === backslash) at++;
    else if (content[at] === open) depth++;
    else if (content[at] === close && --depth === 0) return at + 1;
  }
  return content.length;
}

function afterLine(content: Uint8Array, start: number): number {
  let at = start;
  while (at < content.length && content[at] !== lineFeed && content[at] !== carriageReturn) at++;
  return at;
}

function afterWord(content: Uint8Array, start: number): number {
  let at = start;
  while (at < content.length && ends[content[at] ?? 0] === 0) at++;
  return at;
}

/**
 * The places of the operators of a content stream that restore a graphics state which it did not save. PDFium
 * ignores them, and other readers stop there. The list is empty for content with inline images, whose bytes
 * may look like operators.
 */
export function unmatchedRestores(content: Uint8Array): number[] {
  const found: number[] = [];
  let depth = 0;
  for (let at = 0; at < content.length; ) {
    const first = content[at];
    if (first === open) at = afterString(content, at);
    else if (first === percent) at = afterLine(content, at);
    else if (first === slash) at = afterWord(content, at + 1);
    else if (first === less && content[at + 1] !== less) {
      const end = content.indexOf(greater ?? 0, at);
      at = end < 0 ? content.length : end + 1;
    } else if (first === less) at += 2;
    else if (ends[first ?? 0] === 1) at++;
    else {
      const end = afterWord(content, at);
      if (end - at === 2 && first === imageI && content[at + 1] === imageD) return [];
      if (end - at === 1 && first === save) depth++;
      if (end - at === 1 && first === restore && --depth < 0) {
        found.push(at);
        depth = 0;
      }
      at = end;
    }
  }
  return found;
}
