/** Properties of scripts: their direction, and where their lines may break. */

const rightToLeft =
  /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefe\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const strong = /\p{L}/u;

const isolated = /\u2068[^\u2069]*\u2069/g;

/** The direction of a paragraph: that of its first letter outside of isolates (UAX #9, P2 and P3). */
export const runsRightToLeft = (paragraph: string): boolean =>
  rightToLeft.test(strong.exec(paragraph.replaceAll(isolated, ''))?.[0] ?? '');

/** Joiners, isolates, variation selectors, tags, and marks that only steer breaks: they need no glyph. */
export const isIgnorable = (code: number): boolean =>
  code === 0xad ||
  (code >= 0x200b && code <= 0x200d) ||
  code === 0x2060 ||
  code === 0x2068 ||
  code === 0x2069 ||
  code === 0xfeff ||
  (code >= 0xfe00 && code <= 0xfe0f) ||
  (code >= 0xe0020 && code <= 0xe007f);

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
/** Splits a text into the units that readers see as one character. */
export const clustersOf = (text: string): Iterable<{ segment: string; index: number }> =>
  graphemes.segment(text);

export const zeroWidthSpace = '\u200b';
const ideographs =
  /[\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3040-\u30ff\u3100-\u312f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u{20000}-\u{3ffff}]/u;
/** Must not begin a line: closing marks, small kana, marks of length and repetition (JIS X 4051). */
const neverFirst =
  /^[、。，．・：；？！）〕］｝〉》」』】〙〗〟’”ー々〻ぁぃぅぇぉっゃゅょゎゕゖァィゥェォッャュョヮヵヶ)\],.!?:;%}]/u;
/** Must not end a line. */
const neverLast = /[（〔［｛〈《「『【〘〖〝‘“([{]$/u;
/** Written without spaces between words. */
const spaceless = /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]/u;
const words = new Intl.Segmenter('th', { granularity: 'word' });

const betweenIdeographs = (text: string): string => {
  let marked = '';
  let before = '';
  for (const { segment } of clustersOf(text)) {
    const mayBreak =
      before !== '' &&
      (ideographs.test(before) || ideographs.test(segment)) &&
      !/\s/.test(before + segment) &&
      !neverFirst.test(segment) &&
      !neverLast.test(before);
    marked += (mayBreak ? zeroWidthSpace : '') + segment;
    before = segment;
  }
  return marked;
};

const betweenWords = (text: string): string => {
  let marked = '';
  let before = '';
  for (const { segment } of words.segment(text)) {
    const mayBreak = spaceless.test(segment.charAt(0)) && spaceless.test(before);
    marked += (mayBreak ? zeroWidthSpace : '') + segment;
    before = segment.slice(-1);
  }
  return marked;
};

/** The text with a zero-width space wherever its script lets a line end without a space. */
export const withBreakMarks = (text: string): string => {
  const parted = spaceless.test(text) ? betweenWords(text) : text;
  return ideographs.test(parted) ? betweenIdeographs(parted) : parted;
};
