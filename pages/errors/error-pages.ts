/** The pages at the `type` addresses of problem documents, for people who follow them. */
import { type Html, html } from '../html.ts';
import { type Frame, framed } from '../reference/frame.ts';

export type ErrorFacts = {
  code: string;
  status: number;
  title: string;
  way_out: string;
  operations: { name: string; method: string; path: string; summary: string }[];
};

/** The service that publishes the pages. */
export type Publisher = Pick<Frame, 'service' | 'version' | 'prefix'>;

/** Text between backticks becomes code. */
const withCode = (text: string): Html =>
  html`${text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))}`;

export const errorPage = (
  { code, status, title, way_out, operations }: ErrorFacts,
  publisher: Publisher,
): string =>
  framed({
    ...publisher,
    title,
    description: way_out,
    kind: 'plain',
    content: html`<p class="group">Error <code>${code}</code>, status ${status}</p>
<h1>${title}</h1>
<p class="lead">${withCode(way_out)}</p>
<h2>Operations that can answer it</h2>
<ul>
${operations.map(
  ({ method, path, summary }) => html`<li><code>${method} ${path}</code>: ${summary}</li>`,
)}
</ul>
<p><a href="../errors">All errors</a></p>`,
  });

export const errorListPage = (errors: readonly ErrorFacts[], publisher: Publisher): string =>
  framed({
    ...publisher,
    title: 'Errors',
    description: 'All errors of the service.',
    kind: 'plain',
    content: html`<h1>Errors</h1>
<p>Each error answer is a problem document (RFC 9457); its <code>type</code> leads to the page of its code.</p>
<div class="wide" role="group" aria-label="All errors" tabindex="0">
<table>
<thead><tr><th scope="col">Code</th><th scope="col">Status</th><th scope="col">Meaning</th></tr></thead>
<tbody>
${errors.map(
  ({ code, status, title }) =>
    html`<tr><td><a href="errors/${code}"><code>${code}</code></a></td><td>${status}</td><td>${title}</td></tr>`,
)}
</tbody>
</table>
</div>`,
  });
