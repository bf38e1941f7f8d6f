/** How figures are printed. */

type Table = { columns: string[]; rows: string[][] };

/** First column to the left, the others to the right. */
export const formatTable = ({ columns, rows }: Table): string => {
  const lines = [columns, ...rows];
  const widths = columns.map((_, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  );
  const format = (line: string[]): string =>
    widths
      .map((width, column) => {
        const cell = line[column] ?? '';
        return column === 0 ? cell.padEnd(width) : cell.padStart(width);
      })
      .join('  ')
      .trimEnd();
  const rule = widths.map((width) => '-'.repeat(width)).join('  ');
  return [format(columns), rule, ...rows.map(format)].map((line) => `  ${line}`).join('\n');
};

export const whole = (value: number): string =>
  Math.round(value).toLocaleString('en-US', { maximumFractionDigits: 0 });
export const tenth = (value: number): string => value.toFixed(1);
/** Two digits, so that a figure just below a target does not look as if it reached it. */
export const ratio = (value: number): string => `${value.toFixed(2)} x`;
export const percent = (share: number | undefined): string =>
  share === undefined ? '?' : `${Math.round(share * 100)} %`;
export const megabytes = (bytes: number | undefined): string =>
  bytes === undefined ? '?' : `${Math.round(bytes / 1e6)} MB`;

/** One figure that the project promises. */
export type Target = {
  what: string;
  target: string;
  measured: string;
  reached: boolean;
  /** Our figure divided by that of a peer; above 1 where we are better. */
  timesPeer?: number;
};

export const formatTargets = (targets: Target[]): string =>
  formatTable({
    columns: ['target', 'wanted', 'measured', 'verdict'],
    rows: targets.map(({ what, target, measured, reached }) => [
      what,
      target,
      measured,
      reached ? 'reached' : 'NOT REACHED',
    ]),
  });

export const atLeast = (what: string, wanted: number, measured: number, unit: string): Target => ({
  what,
  target: `>= ${whole(wanted)}${unit}`,
  measured: `${whole(measured)}${unit}`,
  reached: measured >= wanted,
});

export const timesPeer = (what: string, wanted: number, ours: number, peer: number): Target => ({
  what,
  target: `>= ${ratio(wanted)}`,
  measured: ratio(ours / peer),
  reached: ours >= wanted * peer,
  timesPeer: ours / peer,
});

export const below = (
  what: string,
  wanted: number,
  measured: number | undefined,
  unit: string,
): Target => ({
  what,
  target: `< ${whole(wanted)}${unit}`,
  measured: measured === undefined ? '?' : `${tenth(measured)}${unit}`,
  reached: measured !== undefined && measured < wanted,
});
