import { breakLine, type FontMetrics, visibleText } from '../../postal/line-breaker.ts';
import { normalizeText } from '../../postal/printable-text.ts';
import { mmPerPt } from '../../postal/text-layout.ts';

/** Breaks a text into lines of at most `widthMm`; a word that is wider is cut. */
export function linesWithin(
  text: string,
  widthMm: number,
  sizePt: number,
  metrics: FontMetrics,
): string[] {
  const whole = normalizeText(text).trim();
  const maxUnits = Math.floor((widthMm / mmPerPt / sizePt) * metrics.unitsPerEm);
  const cursor = { end: 0, next: 0, hyphen: false };
  const lines: string[] = [];
  for (const paragraph of whole.split('\n')) {
    for (let start = 0; start < paragraph.length; start = cursor.next) {
      breakLine(paragraph, start, paragraph.length, maxUnits, metrics, cursor);
      lines.push(visibleText(paragraph.slice(start, cursor.end)) + (cursor.hyphen ? '-' : ''));
    }
  }
  return lines.length === 0 ? [''] : lines;
}
