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
