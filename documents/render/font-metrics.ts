/**
 * Widths of the letter's face, for the layout: out of a table, so that whoever only counts pages does not
 * parse the font. The table is made by write-font-metrics.ts and compared with the font by a test.
 */
import { readFileSync } from 'node:fs';
import type { FontMetrics } from '../../postal/line-breaker.ts';

/** Advances of code points that follow each other, in units of the font. */
export type MetricsTable = { unitsPerEm: number; runs: { from: number; advances: number[] }[] };

export const metricsFile = new URL('./font-metrics.json', import.meta.url);

const noGlyph = 0xffff;

const read = (): FontMetrics => {
  const { unitsPerEm, runs } = JSON.parse(readFileSync(metricsFile, 'utf8')) as MetricsTable;
  const basicPlane = new Uint16Array(0x10000).fill(noGlyph);
  const otherPlanes = new Map<number, number>();
  for (const { from, advances } of runs) {
    for (const [n, advance] of advances.entries()) {
      if (from + n > 0xffff) otherPlanes.set(from + n, advance);
      else basicPlane[from + n] = advance;
    }
  }
  return {
    unitsPerEm,
    advance(codePoint) {
      if (codePoint > 0xffff) return otherPlanes.get(codePoint);
      const advance = basicPlane[codePoint];
      return advance === noGlyph ? undefined : advance;
    },
  };
};

let known: FontMetrics | undefined;

export const fontMetrics = (): FontMetrics => {
  known ??= read();
  return known;
};
