/** The whole reference: its pages, how they are found, and how they are read by people and programs. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Marked } from 'marked';
import type { ServiceFacts } from '../../contract/service-facts.ts';
import type { ServedFile } from '../../contract/static-files.ts';
import { atFirstUse } from '../../ground/at-first-use.ts';
import { mapInSlices } from '../../ground/slices.ts';
import { type Html, html } from '../html.ts';
import type { Page } from './blocks.ts';
import { framed } from './frame.ts';
import { changelogPage, guidePages } from './guides.ts';
import { llmsFullText, llmsText } from './llms.ts';
import { overviewPage } from './overview.ts';
import { createResourcePages, errorsPage, type ReferenceSource } from './resources.ts';
import { createSearch, type Hit } from './search.ts';
import { createToHtml, type Heading } from './to-html.ts';
import { toMarkdown } from './to-markdown.ts';

/** The codes of each operation are found once: pages look at them again and again. */
const withKnownCodes = (source: ReferenceSource): ReferenceSource => {
  const known = new Map(source.operations.map((one) => [one, source.codesOf(one)]));
  return { ...source, codesOf: (one) => known.get(one) ?? source.codesOf(one) };
};

const pagesOf = async (given: ReferenceSource, facts: ServiceFacts): Promise<Page[]> => {
  const source = withKnownCodes(given);
  const { baseUrl } = facts;
  const first: (() => readonly Page[])[] = [
    () => [overviewPage(source, facts)],
    () => guidePages(baseUrl),
    () => [errorsPage(source), changelogPage(baseUrl)],
  ];
  const made = await mapInSlices(first, (make) => make(), 1);
  return [...made.flat(), ...(await createResourcePages(source))];
};

const groups = ['Basics', 'Resources', 'Guides', 'Run it yourself'];

/** Sections of the guide to the API that readers look for by name. */
const shortcuts: readonly (readonly [string, string])[] = [
  ['Idempotency', '/guides/api#idempotency'],
  ['Paging', '/guides/api#lists'],
  ['Rate limits', '/guides/api#rate-limits'],
  ['Versioning', '/guides/api#versioning'],
];

const navigationOf = (pages: readonly Page[], root: string, current: string | undefined): Html => {
  const entry = ({ path, title }: Pick<Page, 'path' | 'title'>): Html =>
    html`<li><a href="${root}${path}"${path === current ? html` aria-current="page"` : html``}>${title}</a></li>`;
  const group = (name: string): Html => {
    const own = pages.filter((page) => page.group === name);
    const more = name === 'Basics' ? shortcuts.map(([title, path]) => ({ title, path })) : [];
    return html`<h2>${name}</h2>
<ul>
${[...own.map(entry), ...more.map(entry)]}
</ul>`;
  };
  return html`<nav class="navigation" id="navigation" aria-label="Reference">
<a class="close" href="#top">Close</a>
${groups.map(group)}
</nav>`;
};

const languagePicker = html`<fieldset class="languages">
<legend>Samples in</legend>
<input type="radio" name="language" id="in-bash" value="bash" checked><label for="in-bash">curl</label>
<input type="radio" name="language" id="in-ts" value="ts"><label for="in-ts">TypeScript</label>
<input type="radio" name="language" id="in-python" value="python"><label for="in-python">Python</label>
</fieldset>`;

const hasSamples = ({ blocks }: Page): boolean =>
  blocks.some(
    (block) => block.kind === 'columns' && block.code.some(({ kind }) => kind === 'samples'),
  );

const contentsOf = (headings: readonly Heading[]): Html | undefined =>
  headings.length < 3
    ? undefined
    : html`<details class="contents">
<summary>On this page</summary>
<ul>
${headings.map(({ id, text }) => html`<li><a href="#${id}">${text}</a></li>`)}
</ul>
</details>`;

const hitItem = (hit: Hit, root: string): Html => html`<li>
<p class="hit"><a href="${root}${hit.path}">${hit.title}</a> <span>${hit.page}</span></p>
<p>${hit.excerpt}</p>
</li>`;

/** Media types that name their own encoding. */
const types = {
  html: 'text/html; charset=utf-8',
  markdown: 'text/markdown; charset=utf-8',
  text: 'text/plain; charset=utf-8',
};

/** At its first use the parser of Markdown compiles its expressions, which takes as long as a large page. */
const useOnce = async (toHtml: ReturnType<typeof createToHtml>): Promise<void> => {
  const blocks = [{ kind: 'prose' as const, markdown: '`code`' }];
  await toHtml({ path: '', title: '', description: '', group: '', blocks });
  await nextTurn();
};

/** Everything but the pages themselves, which are drawn when they are asked for. All of it is made in slices. */
export const buildSite = async (source: ReferenceSource, facts: ServiceFacts) => {
  const { root } = source;
  const prefix = root.replace(/\/api-docs$/, '');
  const toHtml = createToHtml(Marked, root);
  await useOnce(toHtml);
  const pages = await pagesOf(source, facts);
  const byPath = new Map(pages.map((page) => [page.path, page]));
  const about = { service: facts.name, version: facts.version, prefix };
  const markdowns = atFirstUse(() => mapInSlices(pages, toMarkdown, 1));
  const search = atFirstUse(async () => createSearch(pages, await markdowns.use()));

  const htmlOf = async (page: Page): Promise<string> => {
    const { body, headings } = await toHtml(page);
    return framed({
      ...about,
      title: page.title,
      description: page.description,
      markdown: `${root}${page.path}.md`,
      navigation: navigationOf(pages, root, page.path),
      kind: 'reference',
      content: html`<header class="title">
<p class="group">${page.group}</p>
<h1>${page.title}</h1>
${hasSamples(page) ? languagePicker : undefined}
</header>
${contentsOf(headings)}
<article>
${body}
</article>`,
    });
  };

  /** The page at a path below the reference, as HTML and as Markdown. */
  const draw = async (path: string): Promise<ServedFile[] | undefined> => {
    const asMarkdown = path.endsWith('.md');
    const page = byPath.get(asMarkdown ? path.slice(0, -3) : path.replace(/\/$/, ''));
    if (page === undefined) return undefined;
    const markdown = { type: types.markdown, bytes: Buffer.from(toMarkdown(page)) };
    if (asMarkdown) return [markdown];
    return [{ type: types.html, bytes: Buffer.from(await htmlOf(page)) }, markdown];
  };

  const searchPage = (query: string, hits: readonly Hit[]): string =>
    framed({
      ...about,
      title: query === '' ? 'Search' : `Search: ${query}`,
      description: 'Search in the reference.',
      navigation: navigationOf(pages, root, undefined),
      query,
      kind: 'reference',
      unlisted: true,
      content: html`<header class="title"><h1>Search</h1></header>
<p role="status">${query === '' ? 'What are you looking for?' : `${hits.length === 0 ? 'Nothing' : hits.length} found for “${query}”.`}</p>
<ol class="hits">
${hits.map((hit) => hitItem(hit, root))}
</ol>`,
    });

  return {
    draw,
    /** `now`: the facts with the DID that the service has now. */
    llms: (now = facts): ServedFile => ({
      type: types.text,
      bytes: Buffer.from(llmsText(pages, now, source.baseUrl)),
    }),
    llmsFull: async (now = facts): Promise<ServedFile> => ({
      type: types.text,
      bytes: Buffer.from(llmsFullText(await markdowns.use(), now)),
    }),
    async search(query: string): Promise<Hit[]> {
      const find = await search.use();
      return find(query);
    },
    searchPage,
    paths: pages.map(({ path }) => path),
  };
};
