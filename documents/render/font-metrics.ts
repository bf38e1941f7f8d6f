/**
 * Widths of the letter's face, for the layout. They come from a table, so that counting pages does not parse the
 * font. write-font-metrics.ts makes the table, and a test compares it with the font.
 */
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { FontMetrics, Shaping } from '../../postal/line-breaker.ts';
import { faceOf, faces } from '../fonts/faces.ts';
import { isIgnorable, runsRightToLeft, withBreakMarks } from '../fonts/scripts.ts';
import type { DecodeFace } from '../fonts/shaper.ts';

/** Advances of code points that follow each other, in units of the font. */
export type MetricsTable = { unitsPerEm: number; runs: { from: number; advances: number[] }[] };

/** Noto Sans, which most letters are set in. */
export const regularFile = '@expo-google-fonts/noto-sans/400Regular/NotoSans_400Regular.ttf';

export const metricsFile = new URL('./font-metrics.json', import.meta.url);

const noGlyph = 0xffff;

/** Advances of Noto Sans alone. */
type BaseMetrics = Pick<FontMetrics, 'unitsPerEm' | 'advance'>;

const read = (): BaseMetrics => {
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

/** Latin, Greek, Cyrillic and their punctuation: most texts have nothing else. */
const beyondPlain = /[^\n\x20-\u052f\u1e00-\u206f]/;

/** Whether something in a text is not in Noto Sans, so that it is not set glyph by glyph. */
export const needsShaping = (text: string): boolean => {
  if (!beyondPlain.test(text)) return false;
  const { advance } = baseMetrics();
  for (const character of text) {
    const codePoint = character.codePointAt(0) ?? 0;
    if (codePoint < 0x0530 || isIgnorable(codePoint)) continue;
    if (advance(codePoint) === undefined) return true;
  }
  return false;
};

type Shaper = typeof import('../fonts/shaper.ts');

let shaper: Shaper | undefined;
let decodeFace: DecodeFace | undefined;

const loadShaper = async (): Promise<Shaper> => {
  const loaded = await import('../fonts/shaper.ts');
  if (decodeFace) loaded.decodeFacesBy(decodeFace);
  return loaded;
};

/** Lets threads decode the faces that this one opens. To be called before the first text. */
export const decodeFacesBy = (decode: DecodeFace): void => {
  decodeFace = decode;
};

/** Loads HarfBuzz before the first text needs it. */
export const warmUpShaping = async (): Promise<void> => {
  faces();
  shaper = await loadShaper();
  shaper.warmUp(await readFile(fileURLToPath(import.meta.resolve(regularFile))));
};

/** HarfBuzz is loaded when the first text needs it. @throws Error before `load` */
export const loadedShaper = (): Shaper => {
  if (shaper) return shaper;
  throw new Error('a text is shaped before its faces were opened');
};

const shapingOver = (base: BaseMetrics): Shaping => ({
  needed: needsShaping,
  async load(texts) {
    const needing = texts.filter(needsShaping);
    if (needing.length === 0) return;
    shaper ??= await loadShaper();
    await shaper.openFacesFor(needing, base);
  },
  isLoaded: (text) => !needsShaping(text) || (shaper?.hasFacesFor(text, base) ?? false),
  withBreakMarks,
  advances: (line) => loadedShaper().advancesOf(line, base),
  runsRightToLeft,
});

let base: BaseMetrics | undefined;
let known: FontMetrics | undefined;

/** Metrics of the characters that Noto Sans itself can print. */
export const baseMetrics = (): BaseMetrics => {
  base ??= read();
  return base;
};

const withOtherFaces = ({ unitsPerEm, advance }: BaseMetrics): FontMetrics => ({
  unitsPerEm,
  advance: (codePoint) => advance(codePoint) ?? (faceOf(codePoint) ? unitsPerEm : undefined),
  shaping: shapingOver({ unitsPerEm, advance }),
});

export const fontMetrics = (): FontMetrics => {
  known ??= withOtherFaces(baseMetrics());
  return known;
};
