/** `/console/requests`: the last requests of the account. */
import type { Static } from 'typebox';
import type { LoggedRequest } from '../../../presenters/logged-request.ts';
import { type Html, html } from '../../html.ts';
import { fieldsOf } from '../form.ts';
import { apiName, moment } from '../format.ts';
import { figure, olderLink, type Row, stackTable } from '../table.ts';
import { ask, pageAt, type Visit } from '../visit.ts';
import { requestsWords } from './requests-words.ts';

type Logged = Static<typeof LoggedRequest>;
type Found = { data: Logged[]; next_cursor: string | null };

/** A name of the API. */
const codeOf = (name: string): Html => html`<code>${apiName(name)}</code>`;

const rowOf = (request: Logged, { language }: Visit): Row => {
  const mood = request.status < 400 ? 'good' : 'bad';
  return [
    moment(request.at, language),
    codeOf(request.operation),
    html`<span class="badge" data-state="${mood}">${request.status}</span> ${request.code === null ? undefined : codeOf(request.code)}`,
    html`<code>${request.key_id}</code>`,
    figure(request.ms),
    html`<code>${request.request_id}</code>`,
  ];
};

const table = (requests: readonly Logged[], visit: Visit): Html => {
  const words = requestsWords[visit.language];
  if (requests.length === 0) return html`<p>${words.none}</p>`;
  return stackTable(
    words,
    requests.map((request) => rowOf(request, visit)),
  );
};

/** The way between all requests and those that failed. */
const choice = ({ at, query, language }: Visit): Html => {
  const words = requestsWords[language];
  const failed = query.get('failed') === 'true';
  const entry = (href: string, label: string, isCurrent: boolean) =>
    isCurrent
      ? html`<li><a href="${href}" aria-current="page">${label}</a></li>`
      : html`<li><a href="${href}">${label}</a></li>`;
  return html`<nav aria-label="${words.which}"><ul class="choices">
${entry(at('/requests'), words.all, !failed)}
${entry(at('/requests?failed=true'), words.failed, failed)}
</ul></nav>`;
};

export const requestsRoutes = [
  pageAt('/requests', 'requests', async (visit) => {
    const { language, query } = visit;
    const words = requestsWords[language];
    const wanted = fieldsOf(query, ['cursor']);
    const failed: Record<string, string> = query.get('failed') === 'true' ? { failed: 'true' } : {};
    const found = await ask<Found>(visit, 'list_requests', { query: { ...wanted, ...failed } });
    const older = { path: '/requests', cursor: found.next_cursor, query: failed };
    return {
      body: html`<p class="lead">${words.lead}</p>
${choice(visit)}
${table(found.data, visit)}
${olderLink(visit, older, words.next)}`,
    };
  }),
];
