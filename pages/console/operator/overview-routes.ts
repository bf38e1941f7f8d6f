/** `/console/operator`: what waits and fails, and the search. */
import { type Html, html } from '../../html.ts';
import { fieldOf } from '../form.ts';
import type { Backlog, Found, Health, Incident } from './desk.ts';
import { inEnglish, listTable, searchForm, time } from './operator-parts.ts';
import { formAt, type OperatorVisit, pageAt } from './operator-visit.ts';
import { overviewWords } from './overview-words.ts';

/** The state of read models and reactors, as the operation `health` answers it. */
export const healthOf = async ({ call }: OperatorVisit): Promise<Health> =>
  JSON.parse((await call('health', {})).body) as Health;

type Page = Pick<OperatorVisit, 'at' | 'language'>;

const incidentRow = ({ at, language }: Page, incident: Incident) => {
  const { kind, subject = '', since, waiting, detail, page } = incident;
  const words = overviewWords[language];
  return [
    html`<a href="${at(page)}">${words.incident[kind](subject)}</a>`,
    time(since, language),
    waiting && words.waiting[waiting.unit](waiting.count),
    inEnglish(detail),
  ];
};

const backlogRow =
  (language: Page['language']) =>
  ({ partner, stage, letters, oldest }: Backlog) => [
    partner,
    overviewWords[language].stages[stage],
    letters,
    time(oldest, language),
  ];

const overviewBody = (page: Page, incidents: Incident[], waiting: Backlog[]): Html => {
  const words = overviewWords[page.language];
  const { incidents: failing, backlog } = words;
  return html`${searchForm(page.at('/search'), page.language)}
<h2 id="incidents" data-count="${incidents.length}">${failing.title}</h2>
${listTable(
  failing.caption,
  failing.columns,
  incidents.map((one) => incidentRow(page, one)),
  failing.none,
)}
<h2>${backlog.title}</h2>
${listTable(backlog.title, backlog.columns, waiting.map(backlogRow(page.language)), backlog.none)}`;
};

const resultsBody = ({ at, language }: Page, text: string, results: readonly Found[]): Html => {
  const { found, kinds } = overviewWords[language];
  return html`${searchForm(at('/search'), language, text)}
${listTable(
  found.caption,
  found.columns,
  results.map(({ kind, id, page, note }) => [
    html`<a href="${at(page)}"><code>${id}</code></a>`,
    kinds[kind],
    inEnglish(note),
  ]),
  found.none,
)}`;
};

export const overviewRoutes = [
  pageAt('', 'overview', async (visit) => {
    const health = await healthOf(visit);
    const [incidents, backlog] = await Promise.all([
      visit.desk.incidents(health),
      visit.desk.backlog(),
    ]);
    const body = overviewBody(visit, incidents, backlog);
    return { body };
  }),
  pageAt('/search', 'search', async (visit) => {
    const body = searchForm(visit.at('/search'), visit.language);
    return { body };
  }),
  formAt('/search', 'search', async (visit) => {
    const text = fieldOf(visit.form, 'text')?.trim() ?? '';
    const found = text === '' ? [] : await visit.desk.search(text);
    const [only, ...others] = found;
    if (only?.direct && others.length === 0) return { goTo: only.page };
    const body = resultsBody(visit, text, found);
    return { body };
  }),
];
