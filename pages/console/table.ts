/** The tables of the console, and the way to their next page. */
import { type Html, html } from '../html.ts';

/** A table that stacks its cells on narrow screens, where a cell shows its `data-label`. */
export const stackTable = (
  caption: string,
  columns: readonly string[],
  rows: readonly Html[],
  id?: string,
): Html => html`<table class="stack"${id === undefined ? undefined : html` id="${id}"`}>
<caption>${caption}</caption>
<thead><tr>${columns.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>
${rows}
</tbody>
</table>`;

export type Cell = string | number | Html | undefined;

/** The same of cells. The first one of a row names the row. */
export const cellTable = (
  caption: string,
  columns: readonly string[],
  rows: readonly (readonly Cell[])[],
): Html => {
  const [, ...others] = columns;
  return stackTable(
    caption,
    columns,
    rows.map(
      ([first, ...cells]) => html`<tr>
<th scope="row">${first}</th>
${others.map((name, index) => html`<td data-label="${name}">${cells[index]}</td>`)}
</tr>`,
    ),
  );
};

/** The link to older rows. @param cursor null where there are none */
export const olderLink = (
  { at }: { at(path: string): string },
  page: { path: string; cursor: string | null; name?: string; query?: Record<string, string> },
  label: string,
): Html | undefined => {
  const { path, cursor, name = 'cursor', query } = page;
  if (cursor === null) return undefined;
  const address = at(`${path}?${new URLSearchParams({ ...query, [name]: cursor })}`);
  return html`<p><a rel="next" href="${address}">${label}</a></p>`;
};
