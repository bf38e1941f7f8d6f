/**
 * Sets lines of the scripts that are not set glyph by glyph: chooses faces, orders the line by the
 * Unicode bidirectional algorithm and shapes it with HarfBuzz. Units are thousandths of the font size,
 * as those of Noto Sans.
 */
import createBidi from 'bidi-js/dist/bidi.mjs';
import { Blob, Direction, Font, Buffer as Glyphs, Face as HarfBuzzFace, shape } from 'harfbuzzjs';
import { singleFlightByKey } from '../../ground/single-flight.ts';
import { covers, type Face, faceOf, faces, openFace } from './faces.ts';
import { clustersOf, isIgnorable, zeroWidthSpace } from './scripts.ts';

/** `x`, `y` from the start of its run's baseline. */
export type ShapedGlyph = { id: number; x: number; y: number; advance: number };
/** Glyphs that say a text together. */
export type Cluster = { text: string; glyphs: ShapedGlyph[] };

export type ShapedRun =
  /** Set in the base face, in this order. */
  | { face: undefined; text: string; width: number }
  | { face: Face; clusters: Cluster[]; width: number };

export type BaseFace = { advance(codePoint: number): number | undefined };

type OpenFace = { ttf: Buffer; font: Font };
type Run = { start: number; end: number; face: Face | undefined; level: number };

const unitsPerEm = 1000;
const bidi = createBidi();
const opened = new Map<Face, OpenFace>();
const opening = singleFlightByKey<Face, void>();

export type DecodeFace = (face: Pick<Face, 'family' | 'slice'>) => Promise<Buffer>;

let decodeFace: DecodeFace = openFace;

/** Faces are decoded elsewhere from now on: one face takes up to 100 ms. */
export const decodeFacesBy = (decode: DecodeFace): void => {
  decodeFace = decode;
};

const fontOf = (ttf: Uint8Array): Font => {
  const font = new Font(new HarfBuzzFace(new Blob(ttf)));
  font.setScale(unitsPerEm, unitsPerEm);
  return font;
};

const open = async (face: Face): Promise<void> => {
  const { family, slice } = face;
  const ttf = await decodeFace({ family, slice });
  opened.set(face, { ttf, font: fontOf(ttf) });
};

const byCluster = new Map<string, Face | undefined>();
const rememberedMax = 20_000;

const faceOfCluster = (cluster: string, base: BaseFace): Face | undefined => {
  if (byCluster.has(cluster)) return byCluster.get(cluster);
  const face = findFace(cluster, base);
  if (byCluster.size >= rememberedMax) byCluster.clear();
  byCluster.set(cluster, face);
  return face;
};

/** Every shown character of a cluster in one face, where there is one; undefined is the base face. */
const findFace = (cluster: string, base: BaseFace): Face | undefined => {
  const shown = [...cluster].map((c) => c.codePointAt(0) ?? 0).filter((c) => !isIgnorable(c));
  const emoji = cluster.includes('\ufe0f') || cluster.includes('\u20e3');
  if (!emoji && shown.every((codePoint) => base.advance(codePoint) !== undefined)) return undefined;
  return (
    faces().find((face) => shown.every((codePoint) => covers(face, codePoint))) ??
    faceOf(shown.find((codePoint) => base.advance(codePoint) === undefined) ?? 0)
  );
};

const closedFacesOf = (texts: string[], base: BaseFace): Set<Face> => {
  const closed = new Set<Face>();
  for (const text of texts) {
    for (const { segment } of clustersOf(text)) {
      const face = faceOfCluster(segment, base);
      if (face && !opened.has(face)) closed.add(face);
    }
  }
  return closed;
};

/** Whether every face that a text needs is open. */
export const hasFacesFor = (text: string, base: BaseFace): boolean =>
  closedFacesOf([text], base).size === 0;

/** Opens the faces that texts need: `shapeLine` and `advancesOf` are for these from then on. */
export const openFacesFor = async (texts: string[], base: BaseFace): Promise<void> => {
  const closed = [...closedFacesOf(texts, base)];
  await Promise.all(closed.map((face) => opening(face, () => open(face))));
};

const openedFace = (face: Face): OpenFace => {
  const found = opened.get(face);
  if (!found) throw new Error(`the face ${face.family} ${face.slice} is not open`);
  return found;
};

/** A character of the same class (UAX #9) in the basic plane; of others, which are rare, a neutral one. */
const standIns: Record<string, string> = {
  L: 'a',
  R: '\u05d0',
  AL: '\u0627',
  EN: '0',
  AN: '\u0660',
  NSM: '\u0300',
  ET: '%',
  BN: '\u200b',
};

/** The library takes each half of a pair for a letter from left to right. */
const withoutPairs = (text: string): string =>
  text.replaceAll(/[\u{10000}-\u{10ffff}]/gu, (character) =>
    (standIns[bidi.getBidiCharTypeName(character)] ?? '!').repeat(2),
  );

