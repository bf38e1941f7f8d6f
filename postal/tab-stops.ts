/** CHOICE: as in terminals and editors, 8 characters; digits are as wide as the average letter. */
const charactersPerStop = 8;
const digit = 0x30;
const space = 0x20;

type Advances = { unitsPerEm: number; advance(codePoint: number): number | undefined };

/** Where the text behind a tab starts: at the next tab stop, at least a space behind the text before it. */
export function nextTabStop(width: number, metrics: Advances): number {
  const distance = charactersPerStop * (metrics.advance(digit) ?? metrics.unitsPerEm / 2);
  const gap = metrics.advance(space) ?? 0;
  return (Math.floor((width + gap) / distance) + 1) * distance;
}
