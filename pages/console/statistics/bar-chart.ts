/** A bar for each day as a picture, and the same numbers as a table. */
import { colon } from '../../../presenters/labels.ts';
import { type Html, html } from '../../html.ts';
import { day } from '../format.ts';
import type { Visit } from '../visit.ts';

type Bar = { day: string; value: number };

type Chart = {
  /** Starts the ids of the chart. */
  name: string;
  title: string;
  /** Says in words what the picture shows. */
  summary: string;
  bars: readonly Bar[];
  shown(value: number): string;
};

type ChartWords = { table: string; day: string; most: string };

const width = 600;
const height = 160;

/** The height of a value, with two digits after the point. */
const scaled = (value: number): number => Math.round(value * 100) / 100;

/** Bars stand on the line of zero. Negative values hang below it. */
const picture = ({ name, title, summary, bars }: Chart): Html => {
  const high = Math.max(0, ...bars.map(({ value }) => value));
  const low = Math.min(0, ...bars.map(({ value }) => value));
  const perUnit = height / (high - low || 1);
  const zero = scaled(high * perUnit) || (low < 0 ? 0 : height);
  const step = width / bars.length;
  const rects = bars
    .filter(({ value }) => value !== 0)
    .map(({ value, day: date }) => {
      const n = bars.findIndex((bar) => bar.day === date);
      const size = Math.max(1, scaled(Math.abs(value) * perUnit));
      const y = value > 0 ? scaled(zero - size) : zero;
      return html`<rect x="${scaled((n + 0.1) * step)}" y="${y}" width="${scaled(step * 0.8)}" height="${size}"/>`;
    });
  return html`<svg class="chart" role="img" aria-labelledby="${name}-title ${name}-text" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none">
<title id="${name}-title">${title}</title>
<desc id="${name}-text">${summary}</desc>
${rects}
<path d="M0 ${zero}h${width}"/>
</svg>`;
};

const table = ({ title, bars, shown }: Chart, { language }: Visit, words: ChartWords): Html =>
  html`<details>
<summary>${words.table}${colon(language)} ${title}</summary>
<table>
<caption>${title}</caption>
<thead><tr><th scope="col">${words.day}</th><th scope="col">${title}</th></tr></thead>
<tbody>
${bars.map((bar) => html`<tr><th scope="row">${day(bar.day, language)}</th><td class="number">${shown(bar.value)}</td></tr>`)}
</tbody>
</table>
</details>`;

/** The scale stands next to the picture as text, which stays readable on narrow screens. */
export const barChart = (chart: Chart, visit: Visit, words: ChartWords): Html => {
  const { bars, shown } = chart;
  const [first, last] = [bars[0]?.day ?? '', bars.at(-1)?.day ?? ''];
  const most = Math.max(0, ...bars.map(({ value }) => value));
  return html`<h2>${chart.title}</h2>
<p>${chart.summary}</p>
<figure class="chart">
<p class="hint">${words.most}${colon(visit.language)} ${shown(most)}</p>
${picture(chart)}
<figcaption class="hint"><span>${day(first, visit.language)}</span> <span>${day(last, visit.language)}</span></figcaption>
</figure>
${table(chart, visit, words)}`;
};
