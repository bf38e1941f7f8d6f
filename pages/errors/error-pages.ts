/** The pages at the `type` addresses of problem documents, for people who follow them. */
import { createHash } from 'node:crypto';
import { type Html, html, markup } from '../html.ts';

export type ErrorFacts = {
  code: string;
  status: number;
  title: string;
  way_out: string;
  operations: { name: string; method: string; path: string; summary: string }[];
};

const style =
  ':root{color-scheme:light dark}body{max-width:46rem;margin:2rem auto;padding:0 1rem;font:1rem/1.55 system-ui,sans-serif}' +
  'code{font-family:ui-monospace,monospace;overflow-wrap:anywhere}table{border-collapse:collapse}' +
  'td,th{padding:.25rem .75rem .25rem 0;text-align:left;vertical-align:top}';

const styleHash = createHash('sha256').update(style).digest('base64');

/** Its own style, and nothing of others. */
export const errorPagePolicy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

const layout = (title: string, body: Html): string =>
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${markup(html`<title>${title}</title>`)}
<style>${style}</style>
</head>
<body>
${markup(body)}
</body>
</html>
`;

export const errorPage = ({ code, status, title, way_out, operations }: ErrorFacts): string =>
  layout(
    title,
    html`<p>Error <code>${code}</code>, status ${status}</p>
<h1>${title}</h1>
<p>${way_out}</p>
<h2>Operations that can answer it</h2>
<ul>
${operations.map(
  ({ method, path, summary }) => html`<li><code>${method} ${path}</code>: ${summary}</li>`,
)}
</ul>
<p><a href="../errors">All errors</a></p>`,
  );

export const errorListPage = (errors: readonly ErrorFacts[]): string =>
  layout(
    'Errors',
    html`<h1>Errors</h1>
<p>Each error answer is a problem document (RFC 9457); its <code>type</code> leads to the page of its code.</p>
<table>
<tr><th scope="col">Code</th><th scope="col">Status</th><th scope="col">Meaning</th></tr>
${errors.map(
  ({ code, status, title }) =>
    html`<tr><td><a href="errors/${code}"><code>${code}</code></a></td><td>${status}</td><td>${title}</td></tr>`,
)}
</table>`,
  );
