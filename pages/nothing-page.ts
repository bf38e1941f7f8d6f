/** The page behind a link that is not valid. */
import type { Language } from '../postal/stationery.ts';
import { html } from './html.ts';
import { layout } from './layout.ts';

export const nothingPage = (
  language: Language,
  { title, detail }: { title: string; detail: string },
): string =>
  layout({
    title,
    language,
    stylesheet: '/audit/page.css',
    body: html`<main class="sheet">
<h1>${title}</h1>
<p>${detail}</p>
</main>`,
  });
