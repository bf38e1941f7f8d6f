import type { Print } from './command.ts';

/** Lines of a table whose columns are as wide as they must be; a cell that is empty is a dash. */
export const table = (rows: string[][]): string[] => {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows.map((row) =>
    row
      .map((cell, column) => (cell || '-').padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
};

/**
 * Prints a list: as a table, or with `--json` as an array of objects by the names of the columns, where an
 * empty cell is null.
 */
export const printList = (
  print: Print,
  head: string[],
  rows: string[][],
  { json = false }: { json?: boolean } = {},
): void => {
  if (!json) {
    for (const line of table([head, ...rows])) print(line);
    return;
  }
  const names = head.map((name) => name.replaceAll(/[ -]/g, '_'));
  const objects = rows.map((row) =>
    Object.fromEntries(names.map((name, column) => [name, row[column] || null])),
  );
  print(JSON.stringify(objects, null, 2));
};
