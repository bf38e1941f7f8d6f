import { type FontMetrics, isInvisible } from './line-breaker.ts';
import { nextTabStop } from './tab-stops.ts';

/** Text between two tabs of a line. `offset` is where it starts, from the start of the line, in font units. */
export type TabbedPart = { start: number; end: number; offset: number; width: number };

/** The width that the character at `index`, which is not a tab, adds to its line. */
function charAdvance(text: string, index: number, metrics: FontMetrics): number {
  const code = text.charCodeAt(index);
  if (code === 0x20) return metrics.advance(code) ?? 0;
  if (isInvisible(code)) return 0;
  const codePoint = code >= 0xd800 && code <= 0xdbff ? (text.codePointAt(index) ?? code) : code;
  return metrics.advance(codePoint, index) ?? metrics.unitsPerEm;
}

/** The parts of a line, one more than it has tabs. */
export function tabbedParts(
  text: string,
  line: { start: number; end: number },
  metrics: FontMetrics,
): TabbedPart[] {
  const parts: TabbedPart[] = [];
  let { start } = line;
  let offset = 0;
  let width = 0;
  for (let at = line.start; at < line.end; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x09) {
      parts.push({ start, end: at, offset, width });
      offset = nextTabStop(offset + width, metrics);
      width = 0;
      start = at + 1;
      continue;
    }
    width += charAdvance(text, at, metrics);
    if ((text.codePointAt(at) ?? 0) > 0xffff) at++;
  }
  parts.push({ start, end: line.end, offset, width });
  return parts;
}
