import { create } from 'qrcode/lib/core/qrcode.js';
import type { PageWriter } from '../render/page-writer.ts';

/** The dark runs of each row, so that a row of modules is few rectangles. */
function runsOf(row: readonly boolean[]): { from: number; length: number }[] {
  const runs: { from: number; length: number }[] = [];
  for (const [at, dark] of row.entries()) {
    const last = runs.at(-1);
    if (!dark) continue;
    if (last && last.from + last.length === at) last.length++;
    else runs.push({ from: at, length: 1 });
  }
  return runs;
}

/** The code of a text, row by row; true is dark. Level M: 15 % of it may be damaged. */
function qrModules(text: string): boolean[][] {
  const { modules } = create(text, { errorCorrectionLevel: 'M' });
  const { size } = modules;
  return Array.from({ length: size }, (_, y) =>
    Array.from({ length: size }, (_, x) => modules.get(y, x) !== 0),
  );
}

/** Hides the hairlines that viewers leave between two rows. */
const overlapMm = 0.02;

/**
 * Draws the code of a text as vectors into a square. Readers need a light margin of four modules around
 * it (ISO/IEC 18004): the caller leaves a sixth of the size free on each side.
 */
export function drawQrCode(
  doc: PageWriter,
  text: string,
  place: { xMm: number; yMm: number; sizeMm: number },
): void {
  const rows = qrModules(text);
  const moduleMm = place.sizeMm / rows.length;
  doc.color('#000000');
  doc.boxes(
    rows.flatMap((row, y) =>
      runsOf(row).map(({ from, length }) => ({
        xMm: place.xMm + from * moduleMm,
        yMm: place.yMm + y * moduleMm,
        widthMm: length * moduleMm,
        heightMm: moduleMm + overlapMm,
      })),
    ),
  );
}
