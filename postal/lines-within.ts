import { breakLine, type FontMetrics, shapedText, visibleText } from './line-breaker.ts';
import { normalizeText } from './printable-text.ts';
import { flowable, mmPerPt } from './text-layout.ts';

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
    const flowing = flowable(paragraph, metrics);
    flowing.prepare?.(0, flowing.text.length);
    const shown = flowing.metrics === metrics ? visibleText : shapedText;
    for (let start = 0; start < flowing.text.length; start = cursor.next) {
      breakLine(flowing.text, start, flowing.text.length, maxUnits, flowing.metrics, cursor);
      lines.push(shown(flowing.text.slice(start, cursor.end)) + (cursor.hyphen ? '-' : ''));
    }
  }
  return lines.length === 0 ? [''] : lines;
}
