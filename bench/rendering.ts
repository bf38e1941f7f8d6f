/**
 * j) Letters on paper: text to PDF on one core, HTML by the browsers, the check of a PDF of ten pages. Each letter
 * has its own words, because a verdict about the same bytes is kept and would be measured instead.
 */
import { pino } from 'pino';
import { createPreflight } from '../documents/preflight/index.ts';
import { createHtmlRenderer } from '../documents/render/html-letter.ts';
import { renderTextLetter } from '../documents/render/text-letter.ts';
import { defaultLimits } from '../limits/table.ts';
import { createWorkerPool } from '../limits/worker-pool.ts';
import { geometryOf } from '../postal/geometry.ts';
import type { Options } from './options.ts';
import { print } from './printed.ts';
import { atLeast, below, formatTable, type Target, tenth, whole } from './report.ts';

const letterhead = {
  from: ['Weiß & Söhne GmbH', 'Königsallee 12', '40212 Düsseldorf'],
  to: ['Dr. Anja Müller', 'Bürgerstraße 7a', '50667 Köln'],
  date: '3. März 2026',
  createdAt: new Date('2026-03-03T10:00:00Z'),
  sheet: geometryOf('DE', 'de_standardbrief'),
};

const paragraph =
  'Sehr geehrte Frau Dr. Müller, vielen Dank für Ihr Schreiben. Wir bestätigen den Eingang und melden uns innerhalb von zehn Werktagen. ';
let written = 0;
/** A sentence that no other letter of the run has. */
const ownSentence = (): string => `Ihr Zeichen: ${(++written * 7_919).toString(36)}. `;
const ownText = (): string => `${ownSentence()}${paragraph.repeat(3)}\n\n${paragraph.repeat(4)}`;
const rows = Array.from(
  { length: 20 },
  (_, n) => `<tr><td>${n + 1}</td><td>Position ${n + 1}, Größe L</td><td>${n * 3},90 €</td></tr>`,
);
const ownHtml = (): string => `<style>td{border-bottom:1px solid #999;padding:2pt 6pt}</style>
<h1>Rechnung 4711</h1><p>${ownSentence()}${paragraph}</p><table>${rows.join('')}</table><p>${paragraph}</p>`;

/** Parallel requests for HTML letters: one for each browser of the pool. */
const askers = 2;
const preflights = 20;
const silent = pino({ level: 'silent' });

/** How often per second `work` was done, with `parallel` at once. */
const rateOf = async (
  work: () => Promise<unknown>,
  parallel: number,
  milliseconds: number,
): Promise<number> => {
  const began = performance.now();
  let count = 0;
  const worker = async (): Promise<void> => {
    for (; performance.now() - began < milliseconds; count++) await work();
  };
  await Promise.all(Array.from({ length: parallel }, worker));
  return (count * 1_000) / (performance.now() - began);
};

const htmlLetters = async (windowMs: number, warmUpMs: number) => {
  const workers = createWorkerPool({});
  const executablePath = process.env.CHROMIUM_PATH;
  const renderer = createHtmlRenderer({ executablePath, workers, log: silent });
  try {
    if (!(await renderer.warmUp())) throw new Error('the browser does not start on this machine');
    const render = () => renderer.render({ ...letterhead, html: ownHtml() });
    await rateOf(render, askers, warmUpMs);
    const perSecond = await rateOf(render, askers, windowMs);
    return { perSecond, peakBytes: renderer.stats().peakMemoryBytes };
  } finally {
    await Promise.all([renderer.close(), workers.close()]);
  }
};

const tenPages = (): Promise<Buffer> =>
  renderTextLetter({
    ...letterhead,
    content: [ownSentence(), ...Array(75).fill(paragraph.repeat(3))].join('\n\n'),
  });

const preflightMs = async (): Promise<{ pages: number; median: number }> => {
  const { documentBytes: maxBytes, pages: maxPages } = defaultLimits;
  const pool = createWorkerPool({});
  const preflight = createPreflight({ pool, maxBytes, maxPages, log: silent });
  const rules = { sheet: letterhead.sheet, country: 'DE' as const, maxPages, autoFix: false };
  try {
    const { pages } = await preflight.check(await tenPages(), rules);
    const times: number[] = [];
    for (let n = 0; n < preflights; n++) {
      const pdf = await tenPages();
      const began = performance.now();
      await preflight.check(pdf, rules);
      times.push(performance.now() - began);
    }
    return { pages, median: times.toSorted((a, b) => a - b)[preflights / 2] ?? 0 };
  } finally {
    await pool.close();
  }
};

export const runRendering = async (
  options: Options,
): Promise<{ targets: Target[]; problems: string[] }> => {
  const windowMs = options.seconds * 1_000;
  const warmUpMs = options.warmUpSeconds * 1_000;
  const renderText = () => renderTextLetter({ ...letterhead, content: ownText() });
  await rateOf(renderText, 1, warmUpMs);
  const texts = await rateOf(renderText, 1, windowMs);
  const { perSecond, peakBytes } = await htmlLetters(windowMs, warmUpMs);
  const { pages, median } = await preflightMs();
  print(
    formatTable({
      columns: ['what', 'measured'],
      rows: [
        ['text letter to PDF, one core', `${whole(texts)}/s`],
        ['HTML letter, an invoice, two browsers', `${tenth(perSecond)}/s`],
        ['memory of one browser at most', `${whole(peakBytes / 1e6)} MB`],
        [`preflight of ${pages} pages, median`, `${whole(median)} ms`],
      ],
    }),
  );
  return {
    targets: [
      atLeast('j) text letter to PDF', 150, texts, '/s'),
      atLeast('j) HTML letter', 12, perSecond, '/s'),
      below('j) preflight of ten pages', 300, median, ' ms'),
    ],
    problems: pages === 10 ? [] : [`the PDF for the preflight has ${pages} pages, not 10`],
  };
};
