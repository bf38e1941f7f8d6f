/** The findings of axe-core on a page that is open in a browser. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'puppeteer-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** One line for each rule that the page breaks, with the first element that does. */
export const findingsOn = async (page: Page): Promise<string[]> => {
  await page.evaluate(axe);
  return (await page.evaluate(
    "axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html))",
  )) as string[];
};
