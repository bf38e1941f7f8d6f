/** The page for an address without a page of its own. */
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
