/** Parts that several of the operator's pages have. */
import type { Language } from '../../../postal/stationery.ts';
import { colon } from '../../../presenters/labels.ts';
import { type Html, html } from '../../html.ts';
import { moment } from '../format.ts';
import { type Row, type Shown, stackTable } from '../table.ts';
import { overviewWords } from './overview-words.ts';

/** A table, or a sentence where it had no rows. */
export const listTable = (
  caption: string,
  columns: readonly string[],
  rows: readonly Row[],
  none: string,
): Html =>
  rows.length === 0 ? html`<p class="hint">${none}</p>` : stackTable({ caption, columns }, rows);

/** A moment, or a dash. */
export const time = (at: string | undefined, language: Language): Html =>
  at === undefined ? html`–` : moment(at, language);

/** Text that the service has in English only. */
export const inEnglish = (text: string | undefined): Html | undefined =>
  text === undefined || text === '' ? undefined : html`<span lang="en">${text}</span>`;

export const facts = (
  rows: readonly { name: string; value: Shown }[],
): Html => html`<dl class="facts">
${rows.map(({ name, value }) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}
</dl>`;

/** A form that is one button. `about` tells apart buttons that have the same words. */
export const buttonForm = (
  action: string,
  { label, about, language }: { label: string; about: string; language: Language },
  hidden: Record<string, string> = {},
): Html => html`<form method="post" action="${action}">
${Object.entries(hidden).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<button class="button quiet" type="submit" aria-label="${label}${colon(language)} ${about}">${label}</button>
</form>`;

/** The one field by which everything is found. It is sent by POST: addresses of pages contain no names. */
export const searchForm = (action: string, language: Language, value = ''): Html => {
  const { label, hint, button } = overviewWords[language].search;
  return html`<form method="post" action="${action}" role="search">
<p class="field">
<label for="text">${label}</label>
<input id="text" name="text" type="text" value="${value}" required autocomplete="off" aria-describedby="text-hint">
<span class="hint" id="text-hint">${hint}</span>
</p>
<p><button class="button" type="submit">${button}</button></p>
</form>`;
};
