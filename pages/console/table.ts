/** The tables of the console, and the way to their next page. */
import { type Html, html } from '../html.ts';

export type Shown = string | number | Html | undefined;

/** The content of a cell. `as`: figures keep to one line, a word is not broken. */
export type Cell = Shown | { as: 'number' | 'word'; shown: Shown };

/** The cells of a row. The first one names the row. */
export type Row = readonly Cell[];

export const figure = (shown: Shown): Cell => ({ as: 'number', shown });
export const word = (shown: Shown): Cell => ({ as: 'word', shown });

const isKind = (cell: Cell): cell is Extract<Cell, { as: string }> =>
  typeof cell === 'object' && 'as' in cell;

const cellOf = (cell: Cell, label: string): Html =>
  isKind(cell)
    ? html`<td data-label="${label}" class="${cell.as}">${cell.shown}</td>`
    : html`<td data-label="${label}">${cell}</td>`;

/**
 * A table that stacks its cells on narrow screens, where a cell shows the name of its column.
 * @param words names of the columns, in the order of the cells
 */
export const stackTable = (
  words: { caption: string; columns: readonly string[] | Readonly<Record<string, string>> },
  rows: readonly Row[],
  id?: string,
): Html => {
  const columns = Object.values<string>(words.columns);
  const [, ...others] = columns;
  const lines = rows.map(
    ([first, ...cells]) => html`<tr>
<th scope="row">${isKind(first) ? first.shown : first}</th>
${others.map((name, index) => cellOf(cells[index], name))}
</tr>`,
  );
  return html`<table class="stack"${id === undefined ? undefined : html` id="${id}"`}>
<caption>${words.caption}</caption>
<thead><tr>${columns.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>
${lines}
</tbody>
</table>`;
};

/** Links to the page with older rows. The last page has no cursor and gets no link. */
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
