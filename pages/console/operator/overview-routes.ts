/** `/console/operator`: what waits and fails, and the search. */
import { type Html, html } from '../../html.ts';
import { fieldOf } from '../form.ts';
import type { Backlog, Found, Health, Incident } from './desk.ts';
import { listTable, searchForm, time } from './operator-parts.ts';
import type { OperatorRoute, OperatorVisit } from './operator-visit.ts';

/** The state of read models and reactors, as the operation `health` answers it. */
export const healthOf = async ({ call }: OperatorVisit): Promise<Health> =>
  JSON.parse((await call('health', {})).body) as Health;

const incidentRow = ({ at }: OperatorVisit, incident: Incident) => [
  html`<a href="${at(incident.page)}">${incident.what}</a>`,
  time(incident.since),
  incident.detail,
];

const backlogRow = ({ partner, stage, letters, oldest }: Backlog) => [
  partner,
  stage,
  letters,
  time(oldest),
];

const overviewBody = (visit: OperatorVisit, incidents: Incident[], backlog: Backlog[]): Html =>
  html`${searchForm(visit.at('/search'))}
<h2 id="incidents" data-count="${incidents.length}">Incidents</h2>
${listTable(
  'What waits or fails now',
  ['What', 'Since', 'Detail'],
  incidents.map((one) => incidentRow(visit, one)),
  'Nothing waits and nothing fails.',
)}
<h2>Letters that wait for printing</h2>
${listTable(
  'Letters that wait for printing',
  ['Print partner', 'Stage', 'Letters', 'Oldest'],
  backlog.map(backlogRow),
  'No letter waits.',
)}`;

const resultsBody = ({ at }: OperatorVisit, text: string, found: readonly Found[]): Html =>
  html`${searchForm(at('/search'), text)}
${listTable(
  'What was found',
  ['Id', 'Kind', 'Note'],
  found.map(({ kind, id, page, note }) => [
    html`<a href="${at(page)}"><code>${id}</code></a>`,
    kind,
    note,
  ]),
  'Nothing has this id, tracking number, reference or address.',
)}`;

export const overviewRoutes: OperatorRoute[] = [
  {
    method: 'GET',
    path: '',
    room: 'overview',
    async handle(visit) {
      const health = await healthOf(visit);
      const [incidents, backlog] = await Promise.all([
        visit.desk.incidents(health),
        visit.desk.backlog(),
      ]);
      const body = overviewBody(visit, incidents, backlog);
      return { title: 'Overview', room: 'overview', body };
    },
  },
  {
    method: 'GET',
    path: '/search',
    room: 'search',
    async handle({ at }) {
      return { title: 'Search', room: 'search', body: searchForm(at('/search')) };
    },
  },
  {
    method: 'POST',
    path: '/search',
    room: 'search',
    async handle(visit) {
      const text = fieldOf(visit.form, 'text')?.trim() ?? '';
      const found = text === '' ? [] : await visit.desk.search(text);
      const [only, ...others] = found;
      if (only?.direct && others.length === 0) return { goTo: only.page };
      return { title: 'Search', room: 'search', body: resultsBody(visit, text, found) };
    },
  },
];
