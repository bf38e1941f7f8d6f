/** The service's delivery performance, for people: charts, each with a table of its figures. */

import { readFileSync } from 'node:fs';
import type { StaticFiles } from '../../contract/static-files.ts';
import { addDays } from '../../ground/day.ts';
import { countries } from '../../postal/countries.ts';
import { type CountryCode, countryCodes } from '../../postal/types.ts';
import type { Evaluation, Figures } from '../../presenters/evaluation.ts';
import { type Html, html } from '../html.ts';
import { layout } from '../layout.ts';
import { barChart, columnChart, spanChart } from './charts.ts';

/** Style of the page. */
export const evaluationAssets = (): StaticFiles => ({
  contentSecurityPolicy: "default-src 'none'; frame-ancestors 'none'",
  files: [
    {
      path: '/anp/eval.css',
      type: 'text/css; charset=utf-8',
      bytes: readFileSync(new URL('./eval.css', import.meta.url)),
    },
  ],
});

const number = (value: number): string => value.toLocaleString('en');

/** 100 % only where none was late, and 0 % only where all were. */
const percent = (part: number | null): string => {
  if (part === null) return 'no data';
  if (part === 0 || part === 1) return `${part * 100} %`;
  return `${Math.min(Math.max(part * 100, 0.1), 99.9).toFixed(1)} %`;
};

const days = (value: number | null): string => (value === null ? '–' : String(value));

/** `legal_compliance` as people write it. */
const nameOf = (intent: string): string => {
  const words = intent.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};

type Cell = string | number;

/** The first cell of each row names it. */
const table = (caption: string, heads: readonly string[], rows: readonly Cell[][]): Html =>
  html`<div class="scroll" role="region" tabindex="0" aria-label="${caption}">
<table>
<caption>${caption}</caption>
<thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>
${rows.map(
  ([name = '', ...cells]) =>
    html`<tr><th scope="row">${name}</th>${cells.map((cell) => html`<td>${typeof cell === 'number' ? number(cell) : cell}</td>`)}</tr>`,
)}
</tbody>
</table>
</div>`;

const counts = (figures: Figures): Cell[] => [
  ...[figures.sent, figures.not_measurable, figures.on_time, figures.late, figures.in_flight],
  percent(figures.attainment),
];
const countHeads = [
  'Posted',
  'Not measurable',
  'On time',
  'Late',
  'In flight',
  'On time, if known',
];

/** Links instead of a form: the page works without scripts. */
const periods = (evaluation: Evaluation, prefix: string): Html => {
  const { to, country, mode } = evaluation;
  const link = (label: string, change: Record<string, string | undefined>): Html => {
    const query = {
      from: evaluation.from,
      to,
      mode: mode === 'live' ? undefined : mode,
      country: country ?? undefined,
      ...change,
    };
    const given = Object.entries(query).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, value]],
    );
    const here =
      (query.country ?? null) === country && query.from === evaluation.from
        ? html` aria-current="true"`
        : html``;
    return html`<li><a href="${prefix}/anp/eval?${new URLSearchParams(given).toString()}"${here}>${label}</a></li>`;
  };
  const since = (length: number): string => addDays(to, 1 - length);
  return html`<nav class="choices" aria-label="What is shown">
<ul>${[30, 90, 365].map((length) => link(`${length} days`, { from: since(length) }))}</ul>
<ul>${link('All countries', { country: undefined })}
${countryCodes.map((code: CountryCode) => link(countries[code].name, { country: code }))}</ul>
</nav>`;
};

const legend = (entries: readonly [kind: string, label: string][]): Html =>
  html`<ul class="legend" aria-hidden="true">${entries.map(([kind, label]) => html`<li><svg class="chart key" viewBox="0 0 12 12"><rect class="${kind}" width="12" height="12"/></svg> ${label}</li>`)}</ul>`;

