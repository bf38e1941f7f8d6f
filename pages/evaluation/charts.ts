/** Charts as inline SVG, without scripts. A table next to each chart has the same figures. */
import { numberOf } from '../../ground/plural.ts';
import { type Html, html } from '../html.ts';

/** Units of the drawing; it is scaled to the width of the page. */
const width = 640;
const labelWidth = 168;
const valueWidth = 112;
const plotWidth = width - labelWidth - valueWidth;
const rowHeight = 34;
const barHeight = 16;

const chart = (id: string, title: string, height: number, drawn: readonly Html[]): Html =>
  html`<svg class="chart" role="img" aria-labelledby="${id}" viewBox="0 0 ${width} ${height}" preserveAspectRatio="xMinYMin meet">
<title id="${id}">${title}</title>
${drawn}
</svg>`;

const round = (value: number): number => Math.round(value * 10) / 10;

type Bar = {
  label: string /** From 0 to 1; null: nothing is known. */;
  part: number | null;
  value: string;
};

/** One bar for each row, from 0 to 100 %. */
export const barChart = (id: string, title: string, bars: readonly Bar[]): Html =>
  chart(
    id,
    title,
    bars.length * rowHeight + 4,
    bars.map(({ label, part, value }, row) => {
      const y = row * rowHeight + 4;
      const middle = y + barHeight / 2;
      const length = round((part ?? 0) * plotWidth);
      return html`<text class="label" x="0" y="${middle}">${label}</text>
<rect class="track" x="${labelWidth}" y="${y}" width="${plotWidth}" height="${barHeight}" rx="2"/>
${part === null ? undefined : html`<rect class="on-time" x="${labelWidth}" y="${y}" width="${length}" height="${barHeight}" rx="2"/>`}
<text class="value" x="${width}" y="${middle}">${value}</text>`;
    }),
  );

type Span = { label: string; sla: number; p50: number | null; p95: number | null };

const daysIn = (p50: number, p95: number): string =>
  p50 === p95 ? numberOf(p50, 'day') : `${p50} to ${p95} days`;

/** For each row the days from the half to 95 % of the letters, and a mark at the promise. */
export const spanChart = (id: string, title: string, spans: readonly Span[]): Html => {
  const most = Math.max(5, ...spans.map(({ sla, p95 }) => Math.max(sla, p95 ?? 0)));
  const step = Math.ceil(most / 10);
  const at = (days: number): number => round(labelWidth + (days / most) * plotWidth);
  const bottom = spans.length * rowHeight + 8;
  const ticks = Array.from({ length: Math.floor(most / step) + 1 }, (_, n) => n * step);
  const axis = ticks.map(
    (days) => html`<line class="grid" x1="${at(days)}" y1="0" x2="${at(days)}" y2="${bottom}"/>
<text class="tick" x="${at(days)}" y="${bottom + 14}">${days}</text>`,
  );
  const rows = spans.map(({ label, sla, p50, p95 }, row) => {
    const y = row * rowHeight + 20;
    const known = p50 !== null && p95 !== null;
    return html`<text class="label" x="0" y="${y}">${label}</text>
<line class="promise" x1="${at(sla)}" y1="${y - 12}" x2="${at(sla)}" y2="${y + 12}"/>
${
  known
    ? html`<line class="span" x1="${at(p50)}" y1="${y}" x2="${at(p95)}" y2="${y}"/>
<circle class="half" cx="${at(p50)}" cy="${y}" r="6"/>
<rect class="most" x="${at(p95) - 5}" y="${y - 5}" width="10" height="10"/>`
    : undefined
}
<text class="value" x="${width}" y="${y}">${known ? daysIn(p50, p95) : 'no data'}</text>`;
  });
  return chart(id, title, bottom + 24, [...axis, ...rows]);
};

type Column = { label: string; parts: readonly { kind: string; count: number }[] };

/** A column for each period, its parts one above the other. */
export const columnChart = (id: string, title: string, columns: readonly Column[]): Html => {
  const height = 190;
  const base = height - 26;
  const totals = columns.map(({ parts }) => parts.reduce((sum, { count }) => sum + count, 0));
  const most = Math.max(1, ...totals);
  const slot = width / Math.max(1, columns.length);
  const drawn = columns.map(({ label, parts }, n) => {
    const x = round(n * slot + slot * 0.18);
    const wide = round(Math.min(slot * 0.64, 72));
    const middle = round(x + wide / 2);
    let top = base;
    const rects = parts
      .filter(({ count }) => count > 0)
      .map(({ kind, count }) => {
        const high = round((count / most) * (base - 22));
        top = round(top - high);
        return html`<rect class="${kind}" x="${x}" y="${top}" width="${wide}" height="${high}"/>`;
      });
    return html`${rects}
<text class="tick" x="${middle}" y="${round(top - 9)}">${totals[n] ?? 0}</text>
<text class="tick" x="${middle}" y="${height - 8}">${label}</text>`;
  });
  const axis = html`<line class="grid" x1="0" y1="${base}" x2="${width}" y2="${base}"/>`;
  return chart(id, title, height, [axis, ...drawn]);
};
