/** One test of faults, and the table of all of them. */

export type Row = {
  file: string;
  /** The titles around the test: what is exposed to faults. */
  about: string;
  /** The title of the test: what it checks. */
  checked: string;
  /** How often each kind of fault was injected. */
  injected: Record<string, number>;
  result: 'passed' | 'FAILED' | 'skipped';
  seconds: number;
};

/** Named in the title, as `seed 3` or `2000 seeds`. */
export const seedOf = (title: string): string =>
  /\bseeds? (\d+)\b/.exec(title)?.[1] ?? /\b(\d+ seeds)\b/.exec(title)?.[1] ?? '';

const injectedText = (injected: Row['injected']): string =>
  Object.entries(injected)
    .map(([kind, times]) => `${kind} × ${times}`)
    .join(', ');

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ');

/** As Markdown. */
export const tableOf = (rows: readonly Row[]): string =>
  [
    '| faults for | injected | checked | result | seed | seconds | file |',
    '|---|---|---|---|---|---|---|',
    ...rows.map(({ about, injected, checked, result, seconds, file }) => {
      const cells = [about, injectedText(injected), checked, result, seedOf(checked)];
      return `| ${[...cells, seconds.toFixed(1), file].map(cell).join(' | ')} |`;
    }),
  ].join('\n');

/** A row for a file whose run failed although none of its tests did: it crashed, or could not be read. */
export const crashed = (file: string, code: number, rows: readonly Row[]): Row[] =>
  code === 0 || rows.some((row) => row.file === file && row.result === 'FAILED')
    ? []
    : [
        {
          file,
          about: 'the whole file',
          checked: `its run ended with code ${code}`,
          injected: {},
          result: 'FAILED',
          seconds: 0,
        },
      ];

/** A line for each row that failed, with its file and test. */
export const failuresOf = (rows: readonly Row[]): string[] =>
  rows
    .filter(({ result }) => result === 'FAILED')
    .map(({ file, about, checked }) => `FAILED ${file}: ${about}: ${checked}`);
