/** The machinery: read models, reactors, parked streams, and what checks found. */
import { type Html, html } from '../../html.ts';
import type { CheckLine, Checks, FollowerLine, Health, ParkedLine } from './desk.ts';
import { buttonForm, listTable, time } from './operator-parts.ts';
import { type OperatorRoute, type OperatorVisit, shown } from './operator-visit.ts';
import { healthOf } from './overview-routes.ts';

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

const followerRow = (one: FollowerLine) => [
  one.name,
  one.kind,
  one.state,
  one.position,
  one.lagSeconds === undefined ? one.lag : `${one.lag} (${one.lagSeconds} s)`,
  one.failing,
  html`${one.since === undefined ? undefined : html`since ${time(one.since)}: `}${one.why}`,
];

const parkedTable = (parked: readonly ParkedLine[], { at }: OperatorVisit): Html =>
  listTable(
    'Streams with an event that a reactor cannot read',
    ['Stream', 'Reactor', 'Version', 'Event', 'Since', 'Error', 'Do'],
    parked.map((one) => [
      html`<code>${one.stream}</code>`,
      one.reactor,
      one.version,
      one.type,
      time(one.at),
      one.error,
      buttonForm(at('/parked/replay'), 'Replay', `${one.reactor}, ${one.stream}`, {
        reactor: one.reactor,
      }),
    ]),
    'No stream is parked.',
  );

const checkRow = ({ name, state, found, remedy }: CheckLine) => [
  name,
  html`<span class="badge" data-state="${state === 'ok' ? 'good' : 'bad'}">${state}</span>`,
  found,
  remedy,
];

const checkTable = (caption: string, lines: readonly CheckLine[]): Html =>
  listTable(caption, ['Check', 'State', 'Found', 'To do'], lines.map(checkRow));

const checksBody = (
  { runs, doctor }: Checks,
  { at }: OperatorVisit,
): Html => html`<h2>Last runs</h2>
${checkTable('Commands that protect the service', runs)}
<h2>Doctor</h2>
${
  doctor === undefined
    ? html`<p class="hint">The doctor has not looked yet.</p>`
    : html`<p>It last looked at ${time(doctor.ranAt)}.</p>
${checkTable('What the doctor found', doctor.results)}`
}
<form method="post" action="${at('/checks/doctor')}"><p><button class="button" type="submit">Run the doctor now</button></p></form>`;

export const systemRoutes: OperatorRoute[] = [
  {
    method: 'GET',
    path: '/system',
    room: 'system',
    async handle(visit) {
      const health = await healthOf(visit);
      const body = html`${listTable(
        'Read models and reactors',
        ['Name', 'Kind', 'State', 'Position', 'Behind', 'Failing', 'Why'],
        followersOf(health).map(followerRow),
      )}
${health.unowned.length === 0 ? undefined : html`<p class="problem">No process runs ${health.unowned.join(', ')}.</p>`}
<h2>Parked streams</h2>
${parkedTable(await visit.desk.parked(), visit)}`;
      return { title: 'System', room: 'system', body };
    },
  },
  {
    method: 'POST',
    path: '/parked/replay',
    room: 'system',
    async handle({ desk, form }) {
      await desk.replayParked(form.get('reactor') ?? '');
      return shown('/system', 'replayed');
    },
  },
  {
    method: 'GET',
    path: '/checks',
    room: 'checks',
    async handle(visit) {
      const body = checksBody(await visit.desk.checks(), visit);
      return { title: 'Checks', room: 'checks', body };
    },
  },
  {
    method: 'POST',
    path: '/checks/doctor',
    room: 'checks',
    async handle({ desk }) {
      await desk.runDoctor();
      return shown('/checks', 'examined');
    },
  },
];
