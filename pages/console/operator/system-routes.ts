/** The machinery: read models, reactors, parked streams, and what checks found. */
import { colon } from '../../../presenters/labels.ts';
import { type Html, html } from '../../html.ts';
import type { CheckLine, Checks, FollowerLine, Health, ParkedLine } from './desk.ts';
import { buttonForm, inEnglish, listTable, time } from './operator-parts.ts';
import { formAt, type OperatorVisit, pageAt, shown } from './operator-visit.ts';
import { healthOf } from './overview-routes.ts';
import { systemWords } from './system-words.ts';

const followersOf = ({ projections, reactors }: Health): FollowerLine[] =>
  [
    ...projections.map((one) => ({ ...one, kind: 'read model' as const, failing: 0, parked: 0 })),
    ...reactors.map((one) => ({ ...one, kind: 'reactor' as const })),
  ].map(({ lag_seconds: lagSeconds, since, error: why, ...one }) => ({
    ...one,
    lagSeconds,
    since,
    why,
  }));

type Page = Pick<OperatorVisit, 'at' | 'language'>;

const followerRow =
  ({ language }: Page) =>
  (one: FollowerLine) => {
    const words = systemWords[language];
    const since = html`${words.since} ${time(one.since, language)}${colon(language)} `;
    return [
      one.name,
      words.kinds[one.kind],
      words.states[one.state] ?? one.state,
      one.position,
      words.lag(one.lag, one.lagSeconds),
      one.failing,
      html`${one.since === undefined ? undefined : since}${inEnglish(one.why)}`,
    ];
  };

const parkedTable = (lines: readonly ParkedLine[], { at, language }: Page): Html => {
  const { parked } = systemWords[language];
  return listTable(
    parked.caption,
    parked.columns,
    lines.map((one) => [
      html`<code>${one.stream}</code>`,
      one.reactor,
      one.version,
      one.type,
      time(one.at, language),
      inEnglish(one.error),
      buttonForm(
        at('/parked/replay'),
        { label: parked.replay, about: `${one.reactor}, ${one.stream}`, language },
        { reactor: one.reactor },
      ),
    ]),
    parked.none,
  );
};

const checkTable = (caption: string, lines: readonly CheckLine[], { language }: Page): Html => {
  const { columns, states, never } = systemWords[language].checks;
  const rows = lines.map(({ name, state, found, remedy }) => [
    name,
    html`<span class="badge" data-state="${state === 'ok' ? 'good' : 'bad'}">${states[state]}</span>`,
    inEnglish(found),
    inEnglish(remedy),
  ]);
  return listTable(caption, columns, rows, never);
};

const checksBody = ({ runs, doctor }: Checks, page: Page): Html => {
  const words = systemWords[page.language].checks;
  return html`<h2>${words.runs}</h2>
${checkTable(words.runsCaption, runs, page)}
<h2>${words.doctor}</h2>
${
  doctor === undefined
    ? html`<p class="hint">${words.never}</p>`
    : html`<p>${words.last} ${time(doctor.ranAt, page.language)}</p>
${checkTable(words.doctorCaption, doctor.results, page)}`
}
<form method="post" action="${page.at('/checks/doctor')}"><p><button class="button" type="submit">${words.run}</button></p></form>`;
};

const systemBody = (health: Health, parked: readonly ParkedLine[], visit: Page): Html => {
  const { followers, parked: words, unowned, checks } = systemWords[visit.language];
  const { caption, columns } = followers;
  const names = health.unowned.join(', ');
  return html`${listTable(caption, columns, followersOf(health).map(followerRow(visit)), checks.never)}
${names === '' ? undefined : html`<p class="problem">${unowned(names)}</p>`}
<h2>${words.title}</h2>
${parkedTable(parked, visit)}`;
};

export const systemRoutes = [
  pageAt('/system', 'system', async (visit) => {
    const health = await healthOf(visit);
    const body = systemBody(health, await visit.desk.parked(), visit);
    return { body };
  }),
  formAt('/parked/replay', 'system', async ({ desk, form }) => {
    await desk.replayParked(form.get('reactor') ?? '');
    return shown('/system', 'replayed');
  }),
  pageAt('/checks', 'checks', async (visit) => {
    const body = checksBody(await visit.desk.checks(), visit);
    return { body };
  }),
  formAt('/checks/doctor', 'checks', async ({ desk }) => {
    await desk.runDoctor();
    return shown('/checks', 'examined');
  }),
];
