/** The list of letters with its filters. */
import type { Static } from 'typebox';
import { letterStatuses } from '../../../contract/letter-status.ts';
import { fullNameOf, services } from '../../../postal/services.ts';
import { labels } from '../../../presenters/labels.ts';
import type { LetterCounts } from '../../../presenters/letter-counts.ts';
import { shownStatus } from '../../../presenters/status-words.ts';
import { type Html, html } from '../../html.ts';
import { selectField, textField } from '../form.ts';
import { countryNames, moment, money } from '../format.ts';
import { isErased, type Letter } from '../letter-shown.ts';
import { statusBadge, statusIn } from '../status-badge.ts';
import { figure, type Row, stackTable } from '../table.ts';
import type { Visit } from '../visit.ts';
import { addressOf, type LetterFilter } from './letter-filter.ts';
import { type LettersWords, lettersWords } from './letters-words.ts';

export type Counts = Static<typeof LetterCounts>;

export type LettersList = {
  letters: Letter[];
  /** The address of the page of older letters. */
  older: string | undefined;
  filter: LetterFilter;
  /** Letters by state; absent with a search. */
  counts?: Counts;
  /** The text of a search; a search has no filters. */
  searched?: string;
  /** A search that found more letters than are shown. */
  isCut?: boolean;
};

const countsPart = ({ counts }: LettersList, { at, language }: Visit, words: LettersWords) => {
  if (!counts || counts.total === 0) return undefined;
  const all = [...Object.entries(counts.by_status), ['returned', counts.returned] as const];
  const links = all
    .filter(([, letters]) => letters > 0)
    .map(
      ([status, letters]) =>
        html`<li><a href="${at(addressOf({ status }))}">${statusIn(language, status)}</a> <span class="number">${letters.toLocaleString(language)}</span></li>`,
    );
  return html`<nav aria-label="${words.counts}"><ul class="choices counts">${links}</ul></nav>`;
};

const searchForm = ({ at }: Visit, words: LettersWords, searched = ''): Html =>
  html`<form class="row" method="post" action="${at('/letters')}" role="search">
${textField({ name: 'text', label: words.search, value: searched, hint: words.searchHint, required: true })}
<p><button class="button" type="submit">${words.searchButton}</button></p>
</form>`;

/** The key or UCAN whose letters are shown: a link of its page leads here. */
const makerPart = ({ made_by: maker }: LetterFilter, words: LettersWords): Html | undefined =>
  maker === undefined
    ? undefined
    : html`<p>${words.madeBy} <code class="secret">${maker}</code><input type="hidden" name="made_by" value="${maker}"></p>`;

const filterForm = ({ at, language }: Visit, words: LettersWords, filter: LetterFilter): Html => {
  const all = { value: '', label: words.any };
  const states = [...letterStatuses, 'returned'].map((value) => ({
    value,
    label: statusIn(language, value),
  }));
  return html`<form class="row" method="get" action="${at('/letters')}" aria-label="${words.filter}">
${selectField({ name: 'status', label: words.status, value: filter.status }, [all, ...states])}
${selectField({ name: 'country', label: words.country, value: filter.country }, [all, ...countryNames(language)])}
${textField({ name: 'from', label: words.from, type: 'date', value: filter.from })}
${textField({ name: 'until', label: words.until, type: 'date', value: filter.until })}
${makerPart(filter, words)}
<p><button class="button" type="submit">${words.apply}</button></p>
</form>`;
};

const rowOf = (letter: Letter, { at, language }: Visit): Row => {
  const state = shownStatus(letter.status, letter.delivery_outcome);
  const { to_name: name, to_city: city, to_country: country } = letter;
  const [named, place] = isErased(letter)
    ? [labels.erased[language], country]
    : [name, `${city}, ${country}`];
  return [
    html`<a href="${at(`/letters/${letter.letter_id}`)}">${named ?? undefined}</a><br><span class="hint">${place ?? undefined}</span>`,
    statusBadge(language, state),
    fullNameOf(services[letter.service]),
    figure(money(letter.price.total, language)),
    moment(letter.created_at, language),
  ];
};

export const lettersTable = (
  letters: readonly Letter[],
  visit: Visit,
  words: LettersWords,
): Html => {
  if (letters.length === 0) return html`<p id="none">${words.none}</p>`;
  return stackTable(
    words,
    letters.map((letter) => rowOf(letter, visit)),
  );
};

export const lettersBody = (list: LettersList, visit: Visit): Html => {
  const { at, language, query } = visit;
  const words = lettersWords[language];
  const isPart = list.searched !== undefined || Object.keys(list.filter).length > 0;
  return html`<p><a class="button" href="${at('/write')}">${words.write}</a></p>
<p><a href="${at('/statistics')}">${words.statistics}</a></p>
${countsPart(list, visit, words)}
${searchForm(visit, words, list.searched)}
<p><a href="${at('/letters/recipient')}">${words.byRecipient.title}</a></p>
${filterForm(visit, words, list.filter)}
${isPart ? html`<p><a href="${at('/letters')}">${words.reset}</a></p>` : undefined}
${list.isCut ? html`<p id="cut">${words.cut}</p>` : undefined}
${lettersTable(list.letters, visit, words)}
<p class="choices">
${query.has('cursor') ? html`<a href="${at(addressOf(list.filter))}">${words.first}</a>` : undefined}
${list.older === undefined ? undefined : html`<a rel="next" href="${at(list.older)}">${words.next}</a>`}
</p>`;
};
