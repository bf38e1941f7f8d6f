/** The output of a run, by section, kept so that `--write` can make a page of it. */
export type Section = { title: string; text: string };

const sections: { title: string; lines: string[] }[] = [];

export const openSection = (title: string): void => {
  sections.push({ title, lines: [] });
  console.log(`\n${title}\n`);
};

/** Prints `text` as a part of the section that was opened last. */
export const print = (text: string): void => {
  sections.at(-1)?.lines.push(text);
  console.log(text);
};

/** In the order in which they were opened; a title that was opened twice is one section. */
export const printedSections = (): Section[] =>
  [...Map.groupBy(sections, ({ title }) => title)].map(([title, parts]) => ({
    title,
    text: parts
      .flatMap(({ lines }) => lines)
      .join('\n')
      .replace(/^\n+|\n+$/g, ''),
  }));