const kept = ({ data }: Evaluation): Html => html`<section>
<h2>Promises kept</h2>
<p class="hint">Letters delivered within their SLA, of those of which it is known. A letter whose SLA has passed counts as late before it is delivered. Services without tracking are not measured.</p>
${barChart(
  'kept',
  'Part of the letters that were delivered within their SLA, for each intent class',
  data.map(({ intent, attainment }) => ({
    label: nameOf(intent),
    part: attainment,
    value: percent(attainment),
  })),
)}
${table(
  'Letters by intent class',
  ['Intent class', ...countHeads],
  data.map((one) => [nameOf(one.intent), ...counts(one)]),
)}
</section>`;

const speed = ({ data }: Evaluation): Html => html`<section>
<h2>Days to delivery</h2>
<p class="hint">Business days of the country, from hand-over. The circle: half of the letters had arrived; the square: 95 % of them. The line across is the SLA of the class.</p>
${spanChart(
  'speed',
  'Business days within which half and 95 % of the letters arrived, and the SLA, for each intent class',
  data.map(({ intent, sla_days: sla, p50_days: p50, p95_days: p95 }) => ({
    label: nameOf(intent),
    sla,
    p50,
    p95,
  })),
)}
${table(
  'Business days to delivery by intent class',
  ['Intent class', 'SLA', 'Half within', '95 % within'],
  data.map((one) => [
    ...[nameOf(one.intent), one.sla_days, days(one.p50_days), days(one.p95_days)],
  ]),
)}
</section>`;

const overTime = ({ months }: Evaluation): Html => html`<section>
<h2>Month by month</h2>
<p class="hint">By the month of posting.</p>
${legend([
  ['on-time', 'on time'],
  ['late', 'late'],
  ['in-flight', 'in flight'],
  ['unknown', 'not measurable'],
])}
${columnChart(
  'months',
  'Letters by the month in which they were posted: on time, late, in flight and not measurable',
  months.map((one) => ({
    label: one.month,
    parts: [
      { kind: 'on-time', count: one.on_time },
      { kind: 'late', count: one.late },
      { kind: 'in-flight', count: one.in_flight },
      { kind: 'unknown', count: one.not_measurable },
    ],
  })),
)}
${table(
  'Letters by month of posting',
  ['Month', ...countHeads],
  months.map((one) => [one.month, ...counts(one)]),
)}
</section>`;

const byCountry = (evaluation: Evaluation): Html => html`<section>
<h2>Country by country</h2>
${barChart(
  'countries',
  'Part of the letters that were delivered within their SLA, for each country',
  evaluation.countries.map(({ country, attainment }) => ({
    label: countries[country].name,
    part: attainment,
    value: percent(attainment),
  })),
)}
${table(
  'Letters by country',
  ['Country', ...countHeads],
  evaluation.countries.map((one) => [countries[one.country].name, ...counts(one)]),
)}
</section>`;

/** @param prefix the path of the public address of the service */
export const evaluationPage = (evaluation: Evaluation, prefix: string): string => {
  const { from, to, country, mode, total, as_of: asOf } = evaluation;
  const where = country === null ? 'all countries' : countries[country].name;
  return layout({
    title: 'How letters keep their promises',
    stylesheet: `${prefix}/anp/eval.css`,
    body: html`<main class="sheet wide">
<header class="head">
  <p class="kind">Letters · performance report</p>
  <h1>How letters keep their promises</h1>
  <p class="lead">${number(total.sent)} letters posted from <time datetime="${from}">${from}</time> to <time datetime="${to}">${to}</time>, ${where}. ${
    total.attainment === null
      ? 'Of none of them it is known yet whether it was on time.'
      : `${percent(total.attainment)} of those of which it is known were on time.`
  }</p>
</header>
${mode === 'test' ? html`<p class="notice">These are letters of test accounts. None of them was printed.</p>` : undefined}
${periods(evaluation, prefix)}
${kept(evaluation)}
${speed(evaluation)}
${overTime(evaluation)}
${country === null ? byCountry(evaluation) : undefined}
<footer><p class="hint">As of <time datetime="${asOf}">${asOf}</time>, from reports of print houses and postal operators. The same figures as JSON: <a href="${prefix}/api/anp/eval">/api/anp/eval</a>.</p></footer>
</main>`,
  });
};
