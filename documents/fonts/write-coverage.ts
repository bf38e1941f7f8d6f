/** Writes coverage.json anew from the fonts: `node documents/fonts/write-coverage.ts`. */
import { readdir, writeFile } from 'node:fs/promises';
import { create } from 'fontkit';
import { type Coverage, coverageFile, families, openFace, sliceFile, suffixOf } from './faces.ts';

/** Slices that Noto Sans itself prints. */
const ofNotoSans = /^(latin|latin-ext|cyrillic|cyrillic-ext|greek|greek-ext|vietnamese)$/;

const slicesOf = async (family: string): Promise<string[]> => {
  const suffix = suffixOf(family);
  return (await readdir(new URL('.', sliceFile(family, ''))))
    .filter((name) => name.endsWith(suffix))
    .map((name) => name.slice(family.length + 1, -suffix.length))
    .filter((slice) => !ofNotoSans.test(slice))
    .toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }));
};

/** Private use and controls belong to no script. */
const isScript = (codePoint: number): boolean =>
  codePoint > 0xa0 && !(codePoint >= 0xe000 && codePoint <= 0xf8ff) && codePoint < 0xe0000;

const rangesOf = (codePoints: number[]): string => {
  const ranges: [number, number][] = [];
  for (const codePoint of codePoints.filter(isScript).toSorted((a, b) => a - b)) {
    const range = ranges.at(-1);
    if (range && range[1] + 1 >= codePoint) range[1] = codePoint;
    else ranges.push([codePoint, codePoint]);
  }
  return ranges
    .map(([first, last]) => (first === last ? [first] : [first, last]))
    .map((range) => range.map((value) => value.toString(16)).join('-'))
    .join(' ');
};

const coverage: Coverage = [];
for (const family of families) {
  for (const slice of await slicesOf(family)) {
    const ranges = rangesOf(create(await openFace({ family, slice })).characterSet);
    if (ranges !== '') coverage.push({ family, slice, ranges });
  }
}
await writeFile(coverageFile, `${JSON.stringify(coverage)}\n`);
