/** Pages of errors: for an address without a page, and for a request that an operation refuses. */
import { html } from '../html.ts';
import { framed } from '../reference/frame.ts';
import type { Publisher } from './error-pages.ts';

export const notFoundPage = (publisher: Publisher): string => {
  const { prefix } = publisher;
  const lead = 'The service has no page at this address.';
  return framed({
    ...publisher,
    title: 'Page not found',
    description: lead,
    kind: 'plain',
    unlisted: true,
    content: html`<p class="group">Error <code>not_found</code>, status 404</p>
<h1>Page not found</h1>
<p class="lead">${lead}</p>
<ul>
<li><a href="${prefix}/">Start page</a></li>
<li><a href="${prefix}/api-docs">Reference and guides</a></li>
<li><a href="${prefix}/openapi.json">All paths as OpenAPI</a></li>
</ul>`,
  });
};

/** The page of a browser whose request an operation refuses that answers pages. */
export const refusalPage = (
  publisher: Publisher,
  { code, status, title, detail }: { code: string; status: number; title: string; detail: string },
): string => {
  const { prefix } = publisher;
  return framed({
    ...publisher,
    title,
    description: title,
    kind: 'plain',
    unlisted: true,
    content: html`<p class="group">Error <code>${code}</code>, status ${status}</p>
<h1>${title}</h1>
<p class="lead">${detail}</p>
<ul>
<li><a href="${prefix}/errors/${code}">More about this error</a></li>
<li><a href="${prefix}/">Start page</a></li>
</ul>`,
  });
};
