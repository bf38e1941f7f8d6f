/** Pages of the reference as HTML. */
import type { Marked } from 'marked';
import { mapInSlices } from '../../ground/slices.ts';
import { type Html, html, markup, trusted } from '../html.ts';
import { type Block, type Code, type Field, type Page, slugOf } from './blocks.ts';
import { guideLink } from './guides.ts';
import { highlighted } from './highlight.ts';

export type Heading = { id: string; text: string };
type Rendered = { body: Html; headings: readonly Heading[] };

const languages: Record<string, string> = {
  ts: 'TypeScript',
  js: 'JavaScript',
  bash: 'Shell',
  sh: 'Shell',
  json: 'JSON',
  python: 'Python',
  ini: 'Settings',
  '': 'Text',
  text: 'Text',
};

const codeBlock = ({ language, text, title }: Code, sample?: string): Html => {
  const name = title ?? languages[language] ?? language;
  return html`<figure class="code"${sample === undefined ? html`` : html` data-language="${sample}"`}>
<figcaption>${name}</figcaption>
<pre tabindex="0" aria-label="${name}"><code>${highlighted(language, text.trimEnd())}</code></pre>
</figure>`;
};

const wide = (label: string, content: Html): Html =>
  html`<div class="wide" role="group" aria-label="${label}" tabindex="0">${content}</div>`;

/** Markdown of ours as HTML: raw HTML in it is text, and comments are left out. `headings`: those of level 2 are added to it. */
const proseRenderer = (MarkedClass: typeof Marked, root: string, headings: Heading[]) => {
  const ids = new Set<string>();
  const idOf = (text: string): string => {
    const slug = slugOf(text);
    let id = slug;
    for (let n = 1; ids.has(id); n++) id = `${slug}-${n}`;
    ids.add(id);
    return id;
  };
  const marked: Marked = new MarkedClass({
    gfm: true,
    renderer: {
      html: ({ text }) => (text.startsWith('<!--') ? '' : markup(html`${text}`)),
      code: ({ text, lang = '' }) => {
        const [language = '', mark] = lang.split(' ');
        const title = mark === 'output' ? 'Output' : undefined;
        return markup(codeBlock({ language, text, ...(title ? { title } : {}) }));
      },
      heading({ tokens, depth, text }) {
        const id = idOf(text.replaceAll('`', ''));
        if (depth === 2) headings.push({ id, text: text.replaceAll('`', '') });
        const content = this.parser.parseInline(tokens);
        return `<h${depth} id="${id}"><a class="anchor" href="#${id}">${content}</a></h${depth}>\n`;
      },
      link({ href, tokens }) {
        const to = guideLink(href, root);
        const content = trusted(this.parser.parseInline(tokens));
        return markup(to === undefined ? content : html`<a href="${to}">${content}</a>`);
      },
      table({ header, rows }) {
        const inline = (one: { tokens: (typeof header)[number]['tokens'] }): Html =>
          trusted(this.parser.parseInline(one.tokens));
        return markup(
          tableOf(
            header.map(inline),
            rows.map((row) => row.map(inline)),
          ),
        );
      },
    },
  });
  return {
    block: (markdown: string): Html => trusted(marked.parse(markdown, { async: false })),
    inline: (markdown: string): Html => trusted(marked.parseInline(markdown, { async: false })),
  };
};

const isEmpty = (cells: readonly Html[]): boolean => cells.every((one) => markup(one) === '');

const tableOf = (
  head: readonly Html[],
  rows: readonly (readonly Html[])[],
  ids: readonly string[] = [],
): Html =>
  wide(
    'Table',
    html`<table>
${isEmpty(head) ? undefined : html`<thead><tr>${head.map((one) => (isEmpty([one]) ? html`<td></td>` : html`<th scope="col">${one}</th>`))}</tr></thead>`}
<tbody>
${rows.map((row, index) => html`<tr${ids[index] === undefined ? html`` : html` id="${ids[index]}"`}>${row.map((one) => html`<td>${one}</td>`)}</tr>`)}
</tbody>
</table>`,
  );

type Inline = (markdown: string) => Html;

const fieldRow = (
  { name, type, required, limits, description, example }: Field,
  inline: Inline,
): Html => html`<tr>
<th scope="row"><code>${name}</code>${required ? html` <span class="required">required${required === true ? '' : html` ${inline(required)}`}</span>` : undefined}</th>
<td><span class="type">${inline(type)}</span>${limits.map((one) => html`<span class="limit">${inline(one)}</span>`)}</td>
<td>${inline(description)}${example === undefined ? undefined : html`<span class="example">Example: <code>${example}</code></span>`}</td>
</tr>`;

const fieldTable = (title: string, fields: readonly Field[], inline: Inline): Html =>
  html`<table class="fields">
<caption>${title}</caption>
<thead><tr><th scope="col">Field</th><th scope="col">Type and limits</th><th scope="col">Meaning</th></tr></thead>
<tbody>
${fields.map((field) => fieldRow(field, inline))}
</tbody>
</table>`;

const blockRenderer = (prose: { block: Inline; inline: Inline }, headings: Heading[]) => {
  const render = (block: Block): Html => {
    switch (block.kind) {
      case 'prose':
        return prose.block(block.markdown);
      case 'heading': {
        const { level, text, id } = block;
        if (level === 2) headings.push({ id, text });
        const content = html`<a class="anchor" href="#${id}">${text}</a>`;
        if (level === 2) return html`<h2 id="${id}">${content}</h2>`;
        return level === 3
          ? html`<h3 id="${id}">${content}</h3>`
          : html`<h4 id="${id}">${content}</h4>`;
      }
      case 'endpoint':
        return html`<p class="endpoint"><span class="method ${block.method.toLowerCase()}">${block.method}</span> <code>${block.path}</code></p>`;
      case 'facts':
        return html`<dl class="facts">
${block.facts.map(([name, text]) => html`<div><dt>${name}</dt><dd>${prose.inline(text)}</dd></div>`)}
</dl>`;
      case 'fields':
        return fieldTable(block.title, block.fields, prose.inline);
      case 'table': {
        const { head, rows, summary, ids } = block;
        const cells = (row: readonly string[]) => row.map(prose.inline);
        const table = tableOf(head.map(prose.inline), rows.map(cells), ids);
        return summary === undefined
          ? table
          : html`<details><summary>${summary}</summary>${table}</details>`;
      }
      case 'code':
        return codeBlock(block.code);
      case 'samples':
        return html`<div class="samples">
${block.samples.map((one) => codeBlock(one, one.language))}
</div>`;
      case 'columns':
        return html`<section class="columns">
<div class="text">
${block.text.map(render)}
</div>
<div class="aside">
${block.code.map(render)}
</div>
</section>`;
    }
  };
  return render;
};

/** Large pages have some hundred blocks. */
const blocksPerSlice = 3;

export const createToHtml = (MarkedClass: typeof Marked, root: string) => {
  return async ({ blocks }: Page): Promise<Rendered> => {
    const headings: Heading[] = [];
    const render = blockRenderer(proseRenderer(MarkedClass, root, headings), headings);
    const body = html`${await mapInSlices(blocks, render, blocksPerSlice)}`;
    return { body, headings };
  };
};
