/** `--write`: docs/performance.md, out of one run. */
import type { Section } from './printed.ts';
import type { Target } from './report.ts';

/** Why a peer is faster, by the letter of the benchmark. */
const reasons: Record<string, string> = {
  b: 'The CRUD version writes one row for each letter in one transaction. The service appends events to the streams of the letter and of the wallet, seals personal data, and updates read models, credentials and reactors in the background on the same two cores.',
  c: 'The CRUD version locks one row of the wallet. The service decides on the stream of the wallet and commits many sends at once.',
  r: 'PostgreSQL commits the events of many callers in one transaction. EventStoreDB is another server that shares the machine.',
  y: 'With few connections there is little to batch: each send pays for its own append, and the background work of a few letters costs nearly as much as that of many.',
};

const cell = (text: string): string => text.replaceAll('|', '\\|').trim();

const row = (...cells: string[]): string => `| ${cells.map(cell).join(' | ')} |`;

const targetRows = (targets: readonly Target[]): string[] => [
  row('figure', 'wanted', 'measured', 'verdict'),
  row('---', '---:', '---:', '---'),
  ...targets.map(({ what, target, measured, reached }) =>
    row(what, target, measured, reached ? 'reached' : '**not reached**'),
  ),
];

const slowerThanPeer = (targets: readonly Target[]): string[] => {
  const compared = targets.filter(({ timesPeer }) => timesPeer !== undefined);
  if (compared.length === 0) return ['No peer was measured.'];
  const slower = compared.filter(({ timesPeer = 1 }) => timesPeer < 1);
  if (slower.length === 0)
    return ['The service is at least as fast as its peer in every comparison.'];
  return slower.map(
    ({ what, measured }) => `- **${what}: ${measured}.** ${reasons[what[0] ?? ''] ?? ''}`,
  );
};

const sectionOf = ({ title, text }: Section): string[] => [
  `### ${title}`,
  '',
  '```text',
  ...text.split('\n').map((line) => line.replace(/^ {2}/, '').trimEnd()),
  '```',
  '',
];

/** `on`: the day of the run, YYYY-MM-DD. */
export const performancePage = (
  machine: Section,
  sections: readonly Section[],
  targets: readonly Target[],
  on: string,
): string =>
  [
    '# Performance',
    '',
    '`npm run bench -- --write` generates this page from one run. The service, PostgreSQL, the peers and the load',
    'generator share the cores of one machine. Every run also checks that each acknowledged write exists once and was',
    'charged once.',
    '',
    `Measured on ${on}:`,
    '',
    ...sectionOf(machine).slice(2),
    '## Targets',
    '',
    ...targetRows(targets),
    '',
    '## Where a peer is faster',
    '',
    ...slowerThanPeer(targets),
    '',
    '## Measurements',
    '',
    ...sections.flatMap(sectionOf),
  ]
    .join('\n')
    .trimEnd()
    .concat('\n');
