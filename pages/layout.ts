import type { Language } from '../postal/stationery.ts';
import { type Html, html, markup } from './html.ts';

/** The frame of every page for people: no page of ours is found by search engines or sends a referrer. */
export const layout = (page: {
  title: string;
  language?: Language;
  stylesheet: string;
  /** A module, or a plain script. */
  script?: Html;
  body: Html;
}): string =>
  markup(html`<!doctype html>
<html lang="${page.language ?? 'en'}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>${page.title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${page.stylesheet}">
${page.script}
</head>
<body>
${page.body}
</body>
</html>
`);
