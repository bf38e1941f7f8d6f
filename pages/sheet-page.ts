/** A page of one sheet: the kind of page and the service that shows it, the title, and the rest. */
import type { Language } from '../postal/stationery.ts';
import { type Html, html } from './html.ts';
import { layout } from './layout.ts';

/** The service that shows the page. */
export type PageService = {
  name: string;
  contact: string | undefined;
  /** The path of its public address, without a slash at its end; usually empty. */
  prefix: string;
};

export const buttonTo = (url: string, label: string): Html =>
  html`<p><a class="button" href="${url}" rel="noreferrer">${label}</a></p>`;

export const contactFact = ({ name, contact }: PageService, label: string): Html | undefined =>
  contact ? html`<div><dt>${label}</dt><dd>${name}, ${contact}</dd></div>` : undefined;

export const sheetPage = (page: {
  language: Language;
  kind: string;
  service: Pick<PageService, 'name' | 'prefix'>;
  title: string;
  /** Under the title. */
  lead?: Html;
  body: readonly (Html | readonly Html[] | undefined)[];
}): string =>
  layout({
    title: page.title,
    language: page.language,
    stylesheet: `${page.service.prefix}/audit/page.css`,
    body: html`<main class="sheet">
<header class="head">
  <p class="kind">${page.kind} · ${page.service.name}</p>
  <h1>${page.title}</h1>
  ${page.lead}
</header>
${page.body.flatMap((part) => part ?? [])}
</main>`,
  });
