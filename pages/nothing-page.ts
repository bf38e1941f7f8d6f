/** The page behind a link that is not valid. */
import type { Language } from '../postal/stationery.ts';
import { type Html, html } from './html.ts';
import { layout } from './layout.ts';

/**
 * @param prefix the path of the public address of the service
 * @param page.link opens in another tab
 */
export const nothingPage = (
  language: Language,
  prefix: string,
  {
    title,
    detail,
    link,
  }: { title: string; detail: string | Html; link?: { label: string; url: string } },
): string =>
  layout({
    title,
    language,
    stylesheet: `${prefix}/audit/page.css`,
    body: html`<main class="sheet">
<h1>${title}</h1>
<p>${detail}</p>
${link && html`<p><a href="${link.url}" target="_blank" rel="noopener">${link.label}</a></p>`}
</main>`,
  });
