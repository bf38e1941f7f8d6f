/** The frame of the operator's pages: navigation, notices, refusals. */
import type { OperatorRights } from '../../../contract/operator-session.ts';
import { type Html, html } from '../../html.ts';
import { layout } from '../../layout.ts';
import { type OperatorRoom, roomWords } from './operator-rooms.ts';
import type { OperatorVisit } from './operator-visit.ts';

const roomsOf: Record<OperatorRights, readonly OperatorRoom[]> = {
  operator: Object.keys(roomWords) as OperatorRoom[],
  auditor: ['audit'],
};

/** Results of forms. The list is closed, because the word comes from the address. */
const doneWords: Record<string, string> = {
  blocked: 'The account is blocked.',
  unblocked: 'The account is not blocked any longer.',
  frozen: 'The account is frozen.',
  unfrozen: 'The account can spend again.',
  quotas: 'The quotas are set.',
  credited: 'The money was added.',
  credited_before: 'A credit with this reference was made before. Nothing was added.',
  revoked: 'The key is revoked.',
  returned: 'The letter is reported as returned.',
  delivered_again: 'The notification will be delivered again.',
  mail_again: 'The mail is sent again, unless that was already asked for today.',
  retried: 'The job runs again.',
  given_up: 'The job is given up.',
  replayed: 'The reactor reads its parked streams again.',
  examined: 'The doctor has looked at everything.',
};

const pathOf = (room: OperatorRoom): string => (room === 'overview' ? '' : `/${room}`);

const link = (visit: OperatorVisit, room: OperatorRoom, current: OperatorRoom): Html =>
  room === current
    ? html`<li><a href="${visit.at(pathOf(room))}" aria-current="page">${roomWords[room]}</a></li>`
    : html`<li><a href="${visit.at(pathOf(room))}">${roomWords[room]}</a></li>`;

const doneNotice = ({ query }: OperatorVisit): Html | undefined => {
  const word = query.get('said') ?? '';
  if (!Object.hasOwn(doneWords, word)) return undefined;
  return html`<p class="notice" role="status">${doneWords[word]}</p>`;
};

export const refusalNotice = (message: string): Html => html`<section class="problem" role="alert">
<h2>This was not done</h2>
<p>${message}</p>
</section>`;

export const operatorFrame = (
  visit: OperatorVisit,
  page: { title: string; room: OperatorRoom; body: Html },
): string => {
  const { rights, operator } = visit.session;
  return layout({
    title: `${page.title} · Operator`,
    language: 'en',
    stylesheet: visit.file('/audit/page.css'),
    body: html`<a class="skip" href="#content">Skip to the content</a>
<header class="bar">
<nav aria-label="Operator"><ul>
${roomsOf[rights].map((room) => link(visit, room, page.room))}
</ul></nav>
<form method="post" action="${visit.at('/sign-out')}"><button class="button quiet" type="submit" title="Signed in as ${operator}">Sign out</button></form>
</header>
<main class="sheet wide" id="content">
${doneNotice(visit)}
<h1>${page.title}</h1>
${page.body}
</main>`,
  });
};