/** Of one face and level each, in the order of the text. */
const runsOf = (text: string, rtl: boolean, base: BaseFace): Run[] => {
  const { levels } = bidi.getEmbeddingLevels(withoutPairs(text), rtl ? 'rtl' : 'ltr');
  const runs: Run[] = [];
  for (const { segment, index } of clustersOf(text)) {
    const face = faceOfCluster(segment, base);
    const level = levels[index] ?? 0;
    const last = runs.at(-1);
    const end = index + segment.length;
    // It only says where a line may end: it is in no line that is drawn, and parts no run.
    const isMark = segment === zeroWidthSpace;
    if (last && (isMark || (last.face === face && last.level === level))) last.end = end;
    else runs.push({ start: index, end, face, level });
  }
  return runs;
};

/** UAX #9, rule L2. */
const inVisualOrder = (runs: Run[]): Run[] => {
  const ordered = [...runs];
  const highest = Math.max(0, ...runs.map(({ level }) => level));
  for (let level = highest; level > 0; level--) {
    for (let from = 0; from < ordered.length; from++) {
      let to = from;
      while ((ordered[to]?.level ?? 0) >= level) to++;
      if (to === from) continue;
      ordered.splice(from, to - from, ...ordered.slice(from, to).reverse());
      from = to;
    }
  }
  return ordered;
};

/** One buffer for all: it is emptied before each use. */
const glyphs = new Glyphs();

/** HarfBuzz looks at five characters on either side of a run; each is one or two code units. */
const contextUnits = 10;

type Shaped = { id: number; cluster: number; x: number; y: number; advance: number };

/** Only the run and its context are handed over: a text of many runs would be copied once for each. */
const shapeRun = (text: string, { start, end, level }: Run, { font }: OpenFace): Shaped[] => {
  const from = Math.max(0, start - contextUnits);
  glyphs.reset();
  glyphs.addText(text.slice(from, end + contextUnits), start - from, end - start);
  glyphs.setDirection(level % 2 === 1 ? Direction.RTL : Direction.LTR);
  glyphs.guessSegmentProperties();
  shape(font, glyphs);
  // Both at once is several times as slow: the library defines properties of each glyph one by one.
  const positions = glyphs.getGlyphPositions();
  return glyphs.getGlyphInfos().map(({ codepoint: id, cluster }, n) => {
    const { xOffset: x = 0, yOffset: y = 0, xAdvance: advance = 0 } = positions[n] ?? {};
    return { id, cluster: cluster + from, x, y, advance };
  });
};

/** Shapes a line before the first text comes: the first call compiles code and fills tables for some 10 ms. */
export const warmUp = (ttf: Buffer): void => {
  const text = 'abc';
  bidi.getEmbeddingLevels(text, 'rtl');
  const run = { start: 0, end: text.length, face: undefined, level: 1 };
  shapeRun(text, run, { ttf, font: fontOf(ttf) });
};

const shapedRun = (text: string, run: Run, face: Face): ShapedRun => {
  const shaped = shapeRun(text, run, openedFace(face));
  const starts = [...new Set(shaped.map(({ cluster }) => cluster))].toSorted((a, b) => a - b);
  const clusters = new Map<number, Cluster>();
  let width = 0;
  for (const { id, cluster, x, y, advance } of shaped) {
    const end = starts[starts.indexOf(cluster) + 1] ?? run.end;
    const known = clusters.get(cluster) ?? { text: text.slice(cluster, end), glyphs: [] };
    known.glyphs.push({ id, x: width + x, y, advance });
    clusters.set(cluster, known);
    width += advance;
  }
  return { face, clusters: [...clusters.values()], width };
};

const advanceIn = (text: string, base: BaseFace): number => {
  let width = 0;
  for (const character of text) width += base.advance(character.codePointAt(0) ?? 0) ?? 0;
  return width;
};

/** From right to left, cluster by cluster, brackets turned. */
const mirrored = (text: string): string =>
  [...clustersOf(text)]
    .map(({ segment }) => bidi.getMirroredCharacter(segment) ?? segment)
    .reverse()
    .join('');

const baseRun = (text: string, { start, end, level }: Run, base: BaseFace): ShapedRun => {
  const part = text.slice(start, end);
  const drawn = [...part].filter((c) => !isIgnorable(c.codePointAt(0) ?? 0)).join('');
  const shown = level % 2 === 1 ? mirrored(drawn) : drawn;
  return { face: undefined, text: shown, width: advanceIn(shown, base) };
};

/** A line from left to right as it is drawn. @param rtl its paragraph runs from right to left */
export const shapeLine = (text: string, rtl: boolean, base: BaseFace): ShapedRun[] =>
  inVisualOrder(runsOf(text, rtl, base)).map((run) =>
    run.face === undefined ? baseRun(text, run, base) : shapedRun(text, run, run.face),
  );

/** The width that each character adds to its line, by UTF-16 index; 0 inside of a cluster. */
export const advancesOf = (text: string, base: BaseFace): Float64Array => {
  const advances = new Float64Array(text.length);
  for (const run of runsOf(text, false, base)) {
    if (run.face === undefined) {
      for (let at = run.start; at < run.end; at++) {
        advances[at] = base.advance(text.codePointAt(at) ?? 0) ?? 0;
        if ((text.codePointAt(at) ?? 0) > 0xffff) at++;
      }
      continue;
    }
    for (const { cluster, advance } of shapeRun(text, run, openedFace(run.face))) {
      advances[cluster] = (advances[cluster] ?? 0) + advance;
    }
  }
  return advances;
};

/** The TrueType file of a face that was opened. */
export const fileOf = (face: Face): Buffer => openedFace(face).ttf;
