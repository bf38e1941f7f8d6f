/** The frame of the pages that everybody may read: head, search, navigation, foot. */
import { type Html, html, markup } from '../html.ts';
import { assetVersion } from './assets.ts';

export type Frame = {
  title: string;
  description: string;
  /** As the operator calls the service. */
  service: string;
  version: string;
  /** The prefix of every path of the service; usually empty. */
  prefix: string;
  /** Address of the same page as Markdown. */
  markdown?: string;
  /** The search words. */
  query?: string;
  navigation?: Html;
  /** Class of the body. */
  kind: string;
  content: Html;
  /** Search engines pass it over. */
  unlisted?: boolean;
};

/** Nothing but what this service serves; no script needs to run. */
export const framePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

const mark = (prefix: string): Html =>
  html`<img src="${prefix}/logo.svg" width="28" height="28" alt="">`;

export const framed = (page: Frame): string => {
  const { title, description, service, version, prefix, markdown, query, navigation } = page;
  const full = title === service ? title : `${title} · ${service}`;
  return markup(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="description" content="${description}">
${page.unlisted ? html`<meta name="robots" content="noindex">` : undefined}
<title>${full}</title>
<link rel="icon" type="image/svg+xml" href="${prefix}/logo.svg">
<link rel="stylesheet" href="${prefix}/api-docs/assets/reference.css?v=${assetVersion}">
${markdown === undefined ? undefined : html`<link rel="alternate" type="text/markdown" href="${markdown}">`}
<script src="${prefix}/api-docs/assets/reference.js?v=${assetVersion}" defer></script>
</head>
<body class="${page.kind}" id="top">
<a class="skip" href="#content">Skip to the content</a>
<header class="bar">
<a class="brand" href="${prefix}/">${mark(prefix)}<span>${service}</span></a>
${navigation ? html`<a class="menu" href="#navigation">Menu</a>` : undefined}
<form class="search" role="search" action="${prefix}/api-docs/search" method="get">
<input type="search" name="q" value="${query ?? ''}" maxlength="100" required placeholder="Search" aria-label="Search the reference">
<button type="submit">Search</button>
</form>
<nav class="links" aria-label="Service">
<a href="${prefix}/api-docs">Reference</a>
<a href="${prefix}/docs">Try it</a>
<a href="${prefix}/console">Console</a>
</nav>
</header>
<div class="page">
${navigation}
<main id="content">
${page.content}
</main>
</div>
<footer class="foot">
<p>${service}, version ${version}. ${markdown === undefined ? undefined : html`<a href="${markdown}">This page as Markdown</a>. `}<a href="${prefix}/openapi.json">OpenAPI</a>. <a href="${prefix}/llms.txt">llms.txt</a>.</p>
</footer>
</body>
</html>
`);
};
