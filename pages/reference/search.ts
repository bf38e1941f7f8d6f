/** Search in the reference: its sections, by the words in them. */
import { mapInSlices } from '../../ground/slices.ts';
import { type Page, slugOf } from './blocks.ts';
import { cutAtHeadings } from './cut-at-headings.ts';

type Section = {
  page: Page;
  heading: string;
  anchor: string;
  text: string;
  /** Of page, heading and text, in lower case. */
  words: { page: string; heading: string; text: string };
};

export type Hit = {
  title: string;
  page: string;
  /** Below the reference, with its anchor. */
  path: string;
  excerpt: string;
};

/** Rows of errors stand with every operation, and are found on a page of their own. */
const errorRow = /^\| [45]\d\d \| \[.*$/gm;

const plain = (markdown: string): string =>
  markdown
    .replaceAll(errorRow, '')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/^[|\s:-]+$/gm, '')
    .replaceAll(/[`*|]|^#+ /gm, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();

const sectionsOf = (page: Page, markdown: string): Section[] => {
  const ids = new Map(
    page.blocks.flatMap((block) => (block.kind === 'heading' ? [[block.text, block.id]] : [])),
  );
  const rows = page.blocks.flatMap((block): Section[] => {
    if (block.kind !== 'table' || block.ids === undefined) return [];
    return block.ids.map((id, index) =>
      sectionOf(page, id, id, (block.rows[index] ?? []).join(' ')),
    );
  });
  const parts = cutAtHeadings(markdown).map(({ heading, text }) =>
    sectionOf(page, plain(heading), heading && (ids.get(heading) ?? slugOf(heading)), text),
  );
  return [...rows, ...parts];
};

const sectionOf = (page: Page, heading: string, anchor: string, markdown: string): Section => {
  const text = plain(markdown);
  return {
    page,
    heading,
    anchor,
    text,
    words: {
      page: page.title.toLowerCase(),
      heading: `${heading} ${anchor}`.toLowerCase(),
      text: text.toLowerCase(),
    },
  };
};

/** How well a section fits one word; 0: it does not. */
const weight = ({ words: { page, heading, text } }: Section, word: string): number =>
  (heading.split(/[^\p{L}\p{N}]+/u).includes(word) ? 12 : heading.includes(word) ? 5 : 0) +
  (page.includes(word) ? 3 : 0) +
  (text.includes(word) ? 1 : 0);

/** Words that few sections contain count for more. */
const rarity = (sections: readonly Section[], word: string): number => {
  const having = sections.filter(({ words }) => words.text.includes(word)).length;
  return Math.log(1 + sections.length / (1 + having));
};

const excerptOf = ({ text, words }: Section, word: string): string => {
  const at = Math.max(0, words.text.indexOf(word) - 60);
  const start = at === 0 ? 0 : text.indexOf(' ', at) + 1;
  const cutText = text.slice(start, start + 200);
  return `${start > 0 ? '… ' : ''}${cutText}${start + 200 < text.length ? ' …' : ''}`;
};

const mostWords = 8;

const wordsOf = (query: string): string[] =>
  query
    .toLowerCase()
    .split(/[^\p{L}\p{N}_/.-]+/u)
    .filter((word) => word !== '')
    .slice(0, mostWords);

/** Finds sections in which all words stand, the best first. `markdowns`: the pages as Markdown, in the same order. */
export const createSearch = async (pages: readonly Page[], markdowns: readonly string[]) => {
  const sectionsAt = (page: Page, index: number) => sectionsOf(page, markdowns[index] ?? '');
  const sections = (await mapInSlices(pages, sectionsAt, 1)).flat();
  return (query: string, most = 20): Hit[] => {
    const words = wordsOf(query);
    const [first] = words;
    if (first === undefined) return [];
    const rare = words.map((word) => rarity(sections, word));
    return sections
      .map((section) => ({ section, weights: words.map((word) => weight(section, word)) }))
      .filter(({ weights }) => weights.every((one) => one > 0))
      .map(({ section, weights }) => ({
        section,
        sum: weights.reduce((sum, one, index) => sum + one * (rare[index] ?? 0), 0),
      }))
      .sort((a, b) => b.sum - a.sum)
      .slice(0, most)
      .map(({ section }) => ({
        title: section.heading || section.page.title,
        page: section.page.title,
        path: section.page.path + (section.anchor && `#${section.anchor}`),
        excerpt: excerptOf(section, first),
      }));
  };
};
