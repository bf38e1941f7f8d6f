/** The frame of the operator's pages: navigation, notices, refusals. */
import type { OperatorRights } from '../../../contract/operator-session.ts';
import type { Language } from '../../../postal/stationery.ts';
import { type Html, html } from '../../html.ts';
import { layout } from '../../layout.ts';
import { type Done, doneWords, operatorFrameWords } from './operator-frame-words.ts';
import { type OperatorRoom, operatorRooms } from './operator-rooms.ts';
import type { OperatorVisit } from './operator-visit.ts';

const roomsOf: Record<OperatorRights, readonly OperatorRoom[]> = {
  operator: operatorRooms,
  auditor: ['audit'],
};

const pathOf = (room: OperatorRoom): string => (room === 'overview' ? '' : `/${room}`);

const link = ({ at, language }: OperatorVisit, room: OperatorRoom, current: OperatorRoom): Html => {
  const label = operatorFrameWords[language].rooms[room];
  return room === current
    ? html`<li><a href="${at(pathOf(room))}" aria-current="page">${label}</a></li>`
    : html`<li><a href="${at(pathOf(room))}">${label}</a></li>`;
};

const isDone = (word: string | null): word is Done =>
  (doneWords as readonly (string | null)[]).includes(word);

const doneNotice = ({ query, language }: OperatorVisit): Html | undefined => {
  const word = query.get('said');
  if (!isDone(word)) return undefined;
  return html`<p class="notice" role="status">${operatorFrameWords[language].done[word]}</p>`;
};

/** @param message in English */
export const refusalNotice = (
  message: string,
  language: Language,
): Html => html`<section class="problem" role="alert">
<h2>${operatorFrameWords[language].refused.heading}</h2>
<p lang="en">${message}</p>
</section>`;

export const operatorFrame = (
  visit: OperatorVisit,
  room: OperatorRoom,
  page: { title?: string; body: Html },
): string => {
  const { session, language } = visit;
  const { rights, operator } = session;
  const words = operatorFrameWords[language];
  const { title = words.rooms[room], body } = page;
  return layout({
    title: `${title} · ${words.operator}`,
    language,
    stylesheet: visit.file('/audit/page.css'),
    body: html`<a class="skip" href="#content">${words.skip}</a>
<header class="bar">
<nav aria-label="${words.operator}"><ul>
${roomsOf[rights].map((one) => link(visit, one, room))}
</ul></nav>
<form method="post" action="${visit.at('/sign-out')}"><button class="button quiet" type="submit" title="${words.signedInAs(operator)}">${words.signOut}</button></form>
</header>
<main class="sheet wide" id="content">
${doneNotice(visit)}
<h1>${title}</h1>
${body}
</main>`,
  });
};
