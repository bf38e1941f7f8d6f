/**
 * The faces other than Noto Sans: the characters they print, and their files. They are slices of fonts, variable
 * ones if available, so that the scripts of the world take 21 MB. A face is opened when a letter needs it.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { regularOf } from './subset.ts';

/** Packages of `@fontsource-variable`, or `@fontsource` where `still`; the first that has a character prints it. */
export const families = [
  'noto-sans-arabic',
  'noto-sans-hebrew',
  'noto-sans-thai',
  'noto-sans-devanagari',
  'noto-sans-bengali',
  'noto-sans-gurmukhi',
  'noto-sans-gujarati',
  'noto-sans-oriya',
  'noto-sans-tamil',
  'noto-sans-telugu',
  'noto-sans-kannada',
  'noto-sans-malayalam',
  'noto-sans-sinhala',
  'noto-sans-khmer',
  'noto-sans-lao',
  'noto-sans-myanmar',
  'noto-sans-georgian',
  'noto-sans-armenian',
  'noto-sans-ethiopic',
  'noto-sans-canadian-aboriginal',
  'noto-sans-syriac',
  'noto-sans-thaana',
  'noto-sans-cherokee',
  'noto-serif-tibetan',
  'noto-emoji',
  'noto-sans-sc',
  'noto-sans-kr',
  'noto-sans-symbols',
  // Rare characters of Japanese names, as 𠮷.
  'noto-sans-jp',
  'noto-sans-mongolian',
  'noto-sans-tifinagh',
  'noto-sans-nko',
  'noto-sans-yi',
  'noto-sans-symbols-2',
] as const;

/** The faces of one weight. */
const still = new Set<string>([
  ...['noto-sans-mongolian', 'noto-sans-tifinagh', 'noto-sans-nko', 'noto-sans-yi'],
  'noto-sans-symbols-2',
]);

/** The part after the slice in the names of a family's files. */
export const suffixOf = (family: string): string =>
  still.has(family) ? '-400-normal.woff2' : '-wght-normal.woff2';

/** `covers` are pairs of first and last code point. */
export type Face = { family: string; slice: string; covers: number[] };

/** Made by write-coverage.ts; `ranges` are hexadecimal, `4e00-4e03 4e08`. */
export type Coverage = { family: string; slice: string; ranges: string }[];

export const coverageFile = new URL('./coverage.json', import.meta.url);

const pairOf = (range: string): [number, number] => {
  const [first = '', last = first] = range.split('-');
  return [Number.parseInt(first, 16), Number.parseInt(last, 16)];
};

const read = (): Face[] =>
  (JSON.parse(readFileSync(coverageFile, 'utf8')) as Coverage).map(({ family, slice, ranges }) => ({
    family,
    slice,
    covers: ranges.split(' ').flatMap(pairOf),
  }));

let known: Face[] | undefined;

/** Every face, in the order in which they are asked. */
export const faces = (): Face[] => {
  known ??= read();
  return known;
};

export const covers = ({ covers: pairs }: Face, codePoint: number): boolean => {
  let low = 0;
  let high = pairs.length / 2;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (codePoint > (pairs[2 * middle + 1] ?? 0)) low = middle + 1;
    else high = middle;
  }
  return 2 * low < pairs.length && codePoint >= (pairs[2 * low] ?? 0);
};

const byCodePoint = new Map<number, Face | undefined>();
const rememberedMax = 20_000;

/** The first face that prints a character. */
export const faceOf = (codePoint: number): Face | undefined => {
  if (byCodePoint.has(codePoint)) return byCodePoint.get(codePoint);
  const face = faces().find((candidate) => covers(candidate, codePoint));
  if (byCodePoint.size >= rememberedMax) byCodePoint.clear();
  byCodePoint.set(codePoint, face);
  return face;
};

export const sliceFile = (family: string, slice: string): URL =>
  new URL(
    `files/${family}-${slice}${suffixOf(family)}`,
    import.meta.resolve(
      `${still.has(family) ? '@fontsource' : '@fontsource-variable'}/${family}/package.json`,
    ),
  );

let lastDecoding: Promise<unknown> = Promise.resolve();

/** One at a time: the decoder gives a view of its memory, where the next file is decoded too. */
const decoded = (woff2: Uint8Array): Promise<Uint8Array> => {
  const decoding = lastDecoding.then(async () => {
    const { decompress } = await import('wawoff2');
    return Uint8Array.from(await decompress(woff2));
  });
  lastDecoding = decoding.catch(() => undefined);
  return decoding;
};

/** The face as a TrueType file of the regular weight. */
export const openFace = async ({
  family,
  slice,
}: Pick<Face, 'family' | 'slice'>): Promise<Buffer> =>
  regularOf(await decoded(await readFile(fileURLToPath(sliceFile(family, slice)))));

/** Changes when the faces do. */
export const facesVersion = (): string =>
  createHash('sha256').update(readFileSync(coverageFile)).digest('hex').slice(0, 12);

/** Writes every face as a file, for a reader of ours that looks for fonts in a folder. */
export const writeFaces = async (dir: string): Promise<void> => {
  for (const face of faces()) {
    await writeFile(join(dir, `${face.family}-${face.slice}.ttf`), await openFace(face));
  }
};
