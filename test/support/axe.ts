/** The findings of axe-core on a page that is open in a browser. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'puppeteer-core';

const file = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
/** In ASCII, which costs a browser half as much: it gets 650 kB for each document. */
const axe = readFileSync(file, 'utf8').replace(
  /[^\0-\x7f]/g,
  (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
);

/** One line for each rule that the page breaks, with the first element that does. */
export const findingsOn = async (page: Page): Promise<string[]> => {
  // The same document may be looked at in several widths.
  if (await page.evaluate("typeof axe === 'undefined'")) await page.evaluate(`${axe};0`);
  return (await page.evaluate(
    "axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html))",
  )) as string[];
};
