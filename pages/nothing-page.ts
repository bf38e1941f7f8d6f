/** The page behind a link that is not valid. */
import type { Language } from '../postal/stationery.ts';
import { html } from './html.ts';
import { layout } from './layout.ts';

/** @param prefix the path of the public address of the service */
export const nothingPage = (
  language: Language,
  prefix: string,
  { title, detail }: { title: string; detail: string },
): string =>
  layout({
    title,
    language,
    stylesheet: `${prefix}/audit/page.css`,
    body: html`<main class="sheet">
<h1>${title}</h1>
<p>${detail}</p>
</main>`,
  });
