/** The frame of the pages of a person who is signed in: navigation, notices, problems. */
import type { Language } from '../../postal/stationery.ts';
import { type Html, html } from '../html.ts';
import { layout } from '../layout.ts';
import { type Done, doneWords, frameWords, type Room, rooms } from './frame-words.ts';
import { findingsList, reasonOf } from './refusals/problem-words.ts';
import type { Problem, Visit } from './visit.ts';

const link = (visit: Pick<Visit, 'at' | 'language'>, room: Room, current: Room): Html => {
  const label = frameWords[visit.language].rooms[room];
  const href = visit.at(`/${room}`);
  return room === current
    ? html`<li><a href="${href}" aria-current="page">${label}</a></li>`
    : html`<li><a href="${href}">${label}</a></li>`;
};

const isDone = (word: string | null): word is Done =>
  (doneWords as readonly (string | null)[]).includes(word);

/** The notice about the form before this page. */
const doneNotice = ({ query, language }: Visit): Html | undefined => {
  const word = query.get('said');
  if (!isDone(word)) return undefined;
  return html`<p class="notice" role="status">${frameWords[language].done[word]}</p>`;
};

/** A refusal, with the fields that are wrong. */
export const problemNotice = (problem: Problem, language: Language): Html => {
  const { code, errors = [] } = problem;
  return html`<section class="problem" role="alert" data-code="${code}">
<h2>${frameWords[language].refused}</h2>
<p>${reasonOf(problem, language)}</p>
${errors.length === 0 ? undefined : findingsList(errors, language)}
</section>`;
};

export const framed = (visit: Visit, room: Room, page: { title?: string; body: Html }): string => {
  const { session, language, at } = visit;
  const words = frameWords[language];
  const { title = words.rooms[room], body } = page;
  return layout({
    title: `${title} · ${words.console}`,
    language,
    stylesheet: visit.stylesheet,
    script: html`<script type="module" src="${visit.script}"></script>`,
    body: html`<a class="skip" href="#content">${words.skip}</a>
<header class="bar">
<nav aria-label="${words.console}"><ul>
${rooms.map((one) => link(visit, one, room))}
</ul></nav>
<form method="post" action="${at('/sign-out')}"><button class="button quiet" type="submit">${words.signOut}</button></form>
</header>
<main class="sheet wide" id="content">
${session.caller.test ? html`<p class="notice">${words.test}</p>` : undefined}
${doneNotice(visit)}
<h1>${title}</h1>
${body}
</main>`,
  });
};
